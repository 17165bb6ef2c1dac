"""A whole run evaluated: from a list in memory, and from one that is read piece by piece."""

import random
import weakref
from collections.abc import Callable, Sequence
from functools import lru_cache

import msgspec
import pytest
from msgspec import structs

from reteval.contract.endpoints import Endpoint
from reteval.contract.metrics import expand_metrics
from reteval.contract.outcomes import FailureCode, Outcome, OutcomeStatus, PlannedRequest
from reteval.contract.runs import AdversarialRequest, Limits, RunRequest
from reteval.contract.testsets import Expect, Judgment, Query, Scale, TestSet, TestSetStats
from service.store.chunks import SIZE
from worker.jobs.stored import Stored
from worker.pipeline.evaluation import RunEvidence, evaluate
from worker.pipeline.plan import build_plan

SEEDED = random.Random(11)  # noqa: S311
ROUNDS = 20
ATTACK = AdversarialRequest(preset="full", seed=5, sample=60)


def make_queries() -> list[Query]:
    """Return queries of every sort: clustered, tagged, unanswerable, with variants by hand."""
    words = ["reset", "password", "gateway", "timeout", "invoice", "upload", "large", "file"]
    queries = [
        Query(
            id=f"q{n}",
            query=f"how do I {' '.join(SEEDED.sample(words, SEEDED.randint(1, 6)))} {n}",
            relevant=[Judgment(f"d{n}", 2), Judgment(f"d{n + 1}", 1), Judgment(f"d{n + 9}", 0)],
            cluster_id=f"c{n // 3}" if n % 4 else "",
            tags=[("faq", "setup")[n % 2]],
        )
        for n in range(60)
    ]
    by_hand = [
        Query(id=f"v{n}", query=f"hand made {n}", relevant=[], parent=f"q{n}", kind="mine")
        for n in range(9)
    ]
    nothing = [Query(id=f"n{n}", query=f"weather {n}", expect=Expect.NOTHING) for n in range(5)]
    return [*queries, *by_hand, *nothing]


def answer(request: PlannedRequest) -> Outcome:
    """Answer at random, mostly near the truth."""
    if SEEDED.random() < 0.05:
        code = SEEDED.choice([FailureCode.TIMEOUT, FailureCode.ENDPOINT_AUTH])
        return Outcome(status=OutcomeStatus.FAILED, code=code, attempts=3)
    if SEEDED.random() < 0.05:
        return Outcome(status=OutcomeStatus.OK_EMPTY, latency_ms=SEEDED.random())
    near = int("".join(filter(str.isdigit, request.query_id)) or 0)
    ids = [f"d{near + SEEDED.choice([0, 1, SEEDED.randint(0, 70)])}" for _ in range(10)]
    return Outcome(
        status=OutcomeStatus.OK,
        ids=ids,
        returned=SEEDED.choice([10, 12]),
        attempts=SEEDED.choice([1, 1, 1, 2]),
        latency_ms=SEEDED.expovariate(0.05),
        scores=sorted((SEEDED.random() for _ in ids), reverse=True),
    )


@pytest.fixture(scope="module")
def evidence() -> RunEvidence:
    """A run of some thousand requests, its outcomes in a list."""
    queries = make_queries()
    plan = build_plan(queries, ATTACK, relevant_from=1, rounds=ROUNDS)
    request = RunRequest(
        test_set="ts_1",
        endpoint=Endpoint(url="http://search/"),
        adversarial=ATTACK,
        repeat=ROUNDS,
        limits=Limits(max_error_rate=1.0),
    )
    return RunEvidence(
        run_id="run_1",
        created_at="2026-11-30T00:00:00+00:00",
        request=request,
        metrics=tuple(expand_metrics(request.metrics, request.k_values)),
        depth=10,
        egress="public",
        code_version="1",
        test_set=make_test_set(queries),
        plan=plan,
        outcomes=[answer(each) for each in plan.requests],
    )


def make_test_set(queries: Sequence[Query]) -> TestSet:
    """Return the head of a set of these queries."""
    return TestSet(
        id="ts_1",
        name="set",
        version=1,
        hash="sha256:1",
        scale=Scale(),
        relevant_from=1,
        language="",
        id_rule="",
        created_at="2026-11-30T00:00:00+00:00",
        allow_unscorable=False,
        warnings=(),
        stats=TestSetStats(
            queries=len(queries),
            scorable=60,
            unscorable=0,
            expect_nothing=5,
            variants=9,
            judgments=180,
            grades={"0": 60, "1": 60, "2": 60},
        ),
    )


def store(items: Sequence[object], make: Callable[[object], object]) -> Stored[object]:
    """Return a list as it is read from the store: chunks made anew, the last one kept."""

    @lru_cache(maxsize=1)
    def chunk(number: int) -> list[object]:
        return [make(item) for item in items[number * SIZE : (number + 1) * SIZE]]

    return Stored(chunk, range(len(items)))


def shelve(evidence: RunEvidence, make: Callable[[object], object]) -> RunEvidence:
    """Return the evidence with its requests and outcomes in the store."""
    requests = store(evidence.plan.requests, structs.replace)
    variants = requests[evidence.plan.clean : evidence.plan.attacked]
    suite = structs.replace(evidence.plan.suite, requests=variants)
    plan = structs.replace(evidence.plan, requests=requests, suite=suite)
    return structs.replace(evidence, plan=plan, outcomes=store(evidence.outcomes, make))


def test_a_stored_run_has_the_report_of_one_in_memory(evidence: RunEvidence) -> None:
    """Byte for byte: report, columns, values of variants, unjudged documents."""
    one, two = evaluate(evidence), evaluate(shelve(evidence, structs.replace))
    assert msgspec.json.encode(one.report) == msgspec.json.encode(two.report)
    assert {name: column.tobytes() for name, column in one.columns.items()} == {
        name: column.tobytes() for name, column in two.columns.items()
    }
    assert one.unjudged == two.unjudged
    assert one.variants is not None
    assert two.variants is not None
    pairs = zip(one.variants, two.variants, strict=True)
    assert all(
        (a.value.tobytes(), a.clean.tobytes()) == (b.value.tobytes(), b.clean.tobytes())
        for a, b in pairs
    )
    assert one.report.stability is not msgspec.UNSET
    assert one.report.adversarial is not msgspec.UNSET


class Watched(Outcome, frozen=True, kw_only=True, weakref=True):
    """An outcome whose end can be seen."""


class Living:
    """Counts outcomes that exist at once."""

    def __init__(self) -> None:
        self.now = self.most = self.ever = 0

    def make(self, outcome: Outcome) -> Watched:
        """Copy an outcome and watch the copy."""
        watched = Watched(**structs.asdict(outcome))
        weakref.finalize(watched, self.end)
        self.now += 1
        self.ever += 1
        self.most = max(self.most, self.now)
        return watched

    def end(self) -> None:
        """Note that one is gone."""
        self.now -= 1


def test_no_more_outcomes_are_held_than_the_clean_ones_and_a_few_chunks(
    evidence: RunEvidence,
) -> None:
    """Variants and repeats pass by: what is kept of each is a number."""
    living = Living()
    evaluation = evaluate(shelve(evidence, living.make))
    total = len(evidence.plan.requests)
    odd = sum(
        request.kind.startswith(("out_of_corpus.", "hostile")) for request in evidence.plan.requests
    )
    assert living.ever > total > 6_000
    assert living.most <= evidence.plan.clean + odd + 2 * SIZE
    assert evaluation.report.num_queries == evidence.plan.clean
