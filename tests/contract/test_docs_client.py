"""The client's README names the methods, errors and ways to show that the code has."""

import inspect

import reteval
from reteval import Client
from reteval._rows import Rows
from reteval.contract.shown import Shown, Tabular
from tests.contract.test_docs import DOCS, read_table

PAGE = "../clients/README.md"


def test_table_of_methods_is_that_of_the_client() -> None:
    """Every public method stands in one row, and nothing that is none."""
    documented = [name for row in read_table(PAGE, "what") for name in row["methods"].split()]
    assert sorted(documented) == [name for name, _ in inspect.getmembers(Client) if name[0] != "_"]


def test_table_of_errors_is_that_of_the_package() -> None:
    """Every error that is raised has a row; those above it in the tree are named in the text."""
    documented = {row["class"] for row in read_table(PAGE, "class")}
    exported = {
        name
        for name in reteval.__all__
        if isinstance(kind := getattr(reteval, name), type) and issubclass(kind, Exception)
    }
    above = {"RetevalError", "ResponseError", "ClientError"}
    assert documented == exported - above
    text = (DOCS / PAGE).read_text(encoding="utf-8")
    assert all(f"`{name}`" in text for name in above)


def test_table_of_ways_to_show_is_that_of_the_structs() -> None:
    """Each call is there on each struct that the row names, and on no other."""
    kinds = {
        name: kind
        for name in reteval.__all__
        if isinstance(kind := getattr(reteval, name), type) and issubclass(kind, Shown)
    }
    rows = {row["call"]: set(row["of"].split()) for row in read_table(PAGE, "call")}
    assert rows["format()"] == rows["to_dict()"] == set(kinds)
    assert rows["to_frame()"] == {name for name, kind in kinds.items() if issubclass(kind, Tabular)}
    raising = {name for name, kind in kinds.items() if hasattr(kind, "raise_for_gate")}
    assert rows["raise_for_gate()"] == raising
    for call, method in (("to_trec_run", "outcomes"), ("to_qrels", "queries")):
        assert rows[f"{call}()"] == {method}
        assert hasattr(inspect.signature(getattr(Client, method)).return_annotation, call)
    of_lists = rows["to_frame() to_dicts()"]
    assert of_lists == {"every", "list"}
    assert all(hasattr(Rows, name) for name in ("to_frame", "to_dicts"))
