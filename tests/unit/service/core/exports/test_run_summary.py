"""The Markdown export of a run."""

from service.core.exports.run_summary import write_summary
from tests.unit.reteval.documents import a_report, a_summary


def test_summary_has_a_row_for_each_metric() -> None:
    """Means stand with their intervals; what is null has its reason, a name does nothing."""
    metrics = {
        "recall@5": a_summary(0.8125),
        "mrr": a_summary(0.5, ci=None, reason="too_few"),
        "map": a_summary(None, ci=None, reason="no_answer"),
    }
    lines = list(write_summary(a_report(label="a|b", metrics=metrics)))
    assert lines[0] == "### a&#124;b: completed"
    assert lines[4:7] == [
        "| recall@5 | 0.812 | 0.740 to 0.880 | 49 |",
        "| mrr | 0.500 | too&#95;few | 49 |",
        "| map | no&#95;answer | no&#95;answer | 49 |",
    ]
    assert "- **warn** few&#95;queries: 5 queries are too few to trust" in lines
    assert lines[-1].startswith(
        "50 queries, 0 failed, 0 skipped. Run run&#95;1 over docs version 2"
    )


def test_run_without_numbers_says_why() -> None:
    """A failed run has no table, and its reason."""
    lines = list(write_summary(a_report(metrics=None, reason="endpoint_down")))
    assert "No result: endpoint&#95;down." in lines
    assert not [line for line in lines if line.startswith("|")]
