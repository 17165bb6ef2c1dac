"""Counts requests by how they ended, with refusals by the endpoint apart from failures."""

from collections import Counter
from collections.abc import Iterable, Mapping
from http import HTTPStatus
from typing import Final

from reteval.contract.outcomes import FailureCode, Outcome, OutcomeStatus

REFUSALS: Final = frozenset(
    {
        HTTPStatus.UNAUTHORIZED,
        HTTPStatus.FORBIDDEN,
        HTTPStatus.NOT_ACCEPTABLE,
        HTTPStatus.TOO_MANY_REQUESTS,
    }
)
"""Answers of a firewall or a limit rather than of a search."""
NAMES: Final = ("ok", "ok_empty", "failed", "blocked", "skipped")
_REFUSAL_CODES: Final = frozenset({FailureCode.ENDPOINT_AUTH, FailureCode.RATE_LIMITED})


def count_statuses(outcomes: Iterable[Outcome]) -> dict[str, int]:
    """Count `ok`, `ok_empty`, `failed`, `blocked` and `skipped`; each outcome counts once."""
    return fill_counts(Counter(map(name_status, outcomes)))


def fill_counts(counts: Mapping[str, int]) -> dict[str, int]:
    """Return the count of every status, 0 for those that do not occur."""
    return {name: counts.get(name, 0) for name in NAMES}


def name_status(outcome: Outcome) -> str:
    """Return the outcome's status, or `blocked` for a request the endpoint refused to serve."""
    refused = outcome.http_status in REFUSALS or outcome.code in _REFUSAL_CODES
    if outcome.status is OutcomeStatus.FAILED and refused:
        return "blocked"
    return outcome.status.value
