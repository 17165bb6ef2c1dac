"""What a run can tell of leakage by itself: between splits, and from the texts of its hits."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from msgspec import UNSET, Struct, UnsetType

from reteval.contract.diagnostics import Diagnostic
from reteval.contract.outcomes import Outcome
from reteval.contract.testsets import Query
from worker.diagnosis.leakage.documents import NO_TEXTS, find_copies
from worker.diagnosis.leakage.findings import tell_leaked, tell_lifted
from worker.diagnosis.leakage.forms import match_within
from worker.diagnosis.leakage.join import Bounds
from worker.diagnosis.leakage.listing import Listing
from worker.diagnosis.leakage.paraphrases import settle
from worker.diagnosis.leakage.subject import MAX_QUERIES, Subject, is_tuning
from worker.diagnosis.leakage.tally import Borders

RUN_BOUNDS: Final = Bounds(candidates=50_000_000, pairs=20_000)
"""For the end of a run, some seconds at most; a check of the set looks further."""
NO_SPLITS: Final = "no_splits"
TOO_MANY_QUERIES: Final = "too_many_queries"
TOO_MANY_ALIKE: Final = "too_many_alike"
_SEVERAL: Final = 2


class Sighting(Struct, frozen=True):
    """Ids of queries that leaked one way; None where nobody could look, and why."""

    ids: frozenset[str] | None
    reason: str | UnsetType = UNSET


class RunLeaks(Struct, frozen=True, kw_only=True):
    """What was seen, and what is to be said of it; so many queries were held to texts."""

    between: Sighting
    lifted: Sighting
    compared: int
    diagnostics: tuple[Diagnostic, ...]


def find_run_leaks(
    queries: Sequence[Query],
    outcomes: Mapping[str, Outcome],
    *,
    relevant_from: int,
    bounds: Bounds = RUN_BOUNDS,
) -> RunLeaks:
    """Look at all queries of a test set, and at the outcomes of those that were sent, by id."""
    split = any(query.split for query in queries)
    if not split and not any(outcome.texts for outcome in outcomes.values()):
        unseen = Sighting(None, NO_SPLITS), Sighting(None, NO_TEXTS)
        return RunLeaks(between=unseen[0], lifted=unseen[1], compared=0, diagnostics=())
    subject = Subject.read(queries)
    copies = find_copies(subject, outcomes, {})
    listing = Listing(subject, {})
    listing.add_copies(copies.found)
    told = tell_lifted(len(copies.places), len(copies.compared), list(listing.pairs()))
    between, said = _look_between(subject, relevant_from, bounds)
    return RunLeaks(
        between=between,
        lifted=Sighting(_name(subject, copies.places))
        if copies.compared
        else Sighting(None, NO_TEXTS),
        compared=len(copies.compared),
        diagnostics=(*said, *told),
    )


def _look_between(
    subject: Subject, relevant_from: int, bounds: Bounds
) -> tuple[Sighting, tuple[Diagnostic, ...]]:
    splits = {split for split in subject.splits if split}
    if len(splits) < _SEVERAL or all(map(is_tuning, splits)):
        return Sighting(None, NO_SPLITS), ()
    if len(subject.queries) > MAX_QUERIES:
        return Sighting(None, TOO_MANY_QUERIES), ()
    matches = match_within(subject.forms, bounds)
    settled = list(settle(matches.found, subject, relevant_from))
    leaked = Borders(subject, settled).leaked
    listing = Listing(subject, {})
    listing.add_within(settled)
    said = tuple(tell_leaked(len(leaked), len(subject.queries), list(listing.pairs())))
    return Sighting(_name(subject, leaked), TOO_MANY_ALIKE if matches.cut else UNSET), said


def _name(subject: Subject, places: Iterable[int]) -> frozenset[str]:
    return frozenset(subject.queries[place].id for place in places)
