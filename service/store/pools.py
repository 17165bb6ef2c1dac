"""What a judging holds much of: pooled pairs, votes, the queue, and answers kept for later.

Pairs and votes are by query. Pairs of a query are one chunk; its votes are JSON lines, to which
more are only ever added.
"""

import random
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from typing import Any, Final, TypeVar

import msgspec
from msgspec import Struct

from reteval.contract.pools import PooledPair
from reteval.contract.votes import QueuedPair, Vote
from service.store import chunks, keys
from service.store.connection import Connection
from service.store.damage import reading
from service.store.fencing import LostClaimError, unit_keys
from service.store.records import Claim
from service.store.scripts import Scripts

T = TypeVar("T")
ANSWER_MS: Final = 90 * 86_400_000
"""How long an answer of a model is kept."""
BATCH: Final = 50
"""Queries whose pairs are read, or written, at once."""
_VOTES: Final = msgspec.json.Decoder(Vote)


class Pool(Struct, frozen=True):
    """A query's text, and its pairs."""

    query: str
    pairs: list[PooledPair]


class Pooled(Struct, frozen=True):
    """A query, its pairs, and all votes on them."""

    query_id: str
    query: str
    pairs: list[PooledPair]
    votes: list[Vote]


class Pools:
    """Written by the job that holds a judging, read by all."""

    def __init__(self, connection: Connection, scripts: Scripts) -> None:
        self._connection = connection
        self._scripts = scripts

    async def read(
        self, tenant: str, judging_id: str, query_ids: Sequence[str]
    ) -> AsyncIterator[Pooled]:
        """Yield the pools of queries that have one, in order, with their votes."""
        for start in range(0, len(query_ids), BATCH):
            ids = query_ids[start : start + BATCH]
            pairs = await self._hmget(tenant, judging_id, "pairs", ids)
            votes = await self._hmget(tenant, judging_id, "votes", ids)
            for query_id, packed, lines in zip(ids, pairs, votes, strict=True):
                if packed is not None:
                    pool = chunks.unpack(packed, Pool)
                    yield Pooled(query_id, pool.query, pool.pairs, read_votes(lines))

    async def draw(self, tenant: str, judging_id: str, *, seed: int, most: int) -> list[str]:
        """Return the ids of `most` queries with a pool, drawn by a seed and by nothing else."""
        found = await self._connection.hkeys(keys.judging_part(tenant, judging_id, "pairs"))
        rng = random.Random(f"{seed}/queries")  # noqa: S311 - a reproducible draw
        return rng.sample(sorted(found), min(most, len(found)))

    async def answers(
        self, tenant: str, judging_id: str, fields: Sequence[str], kind: type[T]
    ) -> dict[str, T]:
        """Return what endpoints answered so far, by the names of the fields."""
        found = await self._hmget(tenant, judging_id, "answers", fields)
        return {
            field: chunks.unpack(blob, kind)
            for field, blob in zip(fields, found, strict=True)
            if blob is not None
        }

    async def answered(self, tenant: str, judging_id: str) -> set[str]:
        """Return the names of the fields of `answers` that are there."""
        return set(await self._connection.hkeys(keys.judging_part(tenant, judging_id, "answers")))

    async def queue(
        self, tenant: str, judging_id: str, *, start: int, stop: int
    ) -> list[QueuedPair]:
        """Return a stretch of the queue."""
        key = keys.judging_part(tenant, judging_id, "queue")
        return await chunks.read_slice(self._connection, key, QueuedPair, start=start, stop=stop)

    async def put(
        self,
        claim: Claim,
        judging_id: str,
        *,
        part: str = "pairs",
        values: Mapping[str, Any] | None = None,
        fields: Mapping[str, bytes] | None = None,
    ) -> None:
        """Write packed values into a part of a judging, and fields of its record.

        Raises:
            LostClaimError: the claim is void.
        """
        packed = {name: chunks.pack(value) for name, value in (values or {}).items()}
        await self._write(claim, judging_id, part, "put", packed, fields or {})

    async def put_queue(
        self,
        claim: Claim,
        judging_id: str,
        queue: Sequence[QueuedPair],
        fields: Mapping[str, bytes],
    ) -> None:
        """Write the queue in place of the one before.

        Raises:
            LostClaimError: the claim is void.
        """
        key = keys.judging_part(claim.tenant, judging_id, "queue")
        await self._connection.unlink(key)
        await self._write(claim, judging_id, "queue", "put", chunks.split(queue), fields)

    async def add_votes(
        self,
        claim: Claim,
        judging_id: str,
        votes: Iterable[tuple[str, Vote]],
        fields: Mapping[str, bytes],
    ) -> None:
        """Add votes of models, each with its query, and write fields of the record.

        Raises:
            LostClaimError: the claim is void.
        """
        lines: dict[str, bytes] = {}
        for query_id, vote in votes:
            lines[query_id] = lines.get(query_id, b"") + write_vote(vote)
        await self._write(claim, judging_id, "votes", "append", lines, fields)

    async def drop_answers(self, tenant: str, judging_id: str) -> None:
        """Drop what endpoints answered."""
        await self._connection.unlink(keys.judging_part(tenant, judging_id, "answers"))

    async def remember(self, tenant: str, digest: str, answer: Any) -> None:
        """Keep a model's answer."""
        key = keys.judge_answer(tenant, digest)
        await self._connection.set(key, msgspec.msgpack.encode(answer), lifetime_ms=ANSWER_MS)

    async def recall(self, tenant: str, digest: str, kind: type[T]) -> T | None:
        """Return an answer that is kept."""
        blob = await self._connection.get(keys.judge_answer(tenant, digest))
        with reading("an answer of a judge"):
            return None if blob is None else msgspec.msgpack.decode(blob, type=kind)

    async def _hmget(
        self, tenant: str, judging_id: str, part: str, fields: Sequence[str]
    ) -> list[bytes | None]:
        if not fields:
            return []
        key = keys.judging_part(tenant, judging_id, part)
        return await self._connection.hmget(key, fields)

    async def _write(
        self,
        claim: Claim,
        judging_id: str,
        part: str,
        mode: str,
        values: Mapping[str, bytes],
        fields: Mapping[str, bytes],
    ) -> None:
        args: list[str | bytes | int] = [claim.unit, claim.fence, mode, len(fields)]
        for name, value in (*fields.items(), *values.items()):
            args += (name, value)
        record = keys.judging(claim.tenant, judging_id)
        written = [*unit_keys(claim), record, keys.judging_part(claim.tenant, judging_id, part)]
        if not await self._scripts.run("write_step", written, args):
            raise LostClaimError(claim.job_id)


def write_vote(vote: Vote) -> bytes:
    """Write a vote as a line."""
    return msgspec.json.encode(vote) + b"\n"


def read_votes(lines: bytes | None) -> list[Vote]:
    """Read the votes on a query's pairs, oldest first.

    A line that is there twice is one vote: it was written again where its first answer was lost.
    """
    with reading("votes"):
        once = dict.fromkeys((lines or b"").split(b"\n"))
        return [_VOTES.decode(line) for line in once if line]
