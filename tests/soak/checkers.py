"""What a history must not hold, each rule a pure function from events to violations.

The letters are those of the specification: a run ends (a), every query once (b), numbers follow
from outcomes (c), ended is ended (d), reads never go back (e), a creation is done once (f), the
endpoint was asked for what it answered and for nothing too late (g), nobody sees another's (h).
Beside them: no answer is a defect (i), and workers that are told to end do (j).
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from typing import Final

from reteval.contract.outcomes import OutcomeStatus
from reteval.contract.runs import RunStatus
from reteval.contract.testsets import Query
from tests.faults.audit import check_metrics
from tests.faults.collection import search
from tests.soak.history import (
    Asked,
    Cancelled,
    Compared,
    Created,
    Drained,
    Events,
    Fault,
    Found,
    Healed,
    Listed,
    Read,
    Refused,
    Told,
    Uploaded,
    pick,
)

LEASE_S: Final = 3.0
SLACK_S: Final = 1.0
"""What a busy machine may add to any bound."""
CANCEL_S: Final = 2.0
"""Also two thirds of a lease: a worker that cannot renew it for so long stops sending."""
DRAIN_S: Final = 30.0
GONE: Final = 404
DEFECT: Final = 500
STEPS: Final = {RunStatus.QUEUED: 0, RunStatus.RUNNING: 1, RunStatus.FINALISING: 2}

Check = Callable[[Events], Iterator[str]]


def every_run_ends(events: Events) -> Iterator[str]:
    """(a) Each acknowledged run is there in the end, and has ended; so has each comparison."""
    ends = {found.run: found.status for found in pick(events, Found)}
    for made in pick(events, Created):
        if made.run and made.run not in ends:
            yield f"{made.run} was acknowledged and is gone"
    for run, status in ends.items():
        if not status.terminal:
            yield f"{run} has not ended: {status}"
    last = {seen.comparison: seen.status for seen in pick(events, Compared)}
    yield from (
        f"{it} has not ended: {status}" for it, status in last.items() if not status.terminal
    )
    if not pick(events, Healed):
        yield "nothing has healed"


def every_query_has_one_outcome(events: Events) -> Iterator[str]:
    """(b) The outcomes of a run are those of its test set's queries, and the counts are theirs.

    A run that ended before it was planned lists none, and counts all as skipped.
    """
    queries = _queries(events)
    for found in _reported(events):
        counts, asked = found.report.counts, [it.id for it in _asked(found, queries)]
        unplanned = not found.rows and found.status in (RunStatus.CANCELLED, RunStatus.FAILED)
        told = Counter(str(row.outcome.status) for row in found.rows)
        if unplanned:
            told = Counter({OutcomeStatus.SKIPPED: len(asked)})
        elif [row.query_id for row in found.rows] != asked:
            yield f"{found.run} has outcomes of {[row.query_id for row in found.rows]}"
        counted = +Counter({status: getattr(counts, status) for status in OutcomeStatus})
        if told != counted or counts.planned != len(asked):
            yield f"{found.run} counts {counted} of {counts.planned}, and has {told}"


def numbers_follow_from_outcomes(events: Events) -> Iterator[str]:
    """(c) The reference finds the same bits in the stored outcomes."""
    queries = _queries(events)
    for found in _reported(events):
        try:
            check_metrics(found.report, [*found.rows], _asked(found, queries))
        except (AssertionError, ValueError) as exc:  # a value differs, or a query has no outcome
            yield f"{found.run}: {exc}"


def ended_is_ended(events: Events) -> Iterator[str]:
    """(d) A report that was told once is told like that for ever; nor does an end change."""
    digests: dict[str, set[str]] = defaultdict(set)
    ends: dict[str, set[str]] = defaultdict(set)
    for told in pick(events, Told):
        digests[told.run].add(told.digest)
    for read in (*pick(events, Read), *pick(events, Found)):
        if read.status.terminal:
            ends[read.run].add(read.status)
    for found in _reported(events):
        digests[found.run].add(found.digest)
    yield from (f"{run} had {len(seen)} reports" for run, seen in digests.items() if len(seen) > 1)
    yield from (f"{run} ended as {sorted(seen)}" for run, seen in ends.items() if len(seen) > 1)


def reads_never_go_back(events: Events) -> Iterator[str]:
    """(e) A read that began after another had ended shows no earlier state, and nothing is gone."""
    reads: dict[str, list[Read]] = defaultdict(list)
    for read in pick(events, Read):
        reads[read.run].append(read)
    for run, seen in reads.items():
        for later in seen:
            earlier = [read for read in seen if read.ended < later.began]
            step = max((_step(read.status) for read in earlier), default=0)
            if _step(later.status) < step:
                yield f"{run} went back to {later.status} at {later.ended:.2f}"
            if later.done < max((read.done for read in earlier), default=0):
                yield f"{run} went back to {later.done} requests at {later.ended:.2f}"
    known = {made.run: made.ended for made in reversed(pick(events, Created)) if made.run}
    for refused in pick(events, Refused):
        if refused.status == GONE and known.get(refused.about, refused.began) < refused.began:
            yield f"{refused.about} was gone at {refused.ended:.2f}"


def creations_are_done_once(events: Events) -> Iterator[str]:
    """(f) Tokens and runs belong together one to one, answered or not."""
    runs: dict[str, set[str]] = defaultdict(set)
    tokens: dict[str, set[str]] = defaultdict(set)
    sent = set()
    for made in pick(events, Created):
        sent.add(made.token)
        if made.run:
            runs[made.token].add(made.run)
            tokens[made.run].add(made.token)
    for found in pick(events, Found):
        runs[found.token].add(found.run)
        tokens[found.run].add(found.token)
    yield from (f"{token} made {sorted(made)}" for token, made in runs.items() if len(made) > 1)
    yield from (f"{run} is of {sorted(of)}" for run, of in tokens.items() if len(of) > 1)
    yield from (f"nobody sent {token!r}" for token in runs.keys() - sent)


def answers_were_asked_for(events: Events) -> Iterator[str]:
    """(g) What counts as answered was answered like that, to the run or one it follows."""
    asked: dict[str, set[str]] = defaultdict(set)
    for request in pick(events, Asked):
        if request.answered:
            asked[request.run].add(request.text)
    found = {one.run: one for one in pick(events, Found)}
    for one in _reported(events):
        answered = set.union(*(asked[run] for run in _line(one.run, found)))
        for row in one.rows:
            if not row.outcome.status.answered:
                continue
            if row.query not in answered:
                yield f"{one.run}: {row.query!r} was never answered"
                continue
            hits = [hit["id"] for hit in search(row.query)[1]]
            if row.outcome.ids != hits[: one.report.depth]:
                yield f"{one.run}: {row.query!r} was answered otherwise"


def nothing_is_sent_after_cancel(events: Events) -> Iterator[str]:
    """(g) Soon after a cancellation, or the end, nothing is sent.

    A worker that can renew its lease hears of it, and one that cannot has stopped as soon; only one
    that is frozen meanwhile may do so later.
    """
    freezes = [fault for fault in pick(events, Fault) if fault.freezes]
    bounds = {run: _extend(over, freezes) for run, over in _over(events).items()}
    late = Counter(it.run for it in pick(events, Asked) if it.began > bounds.get(it.run, it.began))
    for run, count in late.items():
        yield f"{run} was asked for {count} times after {bounds[run]:.2f}"


def lost_leases_are_silent(events: Events) -> Iterator[str]:
    """(g) While no worker can reach the store, nothing is sent once the leases are over."""
    for fault in pick(events, Fault):
        if not fault.silences:
            continue
        over = fault.began + LEASE_S + SLACK_S
        late = [it for it in pick(events, Asked) if over < it.began < fault.ended]
        if late:
            yield f"{len(late)} requests during {fault.name}, the first at {late[0].began:.2f}"


def nobody_sees_anothers(events: Events) -> Iterator[str]:
    """(h) A run has its client's token, label, test set and queries; so has what was asked."""
    owners = {made.token: made.who for made in pick(events, Created)}
    sets = {uploaded.who: uploaded for uploaded in pick(events, Uploaded)}
    texts = {who: {query.query for query in it.queries} for who, it in sets.items()}
    client = {}
    for found in pick(events, Found):
        who = client[found.run] = owners.get(found.token, "")
        if found.label != who:
            yield f"{found.run} of {who!r} has the label {found.label!r}"
        own = sets[who].test_set if who in sets else ""
        if found.report and found.report.test_set.id != own:
            yield f"{found.run} of {who!r} has the test set {found.report.test_set.id}"
        if not {row.query for row in found.rows} <= texts.get(who, set()):
            yield f"{found.run} of {who!r} has queries of others"
    for request in pick(events, Asked):
        if request.run in client and request.text not in texts.get(client[request.run], ()):
            yield f"{request.run} was asked for {request.text!r}"
    for listed in pick(events, Listed):
        if set(listed.labels) - {listed.label}:
            yield f"the list of {listed.label} held {sorted(set(listed.labels))}"


def no_answer_is_a_defect(events: Events) -> Iterator[str]:
    """(i) Whatever happens, no answer is 500: what is away for now says so."""
    for refused in pick(events, Refused):
        if refused.status == DEFECT:
            yield f"{refused.call} was answered {refused.status} {refused.code}"


def told_workers_end(events: Events) -> Iterator[str]:
    """(j) A worker that gets SIGTERM exits with 0, and within 30 s."""
    for drained in pick(events, Drained):
        took = drained.ended - drained.began
        if drained.exit_code != 0 or took > DRAIN_S:
            yield f"{drained.who} ended with {drained.exit_code} after {took:.1f} s"


CHECKERS: Final[tuple[Check, ...]] = (
    every_run_ends,
    every_query_has_one_outcome,
    numbers_follow_from_outcomes,
    ended_is_ended,
    reads_never_go_back,
    creations_are_done_once,
    answers_were_asked_for,
    nothing_is_sent_after_cancel,
    lost_leases_are_silent,
    nobody_sees_anothers,
    no_answer_is_a_defect,
    told_workers_end,
)


def check(events: Events) -> dict[str, list[str]]:
    """Return the violations of each rule that is broken, by its name."""
    found = {rule.__name__: [*rule(events)] for rule in CHECKERS}
    return {name: violations for name, violations in found.items() if violations}


def _step(status: RunStatus) -> int:
    return STEPS.get(status, len(STEPS))


def _queries(events: Events) -> dict[str, list[Query]]:
    return {uploaded.test_set: [*uploaded.queries] for uploaded in pick(events, Uploaded)}


def _asked(found: Found, queries: dict[str, list[Query]]) -> list[Query]:
    return queries.get(found.report.test_set.id, [])


def _reported(events: Events) -> list[Found]:
    return [found for found in pick(events, Found) if found.report is not None]


def _line(run: str, found: dict[str, Found]) -> Iterator[str]:
    """Yield a run and those whose answers it took over."""
    while run:
        yield run
        run = found[run].parent if run in found else ""


def _over(events: Events) -> dict[str, float]:
    """Return when each run was first known to be cancelled, or to have ended."""
    over: dict[str, float] = {}
    for cancelled in pick(events, Cancelled):
        over.setdefault(cancelled.run, cancelled.ended)
    for read in pick(events, Read):
        if read.status.terminal:
            over[read.run] = min(over.get(read.run, read.ended), read.ended)
    return over


def _extend(over: float, freezes: list[Fault]) -> float:
    """Return until when requests may come in, given who was frozen meanwhile."""
    bound = over + CANCEL_S + SLACK_S
    for freeze in sorted(freezes, key=lambda fault: fault.began):
        if freeze.began < bound and over < freeze.ended:
            bound = max(bound, freeze.ended + CANCEL_S + SLACK_S)
    return bound
