from reteval.contract.outcomes import Outcome, OutcomeRow, OutcomeStatus
from reteval.contract.trec import write_run


def test_trec_run_keeps_order_and_repeats() -> None:
    """Scores fall by one a rank; a repeat keeps its slot under another name."""
    outcome = Outcome(status=OutcomeStatus.OK, ids=["a", "b c", "a"], returned=3)
    row = OutcomeRow(query_id="q 1", query="x", outcome=outcome)
    assert write_run([row], depth=3, tag="t").splitlines() == [
        "q%201 Q0 a 1 3 t",
        "q%201 Q0 b%20c 2 2 t",
        "q%201 Q0 a~dup3 3 1 t",
    ]
