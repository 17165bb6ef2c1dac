"""How often the adversarial suite calls a kind worse where nothing is: an A/A experiment.

The endpoint takes no notice of what a query says: it breaks the ties among its best documents by
chance, anew for each request. Every suite has its own seed, sample of queries, variants and
ties. A suite is wrong when it calls any kind worse, after Holm's correction over its kinds; that
may happen to one in twenty, and two Monte Carlo standard errors are allowed on top.
"""

import argparse
import math
import random
import sys
import time
from collections.abc import Callable, Sequence

from reteval.contract.metrics import Metric
from reteval.contract.outcomes import Outcome, OutcomeStatus, PlannedRequest
from reteval.contract.runs import AdversarialRequest
from reteval.contract.testsets import Judgment, Query
from worker.pipeline.pairing import Evidence
from worker.pipeline.plan import build_plan
from worker.pipeline.robustness import robustness
from worker.pipeline.stretches import read_stretches
from worker.pipeline.variants import Variants

ALPHA = 0.05
DEPTH = 10
KINDS = [
    *("control.repeat", "typo.mixed", "case.upper", "whitespace_punct", "segment.merge"),
    *("naturality.stopwords", "order.swap", "inflection", "short.k3", "verbose.context"),
]
NOUNS = ("invoice", "password", "calendar", "workspace", "subscription", "address", "keyboard")
VERBS = ("reset", "delete", "export", "rename", "archive", "restore", "compare", "print")


def main() -> int:
    """Run the experiment and print its figure; 1 if the goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--suites", type=int, default=1_000)
    parser.add_argument("--queries", type=int, default=40)
    options = parser.parse_args()
    start = time.perf_counter()
    wrong = count_wrong(options.suites, make_queries(options.queries))
    share = wrong / options.suites
    goal = allowed(options.suites)
    print(f"{options.suites} suites of {options.queries} queries and {len(KINDS) - 1} kinds")
    print(f"suites that call any kind worse: {wrong} ({share:.2%})")
    print(f"{time.perf_counter() - start:.0f} s")
    print(f"figure aa_false_worse {share:.4f} goal <= {goal:.4f}")
    return 0 if share <= goal else 1


def allowed(suites: int) -> float:
    """Return one in twenty and two standard errors of a share over as many suites."""
    return ALPHA + 2 * math.sqrt(ALPHA * (1 - ALPHA) / suites)


def count_wrong(suites: int, queries: Sequence[Query]) -> int:
    """Count the suites, seeded 0 and up, that call any kind worse."""
    return sum(_calls_worse(seed, queries) for seed in range(suites))


def make_queries(count: int) -> list[Query]:
    """Return as many different queries, each with two right documents of unequal grade."""
    return [
        Query(
            id=f"q{place}",
            query=f"how to {VERBS[place % len(VERBS)]} the {NOUNS[place % len(NOUNS)]} of "
            f"customer account {'abcdefghij'[place // 56 % 10]}",
            relevant=[Judgment("a", 3), Judgment("b", 1)],
        )
        for place in range(count)
    ]


def _calls_worse(seed: int, queries: Sequence[Query]) -> bool:
    request = AdversarialRequest(seed=seed, kinds=KINDS, severities=[1])
    plan = build_plan(queries, request, relevant_from=1)
    answer = break_ties(seed)
    outcomes = [answer(each) for each in plan.requests]
    evidence = Evidence(
        queries=queries,
        plan=plan.requests,
        suite=plan.suite,
        metric=Metric("ndcg", DEPTH),
        depth=DEPTH,
        relevant_from=1,
    )
    variants = Variants(evidence, outcomes)
    read_stretches(plan.requests, outcomes, [variants])
    return any(kind.verdict == "worse" for kind in robustness(variants).kinds)


def break_ties(seed: int) -> Callable[[PlannedRequest], Outcome]:
    """Return an endpoint whose first documents tie, some of them right."""
    # Repeatable on purpose: the same suites every time.
    shuffle = random.Random(seed).shuffle  # noqa: S311

    def answer(request: PlannedRequest) -> Outcome:
        tied = ["a", "b", "c", "d", "e", "f"][: 2 + len(request.query_id) % 5]
        shuffle(tied)
        ids = [*tied, "g", "h"]
        return Outcome(
            status=OutcomeStatus.OK, ids=ids, returned=len(ids), latency_ms=1.0, http_status=200
        )

    return answer


if __name__ == "__main__":
    sys.exit(main())
