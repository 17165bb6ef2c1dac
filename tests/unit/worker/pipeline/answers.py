"""A made-up endpoint and the evidence of running a test set's plan against it."""

from collections.abc import Callable, Sequence

from reteval.contract.adversarial import AdversarialReport, KindReport
from reteval.contract.metrics import Metric
from reteval.contract.outcomes import FailureCode, Outcome, OutcomeStatus, PlannedRequest
from reteval.contract.runs import AdversarialRequest
from reteval.contract.testsets import Judgment, Query
from worker.adversarial.suite import build_suite
from worker.pipeline.pairing import Evidence
from worker.pipeline.plan import build_plan
from worker.pipeline.robustness import robustness
from worker.pipeline.stretches import read_stretches
from worker.pipeline.variants import Variants

MRR = Metric("mrr", 10)
TYPOS = AdversarialRequest(seed=3, kinds=["control.repeat", "typo.mixed"], severities=[1])
Endpoint = Callable[[PlannedRequest], Outcome]


def query(
    name: str, text: str = "", *, cluster_id: str = "", parent: str = "", kind: str = ""
) -> Query:
    """Return a query whose one right document is called after it."""
    return Query(
        id=name,
        query=text or f"reset forgotten password {name}",
        relevant=[Judgment(f"right-{name}", 1)],
        cluster_id=cluster_id,
        parent=parent,
        kind=kind,
    )


def many(count: int) -> list[Query]:
    """Return this many plain queries."""
    return [query(f"q{place}") for place in range(count)]


def hits(*ids: str, ms: float = 10.0) -> Outcome:
    """Return an answer with these documents."""
    status = OutcomeStatus.OK if ids else OutcomeStatus.OK_EMPTY
    return Outcome(status=status, ids=list(ids), returned=len(ids), latency_ms=ms)


def failed(code: FailureCode = FailureCode.TIMEOUT, http_status: int | None = None) -> Outcome:
    """Return a request without an answer."""
    return Outcome(status=OutcomeStatus.FAILED, code=code, http_status=http_status)


def at_rank(request: PlannedRequest, rank: int) -> Outcome:
    """Return an answer whose right document has this rank."""
    noise = [f"noise{place}" for place in range(rank - 1)]
    return hits(*noise, f"right-{request.query_id}")


def perfect(request: PlannedRequest) -> Outcome:
    """Answer every query rightly, however it is spelled."""
    return at_rank(request, 1)


def literal(request: PlannedRequest) -> Outcome:
    """Answer only what is spelled as in the test set."""
    spelled = request.text == (request.original or request.text)
    return at_rank(request, 1) if spelled else hits()


class Sent(Evidence, frozen=True, kw_only=True, eq=False):
    """Evidence with what came of each request of its plan."""

    outcomes: Sequence[Outcome]


def send(
    queries: Sequence[Query],
    endpoint: Endpoint,
    request: AdversarialRequest | None = TYPOS,
    *,
    metric: Metric = MRR,
    depth: int = 10,
) -> Sent:
    """Plan a run, answer each of its requests, and gather what the report is made of."""
    plan = build_plan(queries, request, relevant_from=1)
    return Sent(
        queries=queries,
        plan=plan.requests,
        outcomes=[endpoint(each) for each in plan.requests],
        suite=build_suite(queries, request, relevant_from=1),
        metric=metric,
        depth=depth,
        relevant_from=1,
    )


def read(sent: Sent) -> Variants:
    """Read what was sent as a run is read."""
    variants = Variants(sent, sent.outcomes)
    read_stretches(sent.plan, sent.outcomes, [variants])
    return variants


def report_on(sent: Sent) -> AdversarialReport:
    """Report what was sent."""
    return robustness(read(sent))


def kind_of(report: AdversarialReport, kind: str) -> KindReport:
    """Return the only report of a kind."""
    (found,) = [each for each in report.kinds if each.kind == kind]
    return found
