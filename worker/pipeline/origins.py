"""Whose word the judgments of a test set are, and how old they are."""

from collections import Counter
from collections.abc import Iterable
from itertools import chain
from operator import attrgetter
from typing import Final

from msgspec import UNSET

from reteval.contract.results import JudgmentOrigins
from reteval.contract.testsets import Judgment, JudgmentSource, Query

UNSTATED: Final = "unstated"
_SOURCE: Final = attrgetter("source")
_AT: Final = attrgetter("at")


def describe_origins(queries: Iterable[Query]) -> JudgmentOrigins:
    """Count the judgments of queries by source, and tell their age where they say it."""
    judgments: list[Judgment] = list(chain.from_iterable(q.relevant or () for q in queries))
    count = len(judgments)
    sources = Counter(map(_SOURCE, judgments))
    dates = sorted((at for at in map(_AT, judgments) if at is not UNSET), key=_in_time)
    return JudgmentOrigins(
        count=count,
        sources={
            UNSTATED if source is UNSET else source.value: sources[source] / count
            for source in (*JudgmentSource, UNSET)
            if sources[source]
        },
        dated=len(dates),
        oldest=dates[0] if dates else None,
        median=dates[(len(dates) - 1) // 2] if dates else None,
        newest=dates[-1] if dates else None,
        reason=UNSET if dates else "no_dates",
    )


def _in_time(moment: str) -> str:
    # Without the Z, a whole second sorts before its fractions.
    return moment.removesuffix("Z")
