"""Plans the requests of each kind: variants made here, and those that stand in the test set."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from msgspec import Struct

from reteval.contract.kinds import SUITE, Kind
from reteval.contract.outcomes import PlannedRequest
from reteval.contract.testsets import Query
from worker.adversarial.draws import Draws, derive_seed
from worker.adversarial.registry import GENERATORS
from worker.adversarial.variant import Made, NotApplicable, Subject, Variant
from worker.adversarial.vocabulary import Vocabulary
from worker.adversarial.words import Word, fold

USER_SEVERITY: Final = 1
REPEATING_FAMILY: Final = "control"
"""The family whose variants are the query itself."""


class KindPlan(Struct, frozen=True, kw_only=True):
    """A kind at a severity that was asked for, whether or not any query took it.

    `source` is "generated", or "user" for variants that stand in the test set.
    `not_applicable` counts queries that gave no variant, by reason.
    """

    kind: str
    severity: int
    source: str
    not_applicable: dict[str, int]


class Setting(Struct, frozen=True, kw_only=True):
    """What all variants of a run share. `taken` are the folded texts of the set's queries.

    `paraphrases` are what a model made of queries, by their ids; the last entry stands for all
    that follow.
    """

    seed: int
    vocabulary: Vocabulary
    taken: frozenset[str]
    paraphrases: Mapping[str, tuple[Made, ...]] = {}

    def find_given(self, query_id: str, replicate: int) -> Made:
        """Return what a model made of a query."""
        given = self.paraphrases.get(query_id, (NotApplicable("model_not_asked"),))
        return given[min(replicate, len(given) - 1)]


class Cell(Struct, frozen=True):
    """One variant to be made of a query."""

    kind: Kind
    severity: int
    replicate: int = 0


def make_variant(query: Query, cell: Cell, setting: Setting) -> Made:
    """Make one variant, and refuse one that says the same as a query of the set."""
    return _make(query, cell, setting, setting.vocabulary.find_words(query.query))


def _make(query: Query, cell: Cell, setting: Setting, words: Sequence[Word]) -> Made:
    kind = cell.kind
    seed = derive_seed(
        SUITE, setting.seed, kind.name, cell.severity, cell.replicate, query.id, query.query
    )
    subject = Subject(
        text=query.query,
        words=words,
        severity=cell.severity,
        draws=Draws(seed),
        vocabulary=setting.vocabulary,
        given=setting.find_given(query.id, cell.replicate),
    )
    made = GENERATORS[kind.name](subject)
    if isinstance(made, NotApplicable) or kind.family == REPEATING_FAMILY:
        return made
    if not made.text.strip():
        return NotApplicable("nothing_left")
    if kind.invariant:
        return NotApplicable("unchanged") if made.text == query.query else made
    return admit(made, query.query, setting.taken)


def admit(made: Variant, original: str, taken: frozenset[str]) -> Made:
    """Refuse a variant that says the same as its query, or as one of the folded texts `taken`."""
    folded = fold(made.text)
    if folded == fold(original):
        return NotApplicable("unchanged")
    return NotApplicable("equals_other_query") if folded in taken else made


def plan_generated(
    queries: Iterable[Query], kinds: Sequence[tuple[Kind, int]], setting: Setting
) -> tuple[list[PlannedRequest], list[KindPlan]]:
    """Plan every kind of one query before the next: a run cut short is whole for some queries.

    A query counts as not applicable when none of its replicates gave a variant.
    """
    planned: list[PlannedRequest] = []
    refused: list[Counter[str]] = [Counter() for _ in kinds]
    for query in queries:
        words = setting.vocabulary.find_words(query.query)
        for (kind, severity), reasons in zip(kinds, refused, strict=True):
            variants, reason = _plan_query(query, kind, severity, setting, words)
            planned += variants
            if not variants:
                reasons[reason] += 1
    return planned, [
        KindPlan(
            kind=kind.name, severity=severity, source="generated", not_applicable=dict(reasons)
        )
        for (kind, severity), reasons in zip(kinds, refused, strict=True)
    ]


def _plan_query(
    query: Query, kind: Kind, severity: int, setting: Setting, words: Sequence[Word]
) -> tuple[list[PlannedRequest], str]:
    """Return the variants of a query, and why the last one that is missing is missing."""
    planned: list[PlannedRequest] = []
    reason = ""
    for replicate in range(kind.count(severity)):
        made = _make(query, Cell(kind, severity, replicate), setting, words)
        if isinstance(made, NotApplicable):
            reason = made.reason
            continue
        planned.append(
            PlannedRequest(
                query_id=query.id,
                text=made.text,
                kind=kind.name,
                severity=severity,
                replicate=replicate,
                original=query.query,
                ops=made.ops,
                generated=True,
            )
        )
    return planned, reason


def plan_user_variants(
    queries: Iterable[Query], clean: dict[str, Query]
) -> tuple[list[PlannedRequest], list[KindPlan]]:
    """Plan the variants that stand in the set; those of a query that is not scored are counted."""
    planned: list[PlannedRequest] = []
    refused: dict[str, Counter[str]] = {}
    replicates: Counter[tuple[str, str]] = Counter()
    for query in queries:
        if not query.parent:
            continue
        reasons = refused.setdefault(query.kind, Counter())
        parent = clean.get(query.parent)
        if parent is None:
            reasons["parent_not_scored"] += 1
            continue
        planned.append(
            PlannedRequest(
                query_id=query.id,
                text=query.query,
                kind=query.kind,
                severity=USER_SEVERITY,
                replicate=replicates[query.parent, query.kind],
                original=parent.query,
            )
        )
        replicates[query.parent, query.kind] += 1
    return planned, [
        KindPlan(kind=kind, severity=USER_SEVERITY, source="user", not_applicable=dict(reasons))
        for kind, reasons in refused.items()
    ]
