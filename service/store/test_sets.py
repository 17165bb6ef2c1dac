"""Test sets: staged while they arrive, then committed in one step and never changed."""

from collections.abc import AsyncIterator
from typing import Any

import msgspec

from reteval.contract.testsets import Query, TestSet
from service.errors import CorruptRecordError, NotFoundError, ReferencedError
from service.store import chunks, keys
from service.store.connection import Connection
from service.store.damage import reading, report_damage
from service.store.idempotency import script_words, under_way
from service.store.quotas import NO_QUOTAS, Quotas, check_refusal, encode_quotas
from service.store.records import Idempotency, TestSetDraft
from service.store.scripts import Scripts, text
from service.store.staging import QueryList, Staging


class TestSets:
    """All test sets of a deployment."""

    __test__ = False

    def __init__(self, connection: Connection, scripts: Scripts) -> None:
        self._connection = connection
        self._scripts = scripts

    async def stage(self, tenant: str) -> Staging:
        """Begin an upload."""
        return Staging(self._connection, tenant)

    async def commit(
        self,
        tenant: str,
        staging: Staging,
        draft: TestSetDraft,
        *,
        created_at: str,
        idempotency: Idempotency | None = None,
        quotas: Quotas = NO_QUOTAS,
    ) -> tuple[TestSet, bool]:
        """Make the staged queries a test set, or answer the set that has the same content.

        The staging is used up either way. The flag says whether a new set was made, now or
        before under the same idempotency key.

        Raises:
            IdempotencyConflictError: another process took the key over.
            QuotaExceededError: the team may not have another one of this size.
        """
        await staging.seal()
        entry, token = script_words(idempotency)
        test_set_id = keys.new_id("ts")
        body = msgspec.json.encode(draft)
        reply = await self._scripts.run(
            "commit_test_set",
            [
                staging.key,
                keys.test_set(tenant, test_set_id),
                keys.test_set_queries(tenant, test_set_id),
                keys.test_sets(tenant),
                keys.test_set_contents(tenant),
                keys.test_set_versions(tenant),
                keys.test_set_name(tenant, draft.name),
                keys.sizes(tenant),
                keys.TENANTS,
                entry,
            ],
            [
                test_set_id,
                draft.name,
                draft.hash,
                body,
                created_at,
                len(body) + staging.bytes,
                tenant,
                encode_quotas(quotas),
                token,
            ],
        )
        check_refusal(reply)
        verdict, chosen = reply
        if text(verdict) == "lost":
            raise under_way()
        return await self.get(tenant, text(chosen)), text(verdict) != "known"

    async def get(self, tenant: str, ref: str) -> TestSet:
        """Return a test set by its id, or the newest version of a name.

        Raises:
            NotFoundError: neither an id nor a name of this tenant.
        """
        found = await self._head(tenant, ref)
        if found is None:
            newest = await self._connection.zrevrange(keys.test_set_name(tenant, ref), limit=1)
            found = await self._head(tenant, newest[0][0]) if newest else None
        if found is None:
            raise NotFoundError(f"There is no test set {ref!r}; list them with GET /v1/test-sets.")
        return found

    async def versions(self, tenant: str, ref: str) -> list[TestSet]:
        """Return the test set of an id, or all living versions of a name, oldest first.

        Raises:
            NotFoundError: neither an id nor a name of this tenant.
        """
        newest = await self.get(tenant, ref)
        if newest.id == ref:
            return [newest]
        members = await self._connection.zrange(keys.test_set_name(tenant, newest.name))
        heads = [await self._head(tenant, member) for member in members]
        return [head for head in heads if head is not None]

    async def page_versions(
        self, tenant: str, name: str, *, before: str | None, limit: int
    ) -> tuple[list[TestSet], str | None]:
        """Return living versions of a name, newest first, and where the next page begins."""
        return await self._page(tenant, keys.test_set_name(tenant, name), before, limit)

    async def page(
        self, tenant: str, *, before: str | None, limit: int
    ) -> tuple[list[TestSet], str | None]:
        """Return test sets, newest first, and where the next page begins."""
        return await self._page(tenant, keys.test_sets(tenant), before, limit)

    async def chunks(self, tenant: str, test_set_id: str) -> AsyncIterator[list[Query]]:
        """Yield the queries in upload order, a chunk at a time."""
        key = keys.test_set_queries(tenant, test_set_id)
        async for chunk in chunks.read_chunks(self._connection, key, Query):
            yield chunk

    def open(self, tenant: str, test_set_id: str) -> QueryList:
        """Return the queries of a set, to be read a chunk at a time."""
        return QueryList(self._connection, keys.test_set_queries(tenant, test_set_id))

    async def queries(
        self, tenant: str, test_set_id: str, *, offset: int, limit: int
    ) -> list[Query]:
        """Return a stretch of the queries in upload order."""
        key = keys.test_set_queries(tenant, test_set_id)
        return await chunks.read_slice(
            self._connection, key, Query, start=offset, stop=offset + limit
        )

    async def delete(self, tenant: str, test_set_id: str) -> None:
        """Delete a test set.

        Raises:
            NotFoundError: no such set.
            ReferencedError: a run refers to it.
        """
        test_set = await self.get(tenant, test_set_id)
        verdict = await self._scripts.run(
            "delete_test_set",
            [
                keys.test_set(tenant, test_set.id),
                keys.test_set_queries(tenant, test_set.id),
                keys.test_sets(tenant),
                keys.test_set_contents(tenant),
                keys.test_set_name(tenant, test_set.name),
                keys.test_set_runs(tenant, test_set.id),
                keys.sizes(tenant),
            ],
            [test_set.id, test_set.name, test_set.hash],
        )
        if text(verdict) == "referenced":
            raise ReferencedError(
                f"Runs refer to {test_set.id!r}; delete them first (GET /v1/runs?test_set=…)."
            )

    async def _page(
        self, tenant: str, key: str, before: str | None, limit: int
    ) -> tuple[list[TestSet], str | None]:
        rows = await self._connection.zrevrange(key, below=before, limit=limit + 1)
        heads = [await self._find(tenant, member) for member, _ in rows[:limit]]
        position = rows[limit - 1][1] if len(rows) > limit else None
        return [head for head in heads if head is not None], position

    async def _find(self, tenant: str, test_set_id: str) -> TestSet | None:
        """Return a test set for a list, which has no place for one that cannot be read."""
        try:
            return await self._head(tenant, test_set_id)
        except CorruptRecordError:
            report_damage(test_set_id)
            return None

    async def _head(self, tenant: str, test_set_id: str) -> TestSet | None:
        fields = await self._connection.hgetall(keys.test_set(tenant, test_set_id))
        return _read_head(test_set_id, fields) if fields else None


@reading("a test set")
def _read_head(test_set_id: str, fields: dict[str, bytes]) -> TestSet:
    draft = msgspec.json.decode(fields["draft"], type=TestSetDraft)
    values: dict[str, Any] = {name: getattr(draft, name) for name in draft.__struct_fields__}
    return TestSet(
        id=test_set_id,
        version=int(fields["version"]),
        created_at=fields["created"].decode(),
        bytes=int(fields["bytes"]),
        **values,
    )
