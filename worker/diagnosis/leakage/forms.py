"""Different wordings among texts, and the pairs of them that say the same."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations, product
from typing import Final

from msgspec import Struct

from reteval.contract.leaks import LeakKind
from worker.diagnosis.leakage.exchange import exchanges_words
from worker.diagnosis.leakage.join import BOUNDS, Alike, Bounds, join_cross, join_self
from worker.diagnosis.leakage.wording import normalise, sort_words

DUPLICATE_FROM: Final = 0.85
NEAR_FROM: Final = 0.60
"""Jaccard similarity of character 3-grams from which on two wordings are of a kind."""
ALIKE: Final = frozenset({LeakKind.EXACT, LeakKind.REORDERED, LeakKind.DUPLICATE, LeakKind.NEAR})
"""Kinds of pairs that are one query asked twice; a possible paraphrase need not be."""
MAX_ORDERS: Final = 100
"""Orders of the same words that are paired."""


class Match(Struct, frozen=True):
    """Two wordings, by number, and how they are alike; one with itself where it is repeated."""

    kind: LeakKind
    left: int
    right: int
    similarity: float


class Forms(Struct, frozen=True, kw_only=True, eq=False):
    """The different wordings of some texts; `members` are the places of the texts of each."""

    normals: Sequence[str]
    members: Sequence[Sequence[int]]

    @classmethod
    def gather(cls, texts: Iterable[str]) -> "Forms":
        """Put texts of one wording together."""
        members: dict[str, list[int]] = {}
        for place, text in enumerate(texts):
            members.setdefault(normalise(text), []).append(place)
        return cls(normals=list(members), members=list(members.values()))


class Matches(Struct, frozen=True):
    """What matches, gravest kinds first; `cut`: there is more than was looked for."""

    found: Sequence[Match]
    cut: bool


def match_within(forms: Forms, bounds: Bounds = BOUNDS) -> Matches:
    """Find the wordings that are repeated, reordered, or alike."""
    exact = [
        Match(LeakKind.EXACT, number, number, 1.0)
        for number, members in enumerate(forms.members)
        if len(members) > 1
    ]
    bags = _gather_bags(forms)
    pairs = [pair for numbers in bags.values() for pair in combinations(numbers[:MAX_ORDERS], 2)]
    alike = join_self(forms.normals, NEAR_FROM, bounds)
    return _order(exact, pairs, _grade(forms, forms, alike), cut=alike.cut)


def match_across(lefts: Forms, rights: Forms, bounds: Bounds = BOUNDS) -> Matches:
    """Find the wordings of one side that the other side has, too, or has alike."""
    known = {normal: number for number, normal in enumerate(rights.normals)}
    exact = [
        Match(LeakKind.EXACT, number, known[normal], 1.0)
        for number, normal in enumerate(lefts.normals)
        if normal in known
    ]
    bags, others = _gather_bags(lefts), _gather_bags(rights)
    pairs = [
        (left, right)
        for bag, numbers in bags.items()
        for left, right in product(numbers[:MAX_ORDERS], others.get(bag, ())[:MAX_ORDERS])
        if lefts.normals[left] != rights.normals[right]
    ]
    alike = join_cross(lefts.normals, rights.normals, NEAR_FROM, bounds)
    return _order(exact, pairs, _grade(lefts, rights, alike), cut=alike.cut)


def _gather_bags(forms: Forms) -> Mapping[str, Sequence[int]]:
    bags: dict[str, list[int]] = {}
    for number, normal in enumerate(forms.normals):
        bags.setdefault(sort_words(normal), []).append(number)
    return bags


def _grade(lefts: Forms, rights: Forms, alike: Alike) -> Iterator[Match]:
    """Say of pairs that are alike how they are."""
    rows = zip(alike.left.tolist(), alike.right.tolist(), alike.similarity.tolist(), strict=True)
    for left, right, similarity in rows:
        kind = LeakKind.DUPLICATE
        if similarity < DUPLICATE_FROM:
            apart = exchanges_words(lefts.normals[left], rights.normals[right])
            kind = LeakKind.POSSIBLE_PARAPHRASE if apart else LeakKind.NEAR
        yield Match(kind, left, right, similarity)


def _order(
    exact: list[Match], pairs: Iterable[tuple[int, int]], alike: Iterable[Match], *, cut: bool
) -> Matches:
    """Put all matches together, each pair under its gravest kind."""
    reordered = [Match(LeakKind.REORDERED, left, right, 1.0) for left, right in pairs]
    told = {(match.left, match.right) for match in (*exact, *reordered)}
    rest = [match for match in alike if (match.left, match.right) not in told]
    return Matches([*exact, *reordered, *rest], cut=cut)
