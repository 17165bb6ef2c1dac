"""What a suite's run is, from the states of its runs."""

from itertools import product

import pytest

from reteval.contract.runs import TERMINAL, RunStatus
from service.core.suite_runs import tell_status

DONE, ERRORS = RunStatus.COMPLETED, RunStatus.COMPLETED_WITH_ERRORS
FAILED, CANCELLED = RunStatus.FAILED, RunStatus.CANCELLED
QUEUED, RUNNING = RunStatus.QUEUED, RunStatus.RUNNING


@pytest.mark.parametrize(
    ("statuses", "expected"),
    [
        ([QUEUED, QUEUED], QUEUED),
        ([QUEUED, DONE], RUNNING),
        ([RUNNING, FAILED], RUNNING),
        ([DONE, RunStatus.FINALISING], RUNNING),
        ([DONE, DONE], DONE),
        ([DONE, ERRORS], ERRORS),
        ([DONE, FAILED], ERRORS),
        ([DONE, None], ERRORS),
        ([FAILED, FAILED], FAILED),
        ([FAILED, None], FAILED),
        ([None, None], FAILED),
        ([DONE, CANCELLED], CANCELLED),
        ([CANCELLED, CANCELLED], CANCELLED),
        ([QUEUED, None], QUEUED),
    ],
)
def test_status_is_that_of_the_runs(statuses: list[RunStatus | None], expected: RunStatus) -> None:
    """Queued, running, then how all of it went; a deleted run has no numbers."""
    assert tell_status(statuses) is expected


def test_a_suite_has_ended_when_all_its_runs_have() -> None:
    """Terminal exactly if every run that is left is terminal, in any order."""
    for statuses in product((*RunStatus, None), repeat=3):
        left = [status for status in statuses if status is not None]
        assert tell_status([*statuses]).terminal == all(status in TERMINAL for status in left)
        assert tell_status([*statuses]) is tell_status([*reversed(statuses)])
