"""A probe: a few queries sent one after the other, and everything that was seen of them."""

import asyncio
from collections.abc import Sequence

import msgspec

from reteval.contract.endpoints import Endpoint
from reteval.contract.outcomes import FailureCode
from reteval.contract.probes import MAX_QUERIES, Lookup, ProbeRequest
from reteval.contract.runs import RunStatus
from reteval.contract.testsets import Query
from service.egress import name_origin
from service.store.records import ProbeRecord
from worker.jobs.targets import open_endpoint, read_policy
from worker.jobs.work import Work, log
from worker.pipeline.probing import Exchange, report_probe
from worker.pipeline.samples import choose_queries, judged_ids
from worker.search.lookup import look_up
from worker.search.searcher import Searcher
from worker.search.template import Ask
from worker.search.witness import Witness


async def probe_endpoint(work: Work) -> None:
    """Send the queries, look up judged ids if the endpoint can, and end the probe.

    Raises:
        LostClaimError: another worker has the probe.
        ServiceError: the store is away.
    """
    record = await work.store.probes.get(work.tenant, work.claim.job_id)
    request = record.spec.request
    endpoint = await open_endpoint(work, request.endpoint)
    stored = await _read_set(work, record)
    queries = choose_queries(request.queries, stored, most=MAX_QUERIES)
    witness = Witness(endpoint)
    exchanges = await _send(work, request, endpoint, queries, witness)
    lookup = await _look_up(work, endpoint, request, stored or queries)
    if work.hold.stopping():
        await work.make_way()
        return
    await _note_blocked(work, record, exchanges)
    report = await asyncio.to_thread(
        report_probe, exchanges, endpoint, scrub=witness, lookup=lookup
    )
    await work.store.journal.finish(
        work.claim,
        status=RunStatus.COMPLETED,
        report=msgspec.json.encode(report),
        error="",
    )
    log.info("probe.finished", probe=record.id, answers=len(report.answers))


async def abandon_probe(work: Work, code: FailureCode) -> None:
    """End a probe that could not be made."""
    await work.store.journal.finish(work.claim, status=RunStatus.FAILED, report=b"", error=code)


async def _read_set(work: Work, record: ProbeRecord) -> list[Query]:
    if record.spec.test_set is None:
        return []
    return await work.read_queries(record.spec.test_set)


async def _send(
    work: Work,
    request: ProbeRequest,
    endpoint: Endpoint,
    queries: Sequence[Query],
    witness: Witness,
) -> list[Exchange]:
    exchanges = []
    searcher = Searcher(
        endpoint,
        limits=request.limits,
        depth=request.depth,
        policy=read_policy(work),
        run_id=work.claim.job_id,
        tap=witness.see,
    )
    async with searcher:
        for query in queries:
            if work.hold.stopping():
                break
            outcome = await searcher.search(Ask(text=query.query, id=query.id, fields=query.fields))
            seen = witness.take()
            exchanges.append(
                Exchange(
                    query_id=query.id,
                    query=query.query,
                    judged=tuple(judged_ids([query])),
                    request=seen.request if seen else None,
                    outcome=outcome,
                    content_type=seen.content_type if seen else "",
                    body=seen.body if seen else b"",
                )
            )
    return exchanges


async def _note_blocked(work: Work, record: ProbeRecord, exchanges: Sequence[Exchange]) -> None:
    outcomes = [exchange.outcome for exchange in exchanges]
    blocked = [outcome for outcome in outcomes if outcome.code is FailureCode.BLOCKED]
    if blocked:
        detail = f"{name_origin(record.spec.request.endpoint.url)}: {blocked[0].detail}"
        await work.store.audit.deny(work.tenant, target=record.id, detail=detail)


async def _look_up(
    work: Work, endpoint: Endpoint, request: ProbeRequest, queries: Sequence[Query]
) -> Lookup | None:
    if endpoint.lookup is None or work.hold.stopping():
        return None
    return await look_up(
        endpoint,
        judged_ids(queries),
        limits=request.limits,
        policy=read_policy(work),
        stopping=work.hold.stopping,
    )
