"""Divides queries into `tune` and `holdout`: seeded, stratified, and never through a group."""

import hashlib
from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from typing import Final

from msgspec import Struct

from reteval.contract.slices import name_length, name_relevant
from reteval.contract.splits import HOLDOUT, TAG, TUNE, SplitRequest, Stratum
from reteval.contract.testsets import Query
from service.core.ingest.texts import Texts

_WHOLE: Final = "all"
_HALF: Final = Fraction(1, 2)


class Division(Struct, frozen=True):
    """The split of each query by id; strata are the largest first."""

    splits: dict[str, str]
    strata: tuple[Stratum, ...]
    groups: int

    def count(self, split: str) -> int:
        """Count the queries of a split, variants aside."""
        return sum(getattr(stratum, split) for stratum in self.strata)


class _Group(Struct):
    # Queries that stay together. What speaks for it is the query of the lowest draw.
    draw: bytes
    stratum: str
    size: int


class Divider:
    """Takes the queries of a set in upload order, and divides them when all are known.

    Together stay the queries of a cluster, variants with theirs, and texts that are the same but
    for case, width, white space and punctuation. A query's draw is a digest of the seed and its
    id: what else is in the set moves it at most across the edge of its stratum.
    """

    def __init__(self, request: SplitRequest, *, relevant_from: int) -> None:
        self._request = request
        self._relevant_from = relevant_from
        self._texts = Texts()
        self._ids: list[str] = []
        self._leaders: dict[str, str] = {}
        self._single: dict[str, _Group] = {}

    def take(self, queries: Iterable[Query]) -> None:
        """Take the next queries."""
        for query in queries:
            self._join(query)
            if not query.parent:
                draw = _digest(self._request.seed, query.id)
                self._single[query.id] = _Group(draw, self._name_stratum(query), 1)

    def divide(self) -> Division:
        """Divide what was taken."""
        groups: dict[str, _Group] = {}
        for query_id, single in self._single.items():
            leader = self._find(_id_node(query_id))
            groups[leader] = _merge(groups[leader], single) if leader in groups else single
        held, strata = self._draw(groups)
        splits = {
            query_id: HOLDOUT if self._find(_id_node(query_id)) in held else TUNE
            for query_id in self._ids
        }
        return Division(splits, strata, len(groups))

    def _join(self, query: Query) -> None:
        node = _id_node(query.id)
        if query.parent:
            self._unite(node, _id_node(query.parent))
        if query.cluster_id:
            self._unite(node, f"cluster {query.cluster_id}")
        place = len(self._ids)
        self._ids.append(query.id)
        same = self._texts.find_same(query.query, place)
        if same is None:
            same = self._texts.find_near(query.query, place)
        if same is not None:
            self._unite(node, _id_node(self._ids[same]))

    def _draw(self, groups: dict[str, _Group]) -> tuple[set[str], tuple[Stratum, ...]]:
        """Return the groups that are held out, by leader, and how each stratum was divided."""
        members: dict[str, list[tuple[bytes, str]]] = {}
        sizes: Counter[str] = Counter()
        for leader, group in groups.items():
            members.setdefault(group.stratum, []).append((group.draw, leader))
            sizes[group.stratum] += group.size
        quotas = share_out(sizes, Fraction(str(self._request.holdout)), self._request.seed)
        held: set[str] = set()
        strata = []
        for name, size in sorted(sizes.items(), key=lambda row: (-row[1], row[0])):
            ordered = [leader for _, leader in sorted(members[name])]
            cut, count = _cut([groups[leader].size for leader in ordered], quotas[name])
            held.update(ordered[:cut])
            strata.append(Stratum(name=name, queries=size, tune=size - count, holdout=count))
        return held, tuple(strata)

    def _name_stratum(self, query: Query) -> str:
        return " & ".join(self._name_part(query, by) for by in self._request.stratify_by) or _WHOLE

    def _name_part(self, query: Query, by: str) -> str:
        if by.startswith(TAG):
            return by if by.removeprefix(TAG) in query.tags else f"not {by}"
        if by == "length":
            return name_length(query)
        if by == "relevant":
            return "expects nothing" if query.expect else name_relevant(query, self._relevant_from)
        return f"source:{query.source}" if query.source else "no source"

    def _find(self, node: str) -> str:
        path = []
        while (above := self._leaders.get(node, node)) != node:
            path.append(node)
            node = above
        for each in path:
            self._leaders[each] = node
        return node

    def _unite(self, one: str, other: str) -> None:
        self._leaders[self._find(one)] = self._find(other)


def share_out(sizes: dict[str, int], share: Fraction, seed: int) -> dict[str, int]:
    """Give each stratum its share in whole queries: largest remainders first, the sum rounded."""
    exact = {name: size * share for name, size in sizes.items()}
    quotas = {name: int(quota) for name, quota in exact.items()}
    left = int(sum(sizes.values()) * share + _HALF) - sum(quotas.values())
    order = sorted(exact, key=lambda name: (quotas[name] - exact[name], _digest(seed, name)))
    for name in order[:left]:
        quotas[name] += 1
    return quotas


def _cut(sizes: list[int], quota: int) -> tuple[int, int]:
    """Return how many groups from the first on come nearest to a quota, and their size."""
    cut = taken = 0
    for place, size in enumerate(sizes, start=1):
        if abs(taken + size - quota) >= abs(taken - quota):
            break
        cut, taken = place, taken + size
    return cut, taken


def _merge(group: _Group, other: _Group) -> _Group:
    speaker = min(group, other, key=lambda each: each.draw)
    return _Group(speaker.draw, speaker.stratum, group.size + other.size)


def _id_node(query_id: str) -> str:
    return f"id {query_id}"


def _digest(seed: int, name: str) -> bytes:
    return hashlib.sha256(f"{seed}\n{name}".encode()).digest()
