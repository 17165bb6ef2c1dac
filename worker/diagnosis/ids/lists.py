"""Judged and returned ids side by side, and how far they meet."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Final

import numpy as np
from msgspec import Struct
from scipy.special import bdtrc

from reteval.contract.id_rules import IdOp, apply_ops
from reteval.contract.probes import IdOverlap

LOOKED_AT: Final = 100
"""Places of an answer that are looked at."""
SAMPLE: Final = 200
"""Answers that are looked at, spread over all."""
SHUFFLES: Final = 200
MIN_SHUFFLED: Final = 10
"""Answers from which on exchanging them between queries says anything."""


class IdLists(Struct, frozen=True, kw_only=True):
    """Ids of answered queries, parallel: an entry a query, in the order returned or judged."""

    query_ids: Sequence[str]
    judged: Sequence[Sequence[str]]
    returned: Sequence[Sequence[str]]

    @property
    def n(self) -> int:
        """Number of answers."""
        return len(self.query_ids)

    def respell(self, *, judged: Sequence[IdOp] = (), returned: Sequence[IdOp] = ()) -> "IdLists":
        """Return the lists with rules applied to one side or both."""
        return IdLists(
            query_ids=self.query_ids,
            judged=_respell(self.judged, judged),
            returned=_respell(self.returned, returned),
        )

    def cut(self, k: int) -> "IdLists":
        """Return the lists with the first `k` ids of each answer."""
        return IdLists(
            query_ids=self.query_ids,
            judged=self.judged,
            returned=[ids[:k] for ids in self.returned],
        )

    def thin(self, *, answers: int, places: int) -> "IdLists":
        """Return at most so many answers, evenly spread, and so many places of each."""
        if self.n <= answers:
            return self.cut(places)
        chosen = [at * self.n // answers for at in range(answers)]
        return IdLists(
            query_ids=[self.query_ids[at] for at in chosen],
            judged=[self.judged[at] for at in chosen],
            returned=[self.returned[at][:places] for at in chosen],
        )


class Meeting(Struct, frozen=True, kw_only=True):
    """How many answers and judged ids meet, beside what exchanged answers would give.

    `crossed` counts the pairs of a query and another query's answer that meet, of `pairs`.
    """

    answers: int
    met: int
    ids: int
    ids_met: int
    crossed: int
    pairs: int

    @property
    def share(self) -> float:
        """Share of answers with a judged id."""
        return self.met / self.answers if self.answers else 0.0

    @property
    def chance(self) -> float | None:
        """The same share after exchanging answers between queries; None for one answer."""
        return self.crossed / self.pairs if self.pairs else None

    @property
    def luck(self) -> float:
        """Probability that at least as many answers meet where ids agree by accident alone.

        The rate of an accident is taken from exchanged answers, rounded up by one of each kind.
        """
        rate = (self.crossed + 1) / (self.pairs + 2)
        return float(bdtrc(self.met - 1, self.answers, rate))

    def show(self) -> IdOverlap:
        """Return the figures as a report tells them."""
        return IdOverlap(
            answers=self.answers,
            overlap_q=self.share if self.answers else None,
            overlap_id=self.ids_met / self.ids if self.ids else None,
            chance=self.chance,
        )


def measure(lists: IdLists) -> Meeting:
    """Count where judged ids come back, and where another query's do."""
    owners: defaultdict[str, set[int]] = defaultdict(set)
    for at, ids in enumerate(lists.judged):
        for doc_id in ids:
            owners[doc_id].add(at)
    met = crossed = 0
    for at, returned in enumerate(lists.returned):
        found = set().union(*(owners[doc_id] for doc_id in returned if doc_id in owners))
        met += at in found
        crossed += len(found - {at})
    return Meeting(
        answers=lists.n,
        met=met,
        ids=sum(len(set(ids)) for ids in lists.judged),
        ids_met=sum(
            len(set(judged) & set(returned))
            for judged, returned in zip(lists.judged, lists.returned, strict=True)
        ),
        crossed=crossed,
        pairs=lists.n * (lists.n - 1),
    )


def compare_with_chance(lists: IdLists, *, seed: int = 0) -> float | None:
    """Return the p-value of the lists' order against answers exchanged between queries.

    The statistic weighs a judged id by 1 / rank. None where exchanging changes nothing or the
    answers are too few.
    """
    if lists.n < MIN_SHUFFLED:
        return None
    gains = _cross_gains(lists)
    rows = np.arange(lists.n)
    rng = np.random.default_rng(seed)
    observed = gains[rows, rows].sum()
    shuffled = np.array([gains[rows, rng.permutation(lists.n)].sum() for _ in range(SHUFFLES)])
    if np.ptp(shuffled) == 0 and shuffled[0] == observed:
        return None
    reached = np.count_nonzero(shuffled >= observed - 1e-12)
    return float((1 + reached) / (1 + SHUFFLES))


def _cross_gains(lists: IdLists) -> "np.ndarray[tuple[int, int], np.dtype[np.float64]]":
    """Return what each answer (column) would be worth to each query (row)."""
    owners: defaultdict[str, set[int]] = defaultdict(set)
    for at, ids in enumerate(lists.judged):
        for doc_id in ids:
            owners[doc_id].add(at)
    gains = np.zeros((lists.n, lists.n))
    for column, returned in enumerate(lists.returned):
        for rank, doc_id in enumerate(dict.fromkeys(returned), start=1):
            for row in owners.get(doc_id, ()):
                gains[row, column] += 1 / rank / len(lists.judged[row])
    return gains


def _respell(side: Sequence[Sequence[str]], ops: Sequence[IdOp]) -> Sequence[Sequence[str]]:
    if not ops:
        return side
    spelled = {doc_id: apply_ops(ops, doc_id) for doc_id in set(chain.from_iterable(side))}
    return [[spelled[doc_id] for doc_id in ids] for ids in side]


def list_ids(side: Iterable[Iterable[str]]) -> list[str]:
    """Return the different ids of one side, in the order of their first place."""
    return list(dict.fromkeys(chain.from_iterable(side)))


def find_strays(lists: IdLists) -> tuple[int, int]:
    """Count the answers that fit one other query's judgments instead, and those queries.

    Both are high where judgments stand beside the wrong queries.
    """
    owners: defaultdict[str, set[int]] = defaultdict(set)
    for at, ids in enumerate(lists.judged):
        for doc_id in ids:
            owners[doc_id].add(at)
    claimed: set[int] = set()
    strays = 0
    for at, returned in enumerate(lists.returned):
        counts = Counter(chain.from_iterable(owners.get(doc_id, ()) for doc_id in set(returned)))
        own = counts.pop(at, 0)
        if counts and own == 0:
            ((other, _),) = counts.most_common(1)
            strays += 1
            claimed.add(other)
    return strays, len(claimed)
