"""How far a judge can be trusted: its agreement with people, and its answers to probes."""

import asyncio
from collections.abc import Iterable, Sequence
from typing import Any, Final

import numpy as np
from msgspec import Struct, structs
from numpy.typing import NDArray

from reteval.contract.agreement import ProbeKind
from reteval.contract.judges import Spent
from reteval.contract.judgings import JudgingReport, Measurement
from reteval.contract.pools import PooledPair
from reteval.contract.votes import AUDITED_QUERIES, QueueReason, RaterKind
from service.store.chunks import SIZE
from service.store.judging_records import JudgingRecord, StepSpec
from service.store.pools import Pooled
from worker.jobs.bench import Bench, Item, open_chat
from worker.jobs.calibrating import calibrate
from worker.jobs.judging import list_queries, need_judge
from worker.jobs.pooling import name_config
from worker.jobs.trying import finish_short
from worker.jobs.work import Work
from worker.judging.agreement import Audit, Judged, measure
from worker.judging.beliefs import believe, find_last, find_people
from worker.judging.calibration import Calibration
from worker.judging.probes import Probe, Subject, plan_probes
from worker.judging.purse import Purse
from worker.judging.raters import UNRATED, Ratings, compare
from worker.judging.scorecard import score
from worker.judging.standings import DEPTH, Labels, Standings
from worker.search.crew import Crew

SUBJECTS: Final = 30
"""Queries whose good texts a judge is tempted with."""
DOCUMENTS: Final = 500
"""Texts of the pool that probes are made of."""


class Votes(Struct, frozen=True, kw_only=True):
    """All that was said, by pair: the place of its query, and the last grades by rater.

    `judge` are those of the last judge, `people` the last one by any person.
    """

    query: dict[tuple[str, str], int]
    judge: dict[tuple[str, str], int]
    people: dict[tuple[str, str], int]
    raters: dict[str, dict[tuple[str, str], int]]


async def measure_agreement(work: Work, record: JudgingRecord, _step: StepSpec) -> None:
    """Compare the last judge with people, and people with each other, and end the job.

    Raises:
        LostClaimError: another worker has it.
        ServiceError: the store is away.
    """
    rater = record.judges[-1].rater if record.judges else ""
    request, scale_max = record.spec.request, record.spec.scale_max
    votes = Votes(query={}, judge={}, people={}, raters={})
    ids = await list_queries(work, record)
    fitted = await calibrate(work, record, ids)
    standings = Standings(
        [*map(name_config, range(len(request.endpoints))), *request.runs],
        k=min(DEPTH, request.depth),
        scale_max=scale_max,
        seed=request.seed,
    )
    drawn = await work.store.pools.draw(
        work.tenant, record.id, seed=request.seed, most=AUDITED_QUERIES
    )
    async for pool in work.store.pools.read(work.tenant, record.id, ids):
        collect(votes, pool, rater)
        labels = read_labels(pool, rater, scale_max=scale_max, calibration=fitted.calibration)
        sampled = pool.query_id in drawn
        await asyncio.to_thread(standings.add, pool.query_id, pool.pairs, labels, sampled=sampled)
    test_set = await work.store.test_sets.get(work.tenant, record.spec.test_set.id)
    found = await asyncio.to_thread(
        compare_votes,
        votes,
        await _list_sample(work, record),
        rater=rater,
        scale_max=scale_max,
        relevant_from=test_set.relevant_from,
        seed=request.seed,
    )
    told = await asyncio.to_thread(_tell, standings, record, calibrated_by=fitted.grades)
    await finish_short(work, JudgingReport(measurement=structs.replace(found, **told)))


def _tell(standings: Standings, record: JudgingRecord, *, calibrated_by: int) -> dict[str, Any]:
    """Return what is told of configurations; without a judge, only how far people are."""
    review = f"/v1/judgings/{record.id}/review?audit=queries"
    told: dict[str, Any] = {"query_audit": standings.tell_audit(review=review)}
    if record.judges:
        told["metrics"] = standings.tell_metrics()
        told["labels"] = standings.tell_doubt(calibrated_by=calibrated_by)
    return told


def read_labels(
    pool: Pooled, rater: str, *, scale_max: int, calibration: Calibration | None
) -> Labels:
    """Return what was said of a query's pairs."""
    judged, people = find_last(pool.votes, rater), find_people(pool.votes)
    chances = believe(pool.pairs, judged, people, scale_max=scale_max, calibration=calibration)
    return Labels(judged=judged, people=people, chances=chances)


def collect(votes: Votes, pool: Pooled, rater: str) -> None:
    """Add what was said of a query's pairs."""
    place = len(votes.query)  # any number will do that no other query has
    for doc_id, vote in find_last(pool.votes, rater).items():
        if vote.grade is not None:
            votes.judge[pool.query_id, doc_id] = vote.grade
            votes.query[pool.query_id, doc_id] = place
    for vote in pool.votes:
        pair = (pool.query_id, vote.doc_id)
        if vote.kind is RaterKind.HUMAN and vote.grade is not None:
            votes.query[pair] = place
            votes.people[pair] = vote.grade
            votes.raters.setdefault(vote.rater, {})[pair] = vote.grade


def compare_votes(
    votes: Votes,
    sample: Sequence[tuple[str, str]],
    *,
    rater: str,
    scale_max: int,
    relevant_from: int,
    seed: int,
) -> Measurement:
    """Measure both agreements; a judge's is None while people have voted on none of its sample."""
    both = [pair for pair in sample if pair in votes.people and pair in votes.judge]
    audit = Audit(
        query=_numbers(votes.query[pair] for pair in both),
        people=_numbers(votes.people[pair] for pair in both),
        judge=_numbers(votes.judge[pair] for pair in both),
        judged=Judged(
            query=_numbers(votes.query[pair] for pair in votes.judge),
            grade=_numbers(votes.judge.values()),
        ),
    )
    pairs = list(votes.people)
    grades = [[own.get(pair, UNRATED) for own in votes.raters.values()] for pair in pairs]
    ratings = Ratings(
        raters=list(votes.raters),
        query=_numbers(votes.query[pair] for pair in pairs),
        grades=np.array(grades, dtype=np.int64).reshape(len(pairs), len(votes.raters)),
    )
    agreement = (
        measure(audit, scale_max=scale_max, relevant_from=relevant_from, seed=seed)
        if both
        else None
    )
    return Measurement(
        rater=rater or None,
        sampled=len(sample),
        reviewed=len(both),
        agreement=agreement,
        raters=compare(ratings, scale_max=scale_max, seed=seed),
    )


async def probe_judge(work: Work, record: JudgingRecord, step: StepSpec) -> None:
    """Put probes to a judge, sum its answers up, and end the job.

    Raises:
        LostClaimError: another worker has it.
        ServiceError: the store is away.
    """
    judge, prompt = need_judge(step)
    test_set = await work.store.test_sets.get(work.tenant, record.spec.test_set.id)
    probes = await _plan(work, record, relevant_from=test_set.relevant_from)
    grades: list[int | None] = [None] * len(probes)
    async with open_chat(work, judge.request, prompt) as (chat, manners):
        purse = Purse(judge.request.caps, Spent(), pairs=0)
        bench = Bench(work, judge, prompt, chat, purse)

        async def answer(probe: Probe) -> int | None:
            pair = PooledPair(doc_id=probe.kind.value, text=probe.texts[0])
            item = Item(query_id=probe.query_id, query=probe.query, pair=pair)
            return await bench.grade(item, probe.vote)

        crew = Crew(
            answer,
            manners=manners,
            concurrency=judge.request.model.limits.concurrency,
            failed=lambda _grade: False,
            given_up=None,
        )
        await crew.work(enumerate(probes), emit=grades.__setitem__, stopping=work.hold.stopping)
    if work.hold.stopping():
        await work.make_way()
        return
    card = score(
        probes,
        [(grade,) for grade in grades],
        scale_max=record.spec.scale_max,
        relevant_from=test_set.relevant_from,
    )
    await finish_short(work, JudgingReport(scorecard=card))


def leave_out_batches(probes: Sequence[Probe]) -> list[Probe]:
    """Return the probes of one text each: pairs are put to a judge one by one."""
    kept = [place for place, probe in enumerate(probes) if probe.kind is not ProbeKind.ORDER]
    moved = {place: now for now, place in enumerate(kept)}
    return [
        structs.replace(
            probes[place],
            control=None if probes[place].control is None else moved[probes[place].control or 0],
        )
        for place in kept
    ]


async def _plan(work: Work, record: JudgingRecord, *, relevant_from: int) -> list[Probe]:
    subjects: list[Subject] = []
    documents: dict[str, None] = {}
    ids = await list_queries(work, record)
    async for pool in work.store.pools.read(work.tenant, record.id, ids):
        good = _list_good(pool, relevant_from=relevant_from)
        if good and len(subjects) < SUBJECTS:
            subjects.append(Subject(id=pool.query_id, query=pool.query, relevant=good))
        for pair in pool.pairs if len(documents) < DOCUMENTS else ():
            if pair.text:
                documents[pair.text] = None
    seed = record.spec.request.seed
    return leave_out_batches(plan_probes(subjects, list(documents), seed=seed))


def _list_good(pool: Pooled, *, relevant_from: int) -> tuple[str, ...]:
    """Return texts that people, or the set, say to be relevant."""
    said = {
        vote.doc_id: vote.grade
        for vote in pool.votes
        if vote.kind is RaterKind.HUMAN and vote.grade is not None
    }
    grades = {pair.doc_id: said.get(pair.doc_id, pair.known) for pair in pool.pairs}
    return tuple(
        pair.text
        for pair in pool.pairs
        if pair.text and (grade := grades[pair.doc_id]) is not None and grade >= relevant_from
    )


async def _list_sample(work: Work, record: JudgingRecord) -> list[tuple[str, str]]:
    """Return the pairs of the random sample."""
    found: list[tuple[str, str]] = []
    start = 0
    while queued := await work.store.pools.queue(
        work.tenant, record.id, start=start, stop=start + SIZE
    ):
        sampled = [one for one in queued if one.reason is QueueReason.AUDIT]
        found += [(one.query_id, one.doc_id) for one in sampled]
        start += len(queued)
    return found


def _numbers(values: Iterable[int]) -> NDArray[np.int64]:
    return np.fromiter(values, dtype=np.int64)
