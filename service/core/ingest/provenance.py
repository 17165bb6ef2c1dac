"""Who judged, when and how: checked and kept with the judgments, though no number depends on it."""

import re
from collections.abc import Iterator
from datetime import datetime
from operator import attrgetter
from typing import Final

from msgspec import UNSET, UnsetType

from reteval.contract import limits
from reteval.contract.problems import ProblemItem
from reteval.contract.testsets import Judgment
from service.core.ingest.labels import find_flaw
from service.core.ingest.located import Located

_STATED: Final = attrgetter("rater", "at", "source")
_NOTHING: Final = {(UNSET, UNSET, UNSET)}
_MOMENT: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z", re.ASCII)


def keep_provenance(
    item: Located, sent: list[Judgment], kept: list[Judgment]
) -> Iterator[ProblemItem]:
    """Put what was `sent` about each judgment into those `kept`, and tell what is wrong with it.

    Of a document judged alike twice, the first judgment's provenance is kept.
    """
    stated = set(map(_STATED, sent))
    if stated <= _NOTHING:
        return
    flaws = {one: tuple(find_flaws(*one)) for one in {(rater, at) for rater, at, _ in stated}}
    first: dict[str, Judgment] = {}
    for n, judgment in enumerate(sent):
        for part, flaw, fix in flaws[judgment.rater, judgment.at]:
            yield item.problem(flaw, fix, part=f"/relevant/{n}/{part}", judgment=n)
        first.setdefault(str(judgment.id), judgment)
    for place, judgment in enumerate(kept):
        kept[place] = Judgment(judgment.id, judgment.grade, *_STATED(first[str(judgment.id)]))


def find_flaws(rater: str | UnsetType, at: str | UnsetType) -> Iterator[tuple[str, str, str]]:
    """Yield the field, what is wrong with it, and how to mend it."""
    if rater is not UNSET and (flaw := find_flaw(rater, limits.MAX_NAME_BYTES)):
        yield "rater", f"rater {flaw[0]}", flaw[1]
    if at is not UNSET and not is_moment(at):
        yield "at", f"at {at[:64]!r} is no moment in UTC", "Write it as 2026-01-31T12:00:00Z."


def is_moment(text: str) -> bool:
    """Whether a text names a moment in UTC that there is, to the microsecond at most."""
    if not _MOMENT.fullmatch(text):
        return False
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True
