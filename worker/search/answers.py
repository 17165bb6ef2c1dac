"""What an answer holds once it is read, and the rules that make values ids and scores."""

import math
from collections.abc import Sequence
from typing import Any

from msgspec import UNSET, Struct

from reteval.contract.outcomes import FailureCode


class AnswerError(Exception):
    """An answer that cannot be used; only what it calls an error is quoted from it."""

    def __init__(self, code: FailureCode, detail: str) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail


class Answer(Struct, frozen=True):
    """Ids in the order delivered, cut at the depth; `returned` counts them before the cut.

    `scores` is None unless every hit carried one. `hits` counts what the endpoint delivered
    where hits are rolled up into documents, None elsewhere. `took_ms` and `total` are the
    endpoint's own words.
    """

    ids: list[str]
    scores: list[float] | None
    returned: int
    hits: int | None = None
    total: int | None = None
    took_ms: float | None = None


def to_id(value: object, rank: int) -> str:
    """Return an id as text.

    Raises:
        AnswerError: it is neither text nor an integer. A hit left out would shift every rank
            behind it, so one without an id spoils the answer.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    what = "no id" if value is UNSET or value is None else f"an id of type {type(value).__name__}"
    raise AnswerError(
        FailureCode.SCHEMA, f"hit {rank} has {what}; every hit needs one, text or integer"
    )


def to_scores(values: Sequence[Any]) -> list[float] | None:
    """Return the scores if every hit has one; None for none at all or for gaps.

    They are kept for the record alone: integers beyond 2**53 lose digits, and no rank depends
    on them.

    Raises:
        AnswerError: one is no number, or no finite one.
    """
    if not values or any(value is UNSET or value is None for value in values):
        return None
    return [_to_score(value, rank) for rank, value in enumerate(values)]


def _to_score(value: object, rank: int) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise AnswerError(FailureCode.SCHEMA, f"the score of hit {rank} is no number")
    try:
        score = float(value)
    except OverflowError:
        score = math.inf
    except ValueError as exc:
        raise AnswerError(FailureCode.SCHEMA, f"the score of hit {rank} is no number") from exc
    if not math.isfinite(score):
        raise AnswerError(FailureCode.INVALID_RESPONSE, f"the score of hit {rank} is not finite")
    return score
