"""The end of a judging: its grades become the judgments of a test set, which never changes."""

from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any, Final

from msgspec import structs

from reteval.contract.diagnostics import Diagnostic, DiagnosticCode, Severity
from reteval.contract.judgings import FreezeRequest, Judging
from reteval.contract.testsets import Judgment, JudgmentSource, Query, TestSet
from reteval.contract.votes import PairStatus, RaterKind, Vote
from service.core.backend import Backend
from service.core.ingest.located import Located
from service.core.judging.consensus import settle
from service.core.judging.judgings import get_judging, name_set
from service.core.test_sets import Lineage, head_of, stage, store_test_set
from service.errors import JudgingBusyError, JudgingIncompleteError
from service.store.judging_records import JudgingRecord
from service.store.pools import Pooled

TRIES: Final = 3
"""Times that a judging is read anew which others vote on meanwhile."""
_MISSING: Final = (PairStatus.FAILED, PairStatus.UNJUDGED)


async def freeze_judging(backend: Backend, judging_id: str, request: FreezeRequest) -> Judging:
    """Make a test set of a judging, of the same name as its queries', and close it.

    Asked again it answers the same.

    Raises:
        NotFoundError: no such judging, or its queries are gone.
        JudgingIncompleteError: pairs have no grade, and are not allowed to have none.
        JudgingBusyError: a job is at work on it, or votes keep coming.
        JudgingFrozenError: it was closed before, as another set.
        InvalidError, QuotaExceededError: the set cannot be stored.
    """
    for _ in range(TRIES):
        record = await backend.store.judgings.get(backend.tenant, judging_id)
        if record.state.busy:
            break
        test_set = await _make_set(backend, record, request)
        if await backend.store.judgings.freeze(backend.tenant, record, name_set(test_set)):
            return await get_judging(backend, judging_id)
    raise JudgingBusyError(f"Judging {judging_id!r} is being written to; try again after that.")


async def _make_set(backend: Backend, record: JudgingRecord, request: FreezeRequest) -> TestSet:
    source = await backend.store.test_sets.get(backend.tenant, record.spec.test_set.id)
    head = structs.replace(head_of(source), name=request.name or source.name)
    counts: Counter[PairStatus] = Counter()
    queries = _list_queries(backend, record, request, counts)
    note = f"frozen from judging {record.id} ({request.consensus.value})"
    staged = await stage(backend, head, queries, lineage=Lineage(source, note))
    try:
        _check_complete(record, request, counts)
        warnings = (*staged.draft.warnings, *_tell(record, request, counts))
        draft = structs.replace(staged.draft, warnings=warnings)
        test_set, _ = await store_test_set(backend, structs.replace(staged, draft=draft))
    except BaseException:
        await staged.discard()
        raise
    return test_set


async def _list_queries(
    backend: Backend,
    record: JudgingRecord,
    request: FreezeRequest,
    counts: Counter[PairStatus],
) -> AsyncIterator[Located]:
    """Yield the set's queries with the grades that their pools came to, and count these."""
    place = 0
    async for chunk in backend.store.test_sets.chunks(backend.tenant, record.spec.test_set.id):
        ids = [query.id for query in chunk]
        pools = {
            pool.query_id: pool
            async for pool in backend.store.pools.read(backend.tenant, record.id, ids)
        }
        for query in chunk:
            graded = _grade(query, pools, request, counts)
            yield Located(query=graded, pointer=f"/queries/{place}")
            place += 1


def _grade(
    query: Query,
    pools: Mapping[str, Pooled],
    request: FreezeRequest,
    counts: Counter[PairStatus],
) -> Query:
    """Return a query with its pool's grades; one without a pool keeps its own."""
    pool = pools.get(query.id)
    if pool is None:
        return query
    known = {str(judgment.id): judgment for judgment in query.relevant or ()}
    judged = []
    for pair in pool.pairs:
        settled = settle(pair, pool.votes, request.consensus)
        counts[settled.status] += 1
        if settled.status is PairStatus.KNOWN:
            judged.append(known[pair.doc_id])
        elif settled.grade is not None:
            judged.append(_credit(pair.doc_id, settled.grade, settled.votes))
    judged.sort(key=lambda one: (-one.grade, str(one.id)))
    return structs.replace(query, relevant=judged)


def _credit(doc_id: str, grade: int, votes: Sequence[Vote]) -> Judgment:
    """Return a judgment that says whose it is, and when the last of them judged."""
    last = votes[-1]
    raters = {vote.rater for vote in votes}
    return Judgment(
        doc_id,
        grade,
        rater=last.rater if len(raters) == 1 else f"{len(raters)} raters",
        at=last.at,
        source=JudgmentSource.HUMAN if last.kind is RaterKind.HUMAN else JudgmentSource.LLM,
    )


def _check_complete(
    record: JudgingRecord, request: FreezeRequest, counts: Mapping[PairStatus, int]
) -> None:
    failed, unjudged = (counts.get(status, 0) for status in _MISSING)
    if not record.pool.queries:
        raise JudgingIncompleteError(
            f"Judging {record.id!r} has no pool; POST /v1/judgings/{record.id}/pool first."
        )
    if (failed or unjudged) and not request.allow_unjudged:
        raise JudgingIncompleteError(
            f"Of the pairs {failed} failed and {unjudged} were judged by nobody; judge or review "
            "them, or freeze with `allow_unjudged`, which the set will say for ever."
        )


def _tell(
    record: JudgingRecord, request: FreezeRequest, counts: Mapping[PairStatus, int]
) -> list[Diagnostic]:
    """Return where a set's judgments come from, and what is missing in them."""
    judges: list[dict[str, Any]] = [
        {
            "rater": judge.rater,
            "model": judge.request.model.name,
            "family": judge.request.model_family,
            "prompt": f"{judge.prompt_id} {judge.prompt_version}",
            "prompt_hash": judge.prompt_hash,
            "votes": judge.request.votes,
        }
        for judge in record.judges[-4:]
    ]
    told = {status.value: count for status, count in sorted(counts.items())}
    source = {"judging": record.id, "consensus": request.consensus.value, **told}
    found = [
        Diagnostic(
            code=DiagnosticCode.POOLED_JUDGMENTS,
            severity=Severity.INFO,
            message=(
                f"The judgments come from a pool: people gave {counts.get(PairStatus.REVIEWED, 0)} "
                f"of them, models {counts.get(PairStatus.JUDGED, 0)}."
            ),
            fix="Compare only with scores on judgments of the same judge.",
            evidence=(source, *judges),
        )
    ]
    missing = sum(counts.get(status, 0) for status in _MISSING)
    if missing:
        found.append(
            Diagnostic(
                code=DiagnosticCode.UNJUDGED_PAIRS,
                severity=Severity.WARN,
                message=f"{missing} pairs of the pool have no grade; they count as unjudged.",
                fix="Judge them and freeze again as a new version.",
                evidence=(told,),
            )
        )
    return found
