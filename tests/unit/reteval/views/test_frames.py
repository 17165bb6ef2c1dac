from collections.abc import AsyncIterator
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import pytest

from reteval._rows import AsyncRows, Rows
from reteval.contract.gates import Floor, Gate
from reteval.contract.outcomes import QueryRow
from reteval.views.frames import DIFFERENCE, RULE, SUMMARY, build_frame, columns_of, flatten, render
from tests.unit.reteval.decisions import a_comparison, a_pending_comparison, a_verdict
from tests.unit.reteval.documents import a_report, a_run, a_summary


class Installed:
    """The libraries of a machine; a frame is what it was made of."""

    def __init__(self, *names: str, broken: str = "") -> None:
        self._names = names
        self._broken = broken

    def load(self, name: str) -> Any:
        """Import one of them."""
        if name == self._broken:
            raise ModuleNotFoundError("No module named 'numpy'", name="numpy")
        if name not in self._names:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return SimpleNamespace(DataFrame=lambda columns, **options: (name, columns, options))


@pytest.mark.parametrize(
    ("names", "library", "made_by"),
    [
        (("pandas", "polars"), None, "pandas"),
        (("polars",), None, "polars"),
        (("pandas", "polars"), "polars", "polars"),
    ],
)
def test_frame_is_of_the_library_that_is_there(
    names: tuple[str, ...], library: str | None, made_by: str
) -> None:
    """Pandas goes first, polars where it is alone or asked for."""
    frame = build_frame({"a": [1, 2.5]}, library, Installed(*names).load)
    options = {"pandas": {}, "polars": {"strict": False}}
    assert frame == (made_by, {"a": [1, 2.5]}, options[made_by])


@pytest.mark.parametrize("library", [None, "pandas"])
def test_no_library_names_both(library: str | None) -> None:
    """Who has neither learns how to get either."""
    with pytest.raises(ImportError, match="pip install pandas` or `pip install polars"):
        build_frame({}, library, Installed().load)


def test_broken_library_is_not_a_missing_one() -> None:
    """An installed library that cannot be imported is shown as it fails."""
    with pytest.raises(ModuleNotFoundError, match="numpy"):
        build_frame({}, None, Installed("polars", broken="pandas").load)


def test_other_libraries_are_refused() -> None:
    """A name that is neither is a mistake of the caller."""
    with pytest.raises(ValueError, match="use 'pandas' or 'polars'"):
        build_frame({}, "dask")


def test_columns_are_those_of_all_rows() -> None:
    """A row without a column has None there; a choice of columns keeps its order."""
    rows = [{"a": 1}, {"b": 2, "a": 3}]
    assert columns_of(rows) == {"a": [1, 3], "b": [None, 2]}
    assert list(columns_of(rows, ("b", "c")).items()) == [("b", [None, 2]), ("c", [None, None])]


def test_row_is_flat() -> None:
    """Metrics of a query become columns."""
    row = QueryRow(query_id="q1", query="x", status="ok", metrics={"mrr": 1.0, "map": None})
    flat = flatten(row)
    assert (flat["metrics.mrr"], flat["metrics.map"], flat["tags"]) == (1.0, None, [])


def test_tables_of_structs_with_pandas() -> None:
    """A row a metric or rule, intervals as two numbers; pandas as it is installed reads it."""
    pandas = import_module("pandas")
    report = a_report(metrics={"mrr": a_summary(), "map": a_summary(None, ci=None, reason="x")})
    frame = report.to_frame()
    assert isinstance(frame, pandas.DataFrame)
    assert tuple(frame.columns) == SUMMARY
    assert frame.loc[0, ["metric", "mean", "ci_low", "ci_high"]].tolist() == [
        "mrr",
        0.81,
        0.74,
        0.88,
    ]
    assert frame["ci_low"].isna().tolist() == [False, True]
    compared = a_comparison().to_frame()
    assert tuple(compared.columns) == DIFFERENCE
    assert compared["difference"].tolist() == [-0.01, -0.01]
    gate = Gate(floors=(Floor(metric="recall@5", at_least=0.9),))
    rules = a_verdict(gate=gate).to_frame()
    assert tuple(rules.columns) == RULE
    assert rules.loc[1, ["metric", "observed", "ci_low"]].tolist() == ["recall@5", 0.81, 0.74]


async def test_lists_become_frames() -> None:
    """A row each, whichever client read it."""
    row = QueryRow(query_id="q1", query="x", status="ok", metrics={"mrr": 1.0})

    async def stream() -> AsyncIterator[QueryRow]:
        yield row

    frame = Rows(iter([row])).to_frame("pandas")
    assert frame.loc[0, ["query_id", "metrics.mrr"]].tolist() == ["q1", 1.0]
    assert frame.equals(await AsyncRows(stream()).to_frame("pandas"))


def test_nothing_found_is_a_table_without_rows() -> None:
    """A failed run and a comparison under way have their columns all the same."""
    failed = a_report(metrics=None).to_frame()
    assert (len(failed), tuple(failed.columns)) == (0, SUMMARY)
    assert len(a_pending_comparison().to_frame()) == 0


def test_what_has_no_table_is_refused() -> None:
    """Only structs with a table have one."""
    with pytest.raises(TypeError, match="Run has no table"):
        render(a_run(), None)
