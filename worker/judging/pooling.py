"""A pool: the union of what configurations returned for a query, with texts, in shuffled order."""

import hashlib
import random
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from msgspec import Struct, structs

from reteval.contract.pools import SNAPSHOT_CHARS, PoolCounts, PooledPair, Sighting
from reteval.contract.testsets import Query
from worker.judging.questions import cut_text

DRAWS: Final = 20
"""Tries for each random document to find one that is not in the pool already."""


class Answered(Struct, frozen=True, kw_only=True):
    """What a configuration returned for a query, in order, the texts by document, and when."""

    ids: list[str]
    texts: dict[str, str] = {}
    at: str = ""


class Member(Struct):
    """A document on its way into a pool."""

    doc_id: str
    found: list[Sighting] = []
    known: int | None = None
    random: bool = False


def gather(query: Query, answers: Mapping[str, Answered], *, depth: int) -> dict[str, Member]:
    """Return the union of the answers, by configuration, and of what is known."""
    members: dict[str, Member] = {}
    for config, answered in answers.items():
        for rank, doc_id in enumerate(dict.fromkeys(answered.ids[:depth]), start=1):
            member = members.setdefault(doc_id, Member(doc_id, found=[]))
            member.found.append(Sighting(config, rank))
    for judgment in query.relevant or ():
        doc_id = str(judgment.id)
        members.setdefault(doc_id, Member(doc_id, found=[])).known = judgment.grade
    return members


def draw_random(
    pools: Mapping[str, dict[str, Member]], universe: Sequence[str], *, count: int, seed: int
) -> None:
    """Add documents of other queries' pools, which are expected not to be relevant."""
    for query_id, members in pools.items() if universe else ():
        rng = random.Random(f"{seed}/random/{query_id}")  # noqa: S311 - a reproducible draw
        left = count
        for _ in range(count * DRAWS):
            doc_id = universe[rng.randrange(len(universe))]
            if left and doc_id not in members:
                members[doc_id] = Member(doc_id, random=True)
                left -= 1


def settle(
    query_id: str,
    members: Iterable[Member],
    texts: Mapping[str, tuple[str, str]],
    *,
    seed: int,
) -> list[PooledPair]:
    """Return a query's pairs with their texts (each with when it was fetched), shuffled."""
    pairs = [_settle(member, texts.get(member.doc_id)) for member in members]
    pairs.sort(key=lambda pair: pair.doc_id)
    rng = random.Random(f"{seed}/order/{query_id}")  # noqa: S311 - a reproducible order
    rng.shuffle(pairs)
    return pairs


def add_up(counts: PoolCounts, pairs: Sequence[PooledPair]) -> PoolCounts:
    """Return the counts with those of one more query."""
    return structs.replace(
        counts,
        queries=counts.queries + 1,
        pairs=counts.pairs + len(pairs),
        known=counts.known + sum(pair.known is not None for pair in pairs),
        random=counts.random + sum(pair.random for pair in pairs),
        without_text=counts.without_text + sum(not pair.text for pair in pairs),
    )


def _settle(member: Member, seen: tuple[str, str] | None) -> PooledPair:
    text, at = seen or ("", "")
    text, cut = cut_text(text, SNAPSHOT_CHARS)
    return PooledPair(
        doc_id=member.doc_id,
        found=tuple(member.found),
        text=text,
        text_sha256=hashlib.sha256(text.encode()).hexdigest() if text else "",
        cut=cut,
        fetched_at=at,
        known=member.known,
        random=member.random,
    )
