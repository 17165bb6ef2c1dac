"""One run in the hands of one worker, from claim to report."""

import asyncio
import contextlib
import secrets
import signal
from collections.abc import Iterator

import msgspec
import structlog

from reteval.contract.metrics import parse_metric
from reteval.contract.outcomes import FailureCode
from reteval.contract.runs import RunStatus
from reteval.contract.testsets import Query, TestSet
from service.egress import Policy
from service.errors import ServiceError
from service.queue import JobQueue
from service.settings import Settings
from service.store.bare_report import iso_time, report_bare, skipped
from service.store.ending import end_task
from service.store.journal import LostClaimError
from service.store.records import Claim, RunRecord
from service.store.sealing import unseal
from service.store.store import Store
from worker.jobs.hold import Hold, Stop
from worker.jobs.recorder import Recorder
from worker.pipeline.evaluation import Evaluation, RunEvidence, evaluate
from worker.pipeline.plan import Plan, build_plan
from worker.search.searcher import Searcher

_log = structlog.get_logger("reteval.worker")


async def execute_run(settings: Settings, tenant: str, run_id: str) -> None:
    """Claim the run and work on it; do nothing if it is held, ended or gone."""
    store = Store.connect(settings.redis_url)
    queue = JobQueue.connect(settings.redis_url)
    try:
        owner = secrets.token_hex(8)
        claim = await store.claims.claim(tenant, run_id, owner=owner, lease_s=settings.lease_s)
        if claim is None:
            _log.info("run.not_claimed", run=run_id)
            return
        _log.info("run.claimed", run=run_id, epoch=claim.epoch)
        await Execution(settings, store, queue, claim).run()
    except LostClaimError:
        _log.warning("run.lost", run=run_id)
    finally:
        queue.close()
        await store.close()


class Execution:
    """Carries one claimed run to its end, or hands it on."""

    def __init__(self, settings: Settings, store: Store, queue: JobQueue, claim: Claim) -> None:
        self._settings = settings
        self._store = store
        self._queue = queue
        self._claim = claim
        self._hold = Hold(store.claims, claim, lease_s=settings.lease_s)
        self._recorder = Recorder(store.journal, claim)

    async def run(self) -> None:
        """Work until the run has ended or must be left to others.

        Raises:
            LostClaimError: another worker has it.
            ServiceError: the store is away; the run is picked up again once it is back.
        """
        beating = asyncio.create_task(self._hold.keep())
        try:
            with _draining(self._hold):
                await self._work()
        finally:
            await end_task(beating)

    async def _work(self) -> None:
        record = await self._store.runs.get(self._claim.tenant, self._claim.run_id)
        test_set = await self._store.test_sets.get(self._claim.tenant, record.spec.test_set.id)
        try:
            if self._claim.poisoned:
                await self._abandon(record, FailureCode.WORKER_CRASHED)
                return
            plan = await self._plan(record, test_set)
            await self._send(record, plan)
            await self._conclude(record, test_set, plan)
        except (ServiceError, LostClaimError):
            raise
        except Exception:  # noqa: BLE001 - whatever broke, the run must end honestly
            _log.exception("run.internal_error", run=record.id)
            await self._abandon(record, FailureCode.INTERNAL_ERROR)

    async def _plan(self, record: RunRecord, test_set: TestSet) -> Plan:
        """Build the plan; a run taken over replays the requests that were planned first."""
        queries: list[Query] = []
        async for chunk in self._store.test_sets.chunks(self._claim.tenant, test_set.id):
            queries += chunk
        plan = await asyncio.to_thread(
            build_plan,
            queries,
            record.spec.request.adversarial,
            relevant_from=test_set.relevant_from,
            language=test_set.language,
        )
        stored = await self._store.journal.plan(self._claim)
        if stored is not None:
            return msgspec.structs.replace(plan, requests=tuple(stored[0]))
        await self._store.journal.put_plan(self._claim, plan.requests, clean=plan.clean)
        return plan

    async def _send(self, record: RunRecord, plan: Plan) -> None:
        """Send every request that has no outcome yet, until done or told to stop."""
        done = await self._store.journal.done(self._claim)
        missing = [
            (place, request.text)
            for place, request in enumerate(plan.requests)
            if place not in done
        ]
        if missing:
            writing = asyncio.create_task(self._recorder.keep())
            try:
                await self._search(record, missing, writing)
            finally:
                with contextlib.suppress(LostClaimError):
                    await end_task(writing)
        if self._hold.reason is not Stop.LOST:
            await self._recorder.flush()

    async def _search(
        self,
        record: RunRecord,
        missing: list[tuple[int, str]],
        writing: "asyncio.Task[None]",
    ) -> None:
        async with await self._searcher(record) as searcher:
            searching = asyncio.create_task(
                searcher.search_all(
                    missing, emit=self._recorder.record, stopping=self._hold.stopping
                )
            )
            await asyncio.wait({searching, writing}, return_when=asyncio.FIRST_COMPLETED)
            if writing.done():
                self._hold.stop(Stop.LOST)
            await searching

    async def _searcher(self, record: RunRecord) -> Searcher:
        endpoint = record.spec.request.endpoint
        sealed = await self._store.claims.secrets(self._claim)
        if sealed is not None:
            headers = unseal(self._settings.secret_key, sealed)
            endpoint = msgspec.structs.replace(endpoint, headers=headers)
        policy = Policy.parse(
            self._settings.egress,
            self._settings.egress_allow,
            own=self._settings.own_addresses(),
        )
        return Searcher(
            endpoint,
            limits=record.spec.request.limits,
            depth=record.spec.depth,
            policy=policy,
            run_id=record.id,
        )

    async def _conclude(self, record: RunRecord, test_set: TestSet, plan: Plan) -> None:
        reason = self._hold.reason
        if reason is Stop.LOST:
            raise LostClaimError(record.id)
        if reason is Stop.DRAINING:
            await self._store.claims.release(self._claim)
            await self._queue.enqueue(self._claim.tenant, record.id, self._claim.epoch)
            _log.info("run.handed_on", run=record.id)
            return
        if reason is Stop.CANCELLED:
            await self._skip_missing(len(plan.requests), FailureCode.CANCELLED)
        await self._finalise(record, test_set, plan, cancelled=reason is Stop.CANCELLED)

    async def _finalise(
        self, record: RunRecord, test_set: TestSet, plan: Plan, *, cancelled: bool
    ) -> None:
        journal, claim = self._store.journal, self._claim
        await journal.begin_finalising(claim)
        total = len(plan.requests)
        outcomes = [o async for part in journal.outcomes(claim, total) for o in part]
        if len(outcomes) != total:
            raise RuntimeError(f"{len(outcomes)} outcomes of {total} planned")
        spec = record.spec
        evaluation: Evaluation = await asyncio.to_thread(
            evaluate,
            RunEvidence(
                run_id=spec.id,
                created_at=iso_time(record.created_ms),
                request=spec.request,
                metrics=tuple(parse_metric(name) for name in spec.metrics),
                depth=spec.depth,
                egress=spec.egress,
                code_version=spec.code_version,
                test_set=test_set,
                plan=plan,
                outcomes=outcomes,
                cancelled=cancelled,
            ),
        )
        tags = [query.tags for query in (*plan.scorable, *plan.nothing)]
        await journal.pack(claim, outcomes, tags=tags)
        await journal.put_columns(claim, evaluation.columns)
        await journal.finish(
            claim,
            status=evaluation.report.status,
            report=msgspec.json.encode(evaluation.report),
            error=evaluation.error,
            outcomes=total,
        )
        _log.info("run.finished", run=spec.id, status=evaluation.report.status)

    async def _abandon(self, record: RunRecord, code: FailureCode) -> None:
        """End the run without numbers; what was answered is kept, the rest is skipped."""
        journal, claim = self._store.journal, self._claim
        stored = await journal.plan(claim)
        requests, clean = stored or ([], 0)
        await self._skip_missing(len(requests), code)
        outcomes = [o async for part in journal.outcomes(claim, len(requests)) for o in part]
        if requests:
            await journal.pack(claim, outcomes, tags=[[]] * clean)
        shown = outcomes[:clean] or [skipped(code)] * record.spec.planned.clean
        await journal.finish(
            claim,
            status=RunStatus.FAILED,
            report=report_bare(record, status=RunStatus.FAILED, reason=code, clean=shown),
            error=code,
            outcomes=len(requests),
        )

    async def _skip_missing(self, total: int, code: FailureCode) -> None:
        done = await self._store.journal.done(self._claim)
        for place in range(total):
            if place not in done:
                self._recorder.record(place, skipped(code))
        await self._recorder.flush()


@contextlib.contextmanager
def _draining(hold: Hold) -> Iterator[None]:
    """Let SIGTERM hand the run on instead of ending the process."""
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGTERM, hold.stop, Stop.DRAINING)
    try:
        yield
    finally:
        loop.remove_signal_handler(signal.SIGTERM)
