"""A test set is divided, tuned on, looked at and worn out, over the whole service."""

from collections.abc import Iterator
from typing import Any

import pytest

from reteval import Client, RunStatus
from reteval.contract.comparisons import Comparison
from reteval.contract.diagnostics import DiagnosticCode, Severity
from reteval.contract.results import Results
from reteval.contract.splits import HoldoutLooks, SplitReport, SplitShare
from reteval.errors import ConflictError, InvalidError
from tests.endpoint import Answer, rankings, serve_answers

N = 30
QUERIES = [
    {
        "id": f"q{number}",
        "query": f"question {number}",
        "relevant_ids": [f"d{number}", *([f"e{number}"] if number % 3 == 0 else [])],
        "source": "log" if number % 2 else "faq",
    }
    for number in range(N)
]
VARIANT = {
    "id": "v1",
    "query": "qestion 1",
    "parent": "q1",
    "kind": "typo.mixed",
    "relevant_ids": ["d1"],
}
RIGHT = {f"question {number}": [f"d{number}", "x"] for number in range(N)}
MORE = {"query": "question more", "relevant_ids": ["m"], "split": "tune"}


@pytest.fixture
def divided(client: Client, request: pytest.FixtureRequest) -> SplitReport:
    """Upload a set under a name of its own, and divide it."""
    client.upload({"name": request.node.name, "queries": [*QUERIES, VARIANT]})
    return client.split(request.node.name, holdout=0.4, seed=7, stratify_by=["source"])


@pytest.fixture
def url() -> Iterator[str]:
    """Serve an endpoint that finds everything."""
    extra = {"qestion 1": ["d1"], "question more": ["m"]}
    with serve_answers(rankings({**RIGHT, **extra})) as endpoint:
        yield f"{endpoint.url}?port=any"


def run(client: Client, url: str, test_set: str, **changes: Any) -> Results:
    """Run to the end and return the report."""
    body = {"test_set": test_set, "endpoint": {"url": url}, **changes}
    ended = client.wait(client.run(body).id, timeout_s=60)
    assert ended.status is RunStatus.COMPLETED
    return client.results(ended.id)


def compare(client: Client, one: Results, other: Results, **asked: Any) -> Comparison:
    """Compare two runs."""
    made = client.compare({"baseline": one.id, "candidate": other.id, **asked}, wait=20)
    assert made.report is not None
    return made


def codes(report: Results) -> dict[DiagnosticCode, Severity]:
    """Return what was found, with its severity."""
    return {found.code: found.severity for found in report.diagnostics}


def test_a_run_over_a_split_is_of_its_queries_alone(
    client: Client, url: str, divided: SplitReport
) -> None:
    """Planned, counted, sliced and warned of is what the split has; the rest is outside."""
    assert (divided.tune, divided.holdout, divided.test_set.version) == (18, 12, 2)
    splits = {query.id: query.split for query in client.queries(divided.test_set.id)}
    assert splits["v1"] == splits["q1"]
    body = {"test_set": divided.test_set.id, "endpoint": {"url": url}, "split": "tune"}
    started = client.run(body)
    assert (started.planned.clean, started.split) == (18, SplitShare(name="tune", outside=12))
    client.wait(started.id, timeout_s=60)
    report = client.results(started.id)
    assert (report.num_queries, report.counts.planned, report.counts.ok) == (18, 18, 18)
    assert report.split == SplitShare(name="tune", outside=12)
    assert report.slices["split:tune"].n == 18
    assert "split:holdout" not in report.slices
    (few,) = [d for d in report.diagnostics if d.code is DiagnosticCode.FEW_QUERIES]
    assert few.evidence[0]["scorable"] == 18
    asked = {row.query_id for row in client.query_rows(started.id)}
    assert asked == {each for each, split in splits.items() if split == "tune"} - {"v1"}
    with pytest.raises(InvalidError, match="split") as refused:
        client.run({**body, "split": "train"})
    (item,) = refused.value.errors
    assert (item.pointer, item.fix) == (
        "/split",
        "Use one of tune, holdout, or leave it out for all queries.",
    )


def test_looks_at_the_holdout_are_counted_once_each(
    client: Client, url: str, divided: SplitReport
) -> None:
    """Runs and rescorings with hold-out queries are looks, in the report, list and comparison."""
    test_set = divided.test_set.id
    tuned = run(client, url, test_set, split="tune")
    whole = run(client, url, test_set)
    held = run(client, url, test_set, split="holdout")
    child = client.wait(client.rescore(whole.id, {"split": "holdout"}).id, timeout_s=60)
    again = client.results(child.id)
    assert again.split == SplitShare(name="holdout", outside=18)
    assert again.num_queries == 12
    assert [report.holdout_looks for report in (whole, held, again)] == [
        HoldoutLooks(look=look, total=look) for look in (1, 2, 3)
    ]
    assert not tuned.holdout_looks
    assert DiagnosticCode.HOLDOUT_WORN not in codes(held)
    assert codes(again)[DiagnosticCode.HOLDOUT_WORN] is Severity.INFO
    listed = {row.id: row.holdout_looks for row in client.runs(test_set=test_set)}
    assert listed[whole.id] == HoldoutLooks(look=1, total=3)
    assert listed[tuned.id] is None
    report = compare(client, held, again).report
    assert report is not None
    assert report.candidate.holdout_looks == HoldoutLooks(look=3, total=3)
    assert any(text.startswith("holdout_worn: ") for text in report.warnings)


def test_a_version_with_the_same_holdout_is_not_unseen(
    client: Client, url: str, divided: SplitReport
) -> None:
    """Queries added to tune make a version, and no new hold-out; another text makes one."""
    run(client, url, divided.test_set.id, split="holdout")
    queries = list(client.queries(divided.test_set.id))
    wider = client.upload({"name": divided.test_set.name, "queries": [*queries, MORE]})
    second = run(client, url, wider.id, split="holdout")
    assert second.holdout_looks == HoldoutLooks(look=2, total=2)
    other = client.split(wider.name, holdout=0.4, seed=8)
    third = run(client, url, other.test_set.id, split="holdout")
    assert third.holdout_looks == HoldoutLooks(look=1, total=1)


def test_splits_are_compared_by_what_both_asked(
    client: Client, url: str, divided: SplitReport
) -> None:
    """Runs over different splits compare only on demand, and over their common queries."""
    tuned = run(client, url, divided.test_set.id, split="tune")
    whole = run(client, url, divided.test_set.id)
    with pytest.raises(ConflictError, match="splits"):
        compare(client, tuned, whole)
    report = compare(client, tuned, whole, on="intersection").report
    assert report is not None
    assert (report.n_common, report.baseline.split) == (18, "tune")
    assert any(text.startswith("other_split: ") for text in report.warnings)
    series = {each.split for each in client.trend(divided.test_set.id).series}
    assert series == {"", "tune"}


def test_difficulty_comes_from_three_earlier_runs(client: Client, divided: SplitReport) -> None:
    """Absent with a reason at first; then queries that were missed before are the hard ones."""
    missed = {f"question {number}" for number in range(12)}
    answers = {text: ["x"] if text in missed else ids for text, ids in RIGHT.items()}
    with serve_answers(found(answers)) as endpoint:
        url = f"{endpoint.url}?port=any"
        reports = [run(client, url, divided.test_set.id) for _ in range(4)]
    before, last = reports[2:]
    assert "absent: 2 earlier runs" in before.definitions["slices"]["difficulty"]
    assert "difficulty:hard" not in before.slices
    assert "from 3 earlier runs with ndcg@10" in last.definitions["slices"]["difficulty"]
    assert last.slices["difficulty:hard"].n == 12
    rows = client.query_rows(last.id, slice_name="difficulty:hard")
    assert {row.query for row in rows} == missed
    assert last.slices["relevant:1"].n + last.slices["relevant:2-3"].n == N
    lengths = list(client.query_rows(last.id, slice_name="length:2-3"))
    assert len(lengths) == last.slices["length:2-3"].n == N
    assert list(client.query_rows(last.id, slice_name="source:none")) == []
    with pytest.raises(InvalidError, match="slice"):
        list(client.query_rows(last.id, slice_name="colour:red"))


def test_a_holdout_that_is_too_good_is_found(client: Client, divided: SplitReport) -> None:
    """What was tuned should do no better on what it has not seen."""
    held = {q.query for q in client.queries(divided.test_set.id) if q.split == "holdout"}
    answers = {text: ids if text in held else ["x"] for text, ids in RIGHT.items()}
    with serve_answers(found(answers)) as endpoint:
        report = run(client, f"{endpoint.url}?port=any", divided.test_set.id)
    assert codes(report)[DiagnosticCode.HOLDOUT_BETTER_THAN_TUNE] is Severity.WARN
    assert report.slices["split:holdout"].metrics["mrr"].mean == 1
    assert report.slices["split:tune"].metrics["mrr"].mean == 0


def found(answers: dict[str, list[str]]) -> Answer:
    """Answer these lists, and one for the variant."""
    return rankings({**answers, "qestion 1": ["x"]})
