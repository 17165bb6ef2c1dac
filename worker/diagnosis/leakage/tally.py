"""How many pairs and queries there are of each kind: inside a set, between splits, with a list."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, product

from reteval.contract.leakage import AgainstOverlap, LeakCount, SplitOverlap
from reteval.contract.leaks import LeakKind
from worker.diagnosis.leakage.forms import ALIKE, Forms, Match
from worker.diagnosis.leakage.subject import Subject, is_tuning


class Tally:
    """Pairs by kind, and the places of the queries in them."""

    def __init__(self) -> None:
        self._pairs: dict[LeakKind, int] = {}
        self._places: dict[LeakKind, set[int]] = {}

    def add(self, kind: LeakKind, pairs: int, places: Iterable[int]) -> None:
        """Count pairs of a kind."""
        if pairs:
            self._pairs[kind] = self._pairs.get(kind, 0) + pairs
            self._places.setdefault(kind, set()).update(places)

    @property
    def places(self) -> set[int]:
        """The places of the queries that are asked twice."""
        return set().union(*(self._places[kind] for kind in ALIKE & self._places.keys()))

    def report(self, total: int) -> dict[LeakKind, LeakCount]:
        """Return the counts, gravest kinds first; shares are of `total` queries."""
        return {
            kind: LeakCount(
                pairs=self._pairs[kind],
                queries=len(self._places[kind]),
                share=len(self._places[kind]) / total,
            )
            for kind in LeakKind
            if kind in self._pairs
        }


def tally_within(subject: Subject, matches: Iterable[Match]) -> Tally:
    """Count the pairs of a set, whatever splits they are in."""
    tally, members = Tally(), subject.forms.members
    for match in matches:
        left, right = members[match.left], members[match.right]
        if match.left == match.right:
            tally.add(match.kind, len(left) * (len(left) - 1) // 2, left)
        else:
            tally.add(match.kind, len(left) * len(right), (*left, *right))
    return tally


def tally_against(subject: Subject, texts: Forms, matches: Iterable[Match]) -> Tally:
    """Count the pairs of a query and a text of a list."""
    tally = Tally()
    for match in matches:
        left, right = subject.forms.members[match.left], texts.members[match.right]
        tally.add(match.kind, len(left) * len(right), left)
    return tally


def report_list(tally: Tally, *, texts: int, total: int) -> AgainstOverlap:
    """Return what a set has in common with a list."""
    places = tally.places
    return AgainstOverlap(
        texts=texts, queries=len(places), share=len(places) / total, kinds=tally.report(total)
    )


class _Border:
    """What two splits have in common."""

    def __init__(self) -> None:
        self.pairs: dict[LeakKind, int] = {}
        self.places: tuple[set[int], set[int]] = (set(), set())

    def add(self, kind: LeakKind, left: Sequence[int], right: Sequence[int]) -> None:
        self.pairs[kind] = self.pairs.get(kind, 0) + len(left) * len(right)
        if kind in ALIKE:
            self.places[0].update(left)
            self.places[1].update(right)


class Borders:
    """All pairs of splits that have something in common."""

    def __init__(self, subject: Subject, matches: Iterable[Match]) -> None:
        self._subject = subject
        self._found: dict[tuple[str, str], _Border] = {}
        for match in matches:
            for (one, left), (other, right) in cross_splits(subject, match):
                if one and other and one != other:
                    self._add(match.kind, one, left, other, right)

    def _add(
        self, kind: LeakKind, one: str, left: Sequence[int], other: str, right: Sequence[int]
    ) -> None:
        if one > other:
            one, left, other, right = other, right, one, left
        self._found.setdefault((one, other), _Border()).add(kind, left, right)

    @property
    def leaked(self) -> set[int]:
        """The queries that another split knows, but for those that are there to tune with.

        Between a split for tuning and another one, the other one's leaked; between two that are
        not, both sides did.
        """
        leaked: set[int] = set()
        for splits, border in self._found.items():
            if not all(map(is_tuning, splits)):
                for split, places in zip(splits, border.places, strict=True):
                    leaked |= set() if is_tuning(split) else places
        return leaked

    def report(self) -> tuple[SplitOverlap, ...]:
        """Return what each two splits have in common, most pairs first."""
        sizes = {split: self._subject.splits.count(split) for split in set(self._subject.splits)}
        rows = [
            SplitOverlap(
                splits=splits,
                queries=(len(border.places[0]), len(border.places[1])),
                shares=(
                    len(border.places[0]) / sizes[splits[0]],
                    len(border.places[1]) / sizes[splits[1]],
                ),
                pairs=sum(border.pairs.values()),
                kinds={kind: border.pairs[kind] for kind in LeakKind if kind in border.pairs},
            )
            for splits, border in self._found.items()
        ]
        return tuple(sorted(rows, key=lambda row: (-row.pairs, row.splits)))


Group = tuple[str, Sequence[int]]


def cross_splits(subject: Subject, match: Match) -> Iterator[tuple[Group, Group]]:
    """Yield the queries of a match, split by split, each pair of splits once."""
    left = subject.by_split(match.left)
    if match.left == match.right:
        yield from combinations(left.items(), 2)
        yield from ((group, group) for group in left.items())
    else:
        yield from product(left.items(), subject.by_split(match.right).items())
