"""Suites and the runs over them: what joins test sets, and what joins their runs."""

from collections.abc import Sequence

import msgspec
from msgspec import Struct

from reteval.contract.runs import TestSetRef
from reteval.contract.suites import MAX_SUITES, Suite, SuiteMember
from service.errors import InvalidError, NameTakenError, NotFoundError
from service.store import keys
from service.store.bare_report import iso_time
from service.store.connection import Connection
from service.store.damage import reading
from service.store.idempotency import script_words, under_way
from service.store.quotas import NO_QUOTAS, Quotas, check_refusal, encode_quotas
from service.store.records import SCHEMA, SHARD, Idempotency, RunSpec
from service.store.runs import count_queries
from service.store.scripts import Scripts, text


class JoinedRun(Struct, frozen=True, kw_only=True):
    """A run over a set of a suite, and what its mean weighs."""

    run: str
    test_set: TestSetRef
    weight: float


class SuiteRunDraft(Struct, frozen=True, kw_only=True):
    """Runs over all sets of a suite, before they are stored; `name` is the suite's."""

    id: str
    suite: str
    name: str
    label: str
    meta: dict[str, str]
    runs: tuple[JoinedRun, ...]


class SuiteRunRecord(SuiteRunDraft, frozen=True, kw_only=True):
    """Runs that were started together."""

    created_ms: int


class Suites:
    """All suites of a deployment."""

    def __init__(self, connection: Connection, scripts: Scripts) -> None:
        self._connection = connection
        self._scripts = scripts

    async def create(
        self,
        tenant: str,
        name: str,
        members: Sequence[SuiteMember],
        *,
        idempotency: Idempotency | None = None,
    ) -> Suite:
        """Write a suite, or answer the one that was made under the idempotency key before.

        Raises:
            NameTakenError: another suite has the name.
            InvalidError: the tenant has as many as it may.
            IdempotencyConflictError: another process took the key over.
        """
        entry, token = script_words(idempotency)
        suite_id = keys.new_id("su")
        verdict, made = await self._scripts.run(
            "create_suite",
            [
                keys.suite(tenant, suite_id),
                keys.suites(tenant),
                keys.suite_names(tenant),
                keys.sizes(tenant),
                entry,
            ],
            [suite_id, name, msgspec.json.encode(members), MAX_SUITES, token],
        )
        if text(verdict) == "lost":
            raise under_way()
        if text(verdict) == "taken":
            raise NameTakenError(
                f"A suite is named {name!r} already; delete it, or choose another."
            )
        if text(verdict) == "full":
            raise InvalidError(f"There are {MAX_SUITES} suites already; delete one.")
        return await self.get(tenant, text(made))

    async def get(self, tenant: str, ref: str) -> Suite:
        """Return a suite by id or name.

        Raises:
            NotFoundError: there is none.
        """
        named = await self._connection.hget(keys.suite_names(tenant), ref)
        suite_id = named.decode() if named else ref
        found = await self._find(tenant, suite_id)
        if found is None:
            raise _missing(ref)
        return found

    async def page(
        self, tenant: str, *, before: str | None, limit: int
    ) -> tuple[list[Suite], str | None]:
        """Return suites, newest first, and where the next page begins."""
        rows = await self._connection.zrevrange(keys.suites(tenant), below=before, limit=limit + 1)
        found = [await self._find(tenant, member) for member, _ in rows[:limit]]
        position = rows[limit - 1][1] if len(rows) > limit else None
        return [suite for suite in found if suite is not None], position

    async def delete(self, tenant: str, ref: str) -> None:
        """Delete a suite and what joins its runs; the runs stay.

        Raises:
            NotFoundError: there is none.
        """
        suite = await self.get(tenant, ref)
        await self._scripts.run(
            "delete_suite",
            [
                keys.suite(tenant, suite.id),
                keys.suites(tenant),
                keys.suite_names(tenant),
                keys.sizes(tenant),
                keys.suite_runs(tenant, suite.id),
            ],
            [suite.id, keys.suite_run(tenant, "")],
        )

    async def start(
        self,
        tenant: str,
        draft: SuiteRunDraft,
        specs: Sequence[RunSpec],
        *,
        secrets: bytes | None,
        queue: str,
        idempotency: Idempotency | None = None,
        quotas: Quotas = NO_QUOTAS,
    ) -> SuiteRunRecord:
        """Write the runs of a suite queued, all or none, or answer those of the idempotency key.

        Raises:
            IdempotencyConflictError: another process took the key over.
            NotFoundError: the suite, or a test set, was deleted meanwhile.
            QuotaExceededError: the team may not have so many more runs of this size.
        """
        entry, token = script_words(idempotency)
        reply = await self._scripts.run(
            "create_suite_run",
            [
                keys.suite_run(tenant, draft.id),
                keys.suite(tenant, draft.suite),
                keys.suite_runs(tenant, draft.suite),
                keys.sizes(tenant),
                entry,
                keys.runs(tenant),
                keys.active(tenant, queue),
                keys.BUSY,
                *(key for spec in specs for key in _run_keys(tenant, spec)),
            ],
            [
                draft.id,
                msgspec.json.encode(draft),
                token,
                keys.busy(tenant, queue),
                secrets or b"",
                queue,
                SCHEMA,
                encode_quotas(quotas),
                *(word for spec in specs for word in _run_words(spec)),
            ],
        )
        check_refusal(reply)
        verdict, made = reply
        if text(verdict) == "lost":
            raise under_way()
        if text(verdict) == "missing":
            raise _missing(draft.suite)
        if text(verdict) == "no_test_set":
            raise NotFoundError("A test set of the suite was deleted meanwhile.")
        return await self.get_run(tenant, text(made))

    async def get_run(self, tenant: str, suite_run_id: str) -> SuiteRunRecord:
        """Return what joins the runs that were started together.

        Raises:
            NotFoundError: there is none.
        """
        found = await self._find_run(tenant, suite_run_id)
        if found is None:
            raise NotFoundError(
                f"There is no suite run {suite_run_id!r}; see GET /v1/suites/{{id}}/runs."
            )
        return found

    async def page_runs(
        self, tenant: str, suite_id: str, *, before: str | None, limit: int
    ) -> tuple[list[SuiteRunRecord], str | None]:
        """Return the runs of a suite, newest first, and where the next page begins."""
        rows = await self._connection.zrevrange(
            keys.suite_runs(tenant, suite_id), below=before, limit=limit + 1
        )
        found = [await self._find_run(tenant, member) for member, _ in rows[:limit]]
        position = rows[limit - 1][1] if len(rows) > limit else None
        return [record for record in found if record is not None], position

    async def _find(self, tenant: str, suite_id: str) -> Suite | None:
        fields = await self._connection.hgetall(keys.suite(tenant, suite_id))
        if not fields:
            return None
        with reading(f"the suite {suite_id!r}"):
            return Suite(
                id=suite_id,
                name=fields["name"].decode(),
                members=msgspec.json.decode(fields["body"], type=tuple[SuiteMember, ...]),
                created_at=iso_time(int(fields["created_ms"])),
            )

    async def _find_run(self, tenant: str, suite_run_id: str) -> SuiteRunRecord | None:
        fields = await self._connection.hgetall(keys.suite_run(tenant, suite_run_id))
        if not fields:
            return None
        with reading(f"the suite run {suite_run_id!r}"):
            draft = msgspec.json.decode(fields["body"], type=SuiteRunDraft)
            return SuiteRunRecord(
                **msgspec.structs.asdict(draft), created_ms=int(fields["created_ms"])
            )


def _run_keys(tenant: str, spec: RunSpec) -> tuple[str, ...]:
    return (
        keys.job(tenant, spec.id),
        keys.test_set(tenant, spec.test_set.id),
        keys.test_set_runs(tenant, spec.test_set.id),
        keys.job_part(tenant, spec.id, "secrets"),
        keys.job_part(tenant, spec.id, "units"),
    )


def _run_words(spec: RunSpec) -> tuple[str | bytes | int, ...]:
    return (
        spec.id,
        msgspec.json.encode(spec),
        spec.request.limits.workers or 0,
        int(spec.planned.total <= SHARD),
        count_queries(spec),
        spec.planned.bytes or 0,
    )


def _missing(ref: str) -> NotFoundError:
    return NotFoundError(f"There is no suite {ref!r}; list them with GET /v1/suites.")
