"""Other lists and fields of raw answers: found where judged ids are in them."""

from collections.abc import Callable
from typing import Any

import pytest
from msgspec import UNSET

from reteval.contract.endpoints import Endpoint
from worker.diagnosis.ids.fields import Asked, describe_lists, suggest_fields, suggest_mapping

Shape = Callable[[list[str]], Any]


def asked(shape: Shape, *, queries: int = 5, read: bool = False) -> list[Asked]:
    """Build answers in which each query's document stands second of three."""
    rows = []
    for at in range(queries):
        documents = [f"d{at + 50}", f"d{at}", f"d{at + 90}"]
        rows.append(
            Asked(
                query_id=f"q{at}",
                judged=[f"d{at}"],
                answer=shape(documents),
                ids=[f"row{at}", f"row{at + 1}"] if read else [],
            )
        )
    return rows


def hits(documents: list[str], **more: Callable[[str], Any]) -> list[Any]:
    """Build hits with the document in the metadata."""
    return [
        {"id": f"row{at}", "score": 1 - at / 10, "metadata": {"source": document}}
        | {name: make(document) for name, make in more.items()}
        for at, document in enumerate(documents)
    ]


@pytest.mark.parametrize(
    ("shape", "endpoint", "patch"),
    [
        (lambda d: {"results": hits(d)}, {}, {"id": "metadata.source"}),
        (lambda d: {"hits": {"hits": hits(d)}}, {}, {"hits": "hits.hits", "id": "metadata.source"}),
        (lambda d: {"out": hits(d)}, {"hits": "out"}, {"id": "metadata.source"}),
        (lambda d: {"ids": [d]}, {}, {"ids": "ids[0]"}),
        (lambda d: {"rows": [[x, 0.5] for x in d]}, {}, {"hits": "rows", "id": "[0]"}),
        (lambda d: {"docs": [{"id": x} for x in d]}, {}, {"hits": "docs", "id": "id"}),
    ],
    ids=["field", "list and field", "declared list", "parallel array", "rows", "list"],
)
def test_judged_ids_are_found_in_raw_answers(
    shape: Shape, endpoint: dict[str, Any], patch: dict[str, str]
) -> None:
    """The patch names the list and the field that hold them, and leaves out what is right."""
    found = suggest_fields(asked(shape, read=True), Endpoint(url="http://a/", **endpoint))
    assert found[0].patch == {"endpoint": patch}
    assert found[0].proven
    assert found[0].before is not UNSET
    assert found[0].before.overlap_q == 0.0
    assert found[0].after is not UNSET
    assert found[0].after.overlap_q == 1.0
    assert found[0].examples[0].query_id == "q0"


def test_judged_ids_in_another_field_and_spelling() -> None:
    """A field that holds them behind a prefix is named with the rule that takes it off."""
    found = suggest_fields(
        asked(lambda d: {"results": hits([f"kb:{x}" for x in d])}, read=True),
        Endpoint(url="http://a/"),
    )
    rule = [{"op": "strip_prefix", "text": "kb:"}]
    assert found[0].patch == {"endpoint": {"id": "metadata.source", "id_rule": rule}}


def test_where_ids_are_read_already_nothing_is_suggested() -> None:
    """The place that is read now is no alternative to itself."""
    rows = asked(lambda d: {"results": [{"id": x} for x in d]})
    assert suggest_fields(rows, Endpoint(url="http://a/")) == []
    listed = asked(lambda d: d)
    assert suggest_fields(listed, Endpoint(url="http://a/")) == []
    arrays = asked(lambda d: {"ids": d})
    assert suggest_fields(arrays, Endpoint(url="http://a/", ids="ids")) == []


def test_lists_are_described_with_overlap() -> None:
    """Each field that may be the id says how far it meets; a score has nothing to meet."""
    (found,) = describe_lists(asked(lambda d: {"out": hits(d)}))
    assert (found.path, found.length) == ("out", 3)
    fields = {field.path: field for field in found.fields}
    source = fields["metadata.source"]
    assert (source.looks_like, source.samples) == ("id", ("d50", "d0", "d90"))
    assert source.overlap is not UNSET
    assert source.overlap.overlap_q == 1.0
    assert fields["score"].overlap is UNSET


def test_answers_of_different_shape_are_put_together() -> None:
    """An answer without the list counts as one without ids."""
    rows = [*asked(lambda d: {"out": hits(d)}), *asked(lambda _: {"error": "busy"}, queries=1)]
    (found,) = describe_lists(rows)
    source = next(field for field in found.fields if field.path == "metadata.source")
    assert source.overlap is not UNSET
    assert source.overlap.answers == 6


def test_mapping_is_guessed_by_looks_without_judgments() -> None:
    """Where nothing is judged, the list and the field that look right are named as a guess."""
    rows = [Asked(query_id="q", judged=(), answer={"out": hits(["a", "b"])}, ids=())]
    (found,) = suggest_mapping(rows, Endpoint(url="http://a/"))
    assert found.patch == {"endpoint": {"hits": "out", "id": "id"}}
    assert not found.proven
    nothing = [Asked(query_id="q", judged=(), answer={"out": [{"x": True}]}, ids=())]
    assert suggest_mapping(nothing, Endpoint(url="http://a/")) == []
