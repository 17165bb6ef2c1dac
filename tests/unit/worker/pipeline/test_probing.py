"""The report of a probe: everything shown, nothing leaked, the best change first."""

from typing import Any

import msgspec
import pytest

from reteval.contract.endpoints import Endpoint
from reteval.contract.outcomes import FailureCode, Outcome, OutcomeStatus
from reteval.contract.probes import Lookup, SentRequest
from worker.pipeline.probing import Exchange, report_probe

SECRET = "s3cret"  # noqa: S105 - made up
SENT = SentRequest(method="POST", url="http://a/", headers={}, body="{}")


class Hider:
    """Takes the secret out."""

    def clean(self, text: str) -> str:
        """Take the secret out, and line breaks."""
        return self.mask(text).replace("\n", " ")

    def mask(self, text: str) -> str:
        """Take the secret out."""
        return text.replace(SECRET, "***")


HIDER = Hider()


def exchange(
    at: int, answer: Any, *, ids: list[str] | None = None, judged: tuple[str, ...] = ()
) -> Exchange:
    """Build an exchange; without ids it failed."""
    outcome = Outcome(
        status=OutcomeStatus.FAILED if ids is None else OutcomeStatus.OK,
        code=FailureCode.SCHEMA if ids is None else None,
        http_status=200,
        ids=ids or [],
        returned=len(ids or []),
        scores=None if ids is None else [1.0] * len(ids),
    )
    return Exchange(
        query_id=f"q{at}",
        query=f"question {at}",
        judged=judged,
        request=SENT,
        outcome=outcome,
        content_type="application/json",
        body=answer if isinstance(answer, bytes) else msgspec.json.encode(answer),
    )


def test_report_shows_hits_ids_and_overlap() -> None:
    """A sound endpoint: first hits, ids, what is judged, and nothing to change."""
    exchanges = [
        exchange(
            at,
            {"results": [{"id": f"d{at}"}, {"id": f"x{at}"}, {"id": "y"}, {"id": "z"}]},
            ids=[f"d{at}", f"x{at}", "y", "z"],
            judged=(f"d{at}", "never"),
        )
        for at in range(4)
    ]
    report = report_probe(exchanges, Endpoint(url="http://a/"), scrub=HIDER)
    first = report.answers[0]
    assert [hit["id"] for hit in first.hits] == ["d0", "x0", "y"]
    assert (first.judged_returned, first.ids[0]) == (("d0",), "d0")
    assert (report.overlap.overlap_q, report.overlap.overlap_id) == (1.0, 0.5)
    assert report.suggestions == ()
    assert report.problems == ()
    assert report.returned is not None
    assert report.judged is not None
    msgspec.json.encode(report)


def test_report_suggests_a_rule_for_ids_that_differ() -> None:
    """Ids that are spelled otherwise: the rule comes first."""
    exchanges = [
        exchange(
            at,
            {"results": [{"id": f"D{at}"}, {"id": f"X{at}"}]},
            ids=[f"D{at}", f"X{at}"],
            judged=(f"d{at}",),
        )
        for at in range(5)
    ]
    report = report_probe(exchanges, Endpoint(url="http://a/"), scrub=HIDER)
    assert report.suggestions[0].patch == {"endpoint": {"id_rule": [{"op": "casefold"}]}}
    assert report.overlap.overlap_q == 0.0


def test_report_takes_secrets_out_and_cuts() -> None:
    """Echoed secrets, long texts, deep and wide parts of a hit are not kept."""
    deep: Any = "end"
    for _ in range(9):
        deep = {"in": deep, "list": [[[[[[1]]]]]]}
    hit = {"id": "a", SECRET: SECRET, "long": "x" * 999, "deep": deep, "vector": [0.1] * 50}
    report = report_probe(
        [exchange(0, {"results": [hit]}, ids=["a"])], Endpoint(url="http://a/"), scrub=HIDER
    )
    shown = msgspec.json.encode(report).decode()
    assert SECRET not in shown
    (kept,) = report.answers[0].hits
    assert len(kept["long"]) == 200
    assert kept["vector"] == [0.1, 0.1, 0.1, "…"]
    assert "…" in str(kept["deep"])


@pytest.mark.parametrize(
    ("endpoint", "answer", "hits"),
    [
        ({"hits": "a.b"}, {"a": {"b": [1, 2]}}, (1, 2)),
        ({"ids": "a"}, {"a": ["x"]}, ("x",)),
        ({"hits": "to_number(@)"}, {"a": [{"id": 1}]}, ({"id": 1},)),
        ({"hits": "join(',', a)"}, {"a": [{"id": 1}]}, ({"id": 1},)),
        ({}, {"data": [{"id": 1}]}, ({"id": 1},)),
        ({}, [{"id": 1}], ({"id": 1},)),
        ({}, {"out": [{"id": 1}]}, ({"id": 1},)),
        ({}, {"out": 7}, ()),
        ({}, b"<html>", ()),
        ({}, b"[" * 200_001, ()),
    ],
)
def test_raw_hits_are_found_as_declared_by_default_or_by_looks(
    endpoint: dict[str, Any], answer: Any, hits: tuple[Any, ...]
) -> None:
    """What was sent as hits is shown whether or not it could be read."""
    report = report_probe([exchange(0, answer)], Endpoint(url="http://a/", **endpoint), scrub=HIDER)
    assert report.answers[0].hits == hits
    assert bool(report.answers[0].answer) is not bool(hits)
    assert len(report.problems) == 1


def test_report_of_nothing_and_with_a_lookup() -> None:
    """No exchange at all is a report without figures; a lookup is passed on."""
    known = Lookup(asked=1, found=1, missing=0, failed=0, examples=())
    report = report_probe([], Endpoint(url="http://a/"), scrub=HIDER, lookup=known)
    assert (report.answers, report.overlap.overlap_q, report.lookup) == ((), None, known)
