"""From what a run found to a labelled version, and to what two versions' runs have in common."""

import csv
import io
from pathlib import Path

import pytest

from reteval import Client
from reteval.contract.differences import ChangeCounts
from reteval.contract.runs import RunStatus
from tests.endpoint import rankings, serve_answers

SET = {
    "name": "labels",
    "queries": [
        {
            "id": f"q{number}",
            "query": f"question {number}",
            "relevant": [{"id": f"a{number}", "source": "import", "at": "2025-06-01T00:00:00Z"}],
        }
        for number in range(4)
    ],
}
LISTS = {f"question {number}": [f"-b{number}", f"a{number}"] for number in range(4)}


def start(client: Client, test_set: str) -> str:
    """Run against an endpoint with fixed answers, to the end."""
    with serve_answers(rankings(LISTS)) as endpoint:
        started = client.run(
            {"test_set": test_set, "endpoint": {"url": endpoint.url}, "metrics": ["mrr"]}
        )
        assert client.wait(started.id, timeout_s=60).status is RunStatus.COMPLETED
    return started.id


def test_filled_in_list_becomes_a_version_that_runs_are_scored_on(
    client: Client, tmp_path: Path
) -> None:
    """The list of what to label, filled in and sent back, rates; reports and comparisons say so."""
    made = client.upload(SET)
    before = start(client, made.id)
    rows = list(csv.DictReader(io.StringIO(client.export_unjudged("labels").decode())))
    assert [row["docid"] for row in rows] == [f"'-b{number}" for number in range(4)]
    filled = tmp_path / "filled.csv"
    with filled.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows({**row, "rating": "3" if n < 3 else ""} for n, row in enumerate(rows))

    child = client.create_version(
        "labels", filled, rater="anna", source="human", at="2026-01-31T12:00:00Z", note="by hand"
    )
    assert child.changes is not None
    assert (child.changes.judgments, child.note) == (ChangeCounts(added=3), "by hand")
    assert [one.id for one in client.versions("labels")] == [child.id, made.id]
    assert [row.document_id for row in client.diff_rows(child.id, limit=2)] == ["-b0", "-b1", "-b2"]

    after = start(client, "labels")
    origins = client.results(after).test_set.judgments
    assert origins
    assert (origins.count, origins.dated) == (7, 7)
    assert origins.sources == {"human": pytest.approx(3 / 7), "import": pytest.approx(4 / 7)}
    assert (origins.oldest, origins.median, origins.newest) == (
        "2025-06-01T00:00:00Z",
        "2025-06-01T00:00:00Z",
        "2026-01-31T12:00:00Z",
    )
    found = client.compare(
        {"baseline": before, "candidate": after, "on": "intersection"}, wait=30
    ).report
    assert found
    assert found.test_set_changes == child.changes
    (warning,) = [text for text in found.warnings if text.startswith("other_test_set: ")]
    assert "judgments 3 added, 0 removed, 0 changed" in warning
    assert f"`reteval rescore {before} --test-set {child.id}`" in warning

    rescored = client.rescore(before, {"test_set": child.id})
    client.wait(rescored.id, timeout_s=60)
    same = client.compare({"baseline": rescored.id, "candidate": after}, wait=30).report
    assert same
    assert not same.test_set_changes
    assert not [text for text in same.warnings if text.startswith("other_test_set")]
