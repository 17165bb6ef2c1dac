"""The pairs that a check shows: the gravest, from each place, never more than can be read."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations, islice, product
from typing import Final

from reteval.contract.leakage import LeakedPair, LeakPlace, PairSide
from reteval.contract.leaks import LeakKind
from worker.diagnosis.leakage.documents import Copied
from worker.diagnosis.leakage.forms import Forms, Match
from worker.diagnosis.leakage.subject import Subject
from worker.diagnosis.leakage.tally import cross_splits

MAX_LISTED: Final = 1_000
"""Pairs of one kind and place."""
_OF_EACH: Final = 20
"""Pairs that one match is shown by, in each two splits: repeated texts pair up by the million."""
_SHOWN: Final = 500
"""Characters of a text."""


class Listing:
    """Gathers pairs as they are shown."""

    def __init__(self, subject: Subject, clusters: Mapping[int, int]) -> None:
        self._subject = subject
        self._clusters = clusters
        self._pairs: dict[tuple[LeakKind, LeakPlace], list[LeakedPair]] = {}

    def add_within(self, matches: Iterable[Match]) -> None:
        """List pairs of queries of the set."""
        for match in matches:
            cluster = self._clusters.get(match.left)
            for (one, left), (other, right) in cross_splits(self._subject, match):
                place = LeakPlace.BETWEEN if one and other and one != other else LeakPlace.WITHIN
                places = combinations(left, 2) if left is right else product(left, right)
                for first, second in islice(places, _OF_EACH):
                    query, known = self._show(first), self._show(second)
                    self._add(match.kind, place, query, known, match.similarity, cluster)

    def add_against(
        self, matches: Iterable[Match], texts: Forms, shown: Sequence[PairSide]
    ) -> None:
        """List pairs of a query and a text of the list; `shown` are all of its texts."""
        for match in matches:
            places = product(self._subject.forms.members[match.left], texts.members[match.right])
            for place, text in islice(places, _OF_EACH):
                self._add(
                    match.kind, LeakPlace.AGAINST, self._show(place), shown[text], match.similarity
                )

    def add_paraphrases(self, pairs: Iterable[tuple[int, int]]) -> None:
        """List pairs of queries that want the same documents."""
        for left, right in pairs:
            one, other = self._subject.splits[left], self._subject.splits[right]
            place = LeakPlace.BETWEEN if one and other and one != other else LeakPlace.WITHIN
            self._add(LeakKind.POSSIBLE_PARAPHRASE, place, self._show(left), self._show(right))

    def add_copies(self, copies: Iterable[Copied]) -> None:
        """List queries that stand in a document."""
        for copied in copies:
            key = (copied.lift.kind, LeakPlace.DOCUMENT)
            if self._has_room(key):
                document = PairSide(id=copied.document, text=copied.lift.excerpt)
                query = self._show(copied.place)
                self._pairs[key].append(
                    LeakedPair(
                        kind=key[0], place=key[1], query=query, other=document, lift=copied.lift
                    )
                )

    def pairs(self) -> Iterator[LeakedPair]:
        """Yield the pairs, gravest kinds first, then by place."""
        for kind in LeakKind:
            for place in LeakPlace:
                yield from self._pairs.get((kind, place), ())

    def _add(
        self,
        kind: LeakKind,
        place: LeakPlace,
        query: PairSide,
        other: PairSide,
        similarity: float | None = None,
        cluster: int | None = None,
    ) -> None:
        if self._has_room((kind, place)):
            self._pairs[kind, place].append(
                LeakedPair(
                    kind=kind,
                    place=place,
                    query=query,
                    other=other,
                    similarity=None if similarity is None else round(similarity, 4),
                    cluster=cluster,
                )
            )

    def _has_room(self, key: tuple[LeakKind, LeakPlace]) -> bool:
        return len(self._pairs.setdefault(key, [])) < MAX_LISTED

    def _show(self, place: int) -> PairSide:
        query = self._subject.queries[place]
        return show_query(query.id, query.query, query.split, query.source)


def show_query(query_id: str, text: str, split: str = "", source: str = "") -> PairSide:
    """Return a query as half of a pair."""
    return PairSide(id=query_id, text=text[:_SHOWN], split=split, source=source)
