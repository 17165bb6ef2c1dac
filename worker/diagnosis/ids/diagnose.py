"""Judged against returned ids: do they meet, more than by chance, and what would help?"""

from enum import StrEnum
from functools import partial
from typing import Final

from msgspec import Struct

from reteval.contract.probes import IdPair, Suggestion
from worker.diagnosis.ids.advice import suggest
from worker.diagnosis.ids.lists import (
    LOOKED_AT,
    SAMPLE,
    IdLists,
    Meeting,
    compare_with_chance,
    find_strays,
    list_ids,
    measure,
)
from worker.diagnosis.ids.profile import shape
from worker.diagnosis.ids.search import find_rules
from worker.diagnosis.ids.transforms import Rule

LOW: Final = 0.2
NO_BETTER: Final = 0.05
MIN_LOW: Final = 5
"""Answers from which on a small share of them says anything."""
MIN_STRAYS: Final = 10
_MOST: Final = 0.5
_OWNERS: Final = 0.6
MIN_ORPHANS: Final = 5


class State(StrEnum):
    """What the ids of a run look like, gravest first."""

    NOTHING_TO_COMPARE = "nothing_to_compare"
    APART = "apart"
    SWAPPED = "swapped"
    LOW = "low"
    NO_BETTER_THAN_CHANCE = "no_better_than_chance"
    PARTLY_APART = "partly_apart"
    FINE = "fine"


class IdDiagnosis(Struct, frozen=True, kw_only=True):
    """What was found. `p` compares with exchanged answers; `orphans` have a foreign shape."""

    state: State
    meeting: Meeting
    p: float | None = None
    suggestions: tuple[Suggestion, ...] = ()
    examples: tuple[IdPair, ...] = ()
    orphans: tuple[str, ...] = ()
    strays: int = 0


def diagnose_ids(lists: IdLists) -> IdDiagnosis:
    """Compare the ids of answered, judged queries; answers without ids are left out."""
    lists = keep_filled(lists).thin(answers=SAMPLE, places=LOOKED_AT)
    meeting = measure(lists)
    if not lists.n:
        return IdDiagnosis(state=State.NOTHING_TO_COMPARE, meeting=meeting)
    strays, owners = find_strays(lists)
    swapped = lists.n >= MIN_STRAYS and strays >= _MOST * lists.n and owners >= _OWNERS * strays
    apart = set(list_ids(lists.judged)).isdisjoint(list_ids(lists.returned))
    p = compare_with_chance(lists)
    state = State.FINE
    if apart:
        state = State.APART
    elif lists.n >= MIN_LOW and meeting.share < LOW:
        state = State.LOW
    elif p is not None and p > NO_BETTER:
        state = State.NO_BETTER_THAN_CHANCE
    if state is State.FINE:
        return _look_for_orphans(lists, meeting, p)
    suggestions = tuple(suggest(found) for found in find_rules(lists))
    if swapped and not suggestions:
        state = State.SWAPPED
    elif meeting.met == 0 and suggestions:
        state = State.APART
    return IdDiagnosis(state=state, meeting=meeting, p=p, suggestions=suggestions, strays=strays)


def keep_filled(lists: IdLists) -> IdLists:
    """Leave out queries without judgments and answers without ids."""
    rows = zip(lists.query_ids, lists.judged, lists.returned, strict=True)
    kept = [row for row in rows if row[1] and row[2]]
    return IdLists(
        query_ids=[row[0] for row in kept],
        judged=[row[1] for row in kept],
        returned=[row[2] for row in kept],
    )


def _look_for_orphans(lists: IdLists, meeting: Meeting, p: float | None) -> IdDiagnosis:
    """Look for judged ids that are spelled as no returned id is, and for what would mend them."""
    returned = list_ids(lists.returned)
    known, shapes = set(returned), set(map(shape, returned))
    orphans = [
        [text for text in ids if text not in known and shape(text) not in shapes]
        for ids in lists.judged
    ]
    fine = IdDiagnosis(state=State.FINE, meeting=meeting, p=p)
    if sum(map(len, orphans)) < MIN_ORPHANS:
        return fine
    rows = [at for at in range(lists.n) if orphans[at]]
    apart = IdLists(
        query_ids=[lists.query_ids[at] for at in rows],
        judged=[orphans[at] for at in rows],
        returned=[lists.returned[at] for at in rows],
    )
    accept = partial(_loses_nothing, lists, meeting)
    suggestions = tuple(suggest(found) for found in find_rules(apart, accept=accept))
    if not suggestions:
        return fine
    return IdDiagnosis(
        state=State.PARTLY_APART,
        meeting=meeting,
        p=p,
        suggestions=suggestions,
        orphans=tuple(list_ids(orphans)),
    )


def _loses_nothing(lists: IdLists, before: Meeting, rule: Rule) -> bool:
    after = measure(lists.respell(judged=rule.judged, returned=rule.returned))
    return after.ids_met > before.ids_met and after.met >= before.met
