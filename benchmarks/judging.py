"""A judge's known noise is measured again, its tricks exposed, and labels of people saved.

Three tables. First: a fake judge of known confusion matrix grades the pairs of many queries, 60
of them, 15 of each of its grades, are audited, and 40 queries are labelled whole; how often the
stated intervals hold what is true of the judge and of the metric. Second: which probes expose
which judge. Third: how many labels it takes, in the order that is proposed and in others, until
nDCG@10 is known to a given error.
"""

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from benchmarks.judging_labels import (
    DATA,
    GRADES,
    PRIOR,
    K,
    by_chance,
    by_margin,
    by_priority,
    count_labels,
    draw_pool,
    make_grades,
    measure_error,
    read_chorus,
    read_trec_dl,
)
from examples.judge.__main__ import HELPCENTRE
from examples.judge.oracle import FAULTLESS, LENIENT, Case, Matrix, Oracle, read_oracle
from examples.judge.scenarios import grade_pair
from reteval.contract.agreement import Agreement, DebiasedMetric, Estimate, ProbeKind
from worker.judging import confusion
from worker.judging.agreement import Audit, Judged, measure
from worker.judging.debias import debias
from worker.judging.priorities import ndcg
from worker.judging.probes import Probe, Subject, plan_probes
from worker.judging.scorecard import score

TEST_SET, TEXTS = HELPCENTRE / "testset.json", HELPCENTRE / "documents.jsonl"
QUERIES, DOCUMENTS = 150, 15
AUDITED, LABELLED = 15, 40
TRIED = [kind for kind in ProbeKind if kind is not ProbeKind.CUT]
"""No text of the help centre is long enough to be cut."""
RELEVANT_FROM = 2
NOISE = 1.0
COVERED = 0.93
KAPPAS = ("kappa", "kappa_weighted", "kappa_binary", "alpha", "signed_difference", "exact")
JUDGES = (
    "ok",
    "always_3",
    "gullible_keyword",
    "gullible_injection",
    "length_biased",
    "order_biased",
)
TARGETS = (0.06, 0.04, 0.02, 0.01)
AIM = 0.02
ORDERS = {"random": by_chance, "least margin": by_margin, "proposed": by_priority}

Values = NDArray[np.float64]
Figure = tuple[str, float, str, float]


class Sheet(Struct, frozen=True, eq=False):
    """Right grades of all pairs, shape (queries, documents), and how one system ranks them."""

    right: NDArray[np.int64]
    ranks: NDArray[np.int64]


class Coverage(Struct, frozen=True):
    """How often intervals held the truth."""

    name: str
    true: float
    mean: float
    width: float
    covered: float


def main() -> int:
    """Run the experiments and print their figures; 1 if a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=200, help="judges whose noise is measured")
    parser.add_argument("--cards", type=int, default=20, help="scorecards of each judge")
    parser.add_argument("--paths", type=int, default=3, help="pools that are labelled in order")
    options = parser.parse_args()
    figures = [
        *_report(print_recovery, options.seeds),
        *_report(print_scorecards, options.cards),
        *_report(print_labels, options.paths),
    ]
    missed = 0
    for name, value, sign, goal in figures:
        print(f"figure {name} {value:.3f} goal {sign} {goal:.2f}")
        missed += not (value >= goal if sign == ">=" else value <= goal)
    return min(missed, 1)


def _report(part: Callable[[int], Iterator[Figure]], count: int) -> list[Figure]:
    start = time.perf_counter()
    figures = list(part(count))
    print(f"{time.perf_counter() - start:.0f} s\n", flush=True)
    return figures


def print_recovery(seeds: int) -> Iterator[Figure]:
    """Print how often each stated interval holds the truth; yield the shares."""
    print(f"{seeds} judges, {QUERIES} queries x {DOCUMENTS} documents, audited {4 * AUDITED} pairs")
    print("| figure | true | mean | mean width | covered |\n|---|---:|---:|---:|---:|")
    for row in recover(seeds):
        numbers = f"{row.true:.3f} | {row.mean:.3f} | {row.width:.3f} | {row.covered:.1%}"
        print(f"| {row.name} | {numbers} |")
        if not row.name.startswith("raw"):
            yield f"judging_{row.name.replace('@', '_')}_covered", row.covered, ">=", COVERED


def recover(seeds: int) -> Iterator[Coverage]:
    """Measure as many judges, seeded 0 and up, and compare with what is true of all of them."""
    measured = [measure_judge(seed) for seed in range(seeds)]
    truth = know_truth()
    for name in KAPPAS:
        yield _cover(name, truth[name], [getattr(agreement, name) for agreement, _ in measured])
    metrics = [metric for _, metric in measured]
    yield _cover("ndcg@10", truth["ndcg@10"], [metric.corrected for metric in metrics])
    yield _cover("raw ndcg@10", truth["ndcg@10"], [metric.raw for metric in metrics])


def know_truth() -> dict[str, float]:
    """Return what the figures are in the limit: of the matrix exactly, of nDCG by many draws."""
    table = np.array(PRIOR)[:, None] * np.array(LENIENT)
    many = draw_sheet(1_000_003, queries=40_000)
    return {
        "kappa": float(confusion.kappa(table)),
        "kappa_weighted": float(confusion.kappa_weighted(table)),
        "kappa_binary": float(confusion.kappa_binary(table, relevant_from=RELEVANT_FROM)),
        # Alpha corrects for small samples; in the limit there is nothing to correct.
        "alpha": float(confusion.alpha_of_two(table * 1e12)),
        "signed_difference": float(confusion.signed_difference(table)),
        "exact": float(confusion.exact(table)),
        "ndcg@10": float(_score(many.right, many.ranks).mean()),
    }


def draw_sheet(seed: int, *, queries: int) -> Sheet:
    """Draw grades and a ranking by a system that sees them through noise."""
    rng = np.random.default_rng(seed)
    right = rng.choice(GRADES, size=(queries, DOCUMENTS), p=PRIOR)
    scores = right + rng.normal(scale=NOISE, size=right.shape)
    return Sheet(right, (-scores).argsort(axis=1).argsort(axis=1) + 1)


def measure_judge(seed: int) -> tuple[Agreement, DebiasedMetric]:
    """Let a fake judge grade all pairs, audit some and put nDCG@10 right by some queries."""
    rng = np.random.default_rng([seed, 1])
    sheet, oracle = draw_sheet(seed, queries=QUERIES), Oracle({}, seed=seed)
    given = np.array(
        [
            [oracle.draw(Case(f"q{q}", f"d{d}", int(grade))) for d, grade in enumerate(row)]
            for q, row in enumerate(sheet.right)
        ]
    )
    query = np.repeat(np.arange(QUERIES), DOCUMENTS)
    right, judge = sheet.right.ravel(), given.ravel()
    strata = [np.flatnonzero(judge == grade) for grade in range(GRADES)]
    picked = np.concatenate([rng.choice(stratum, AUDITED, replace=False) for stratum in strata])
    audit = Audit(
        query=query[picked],
        people=right[picked],
        judge=judge[picked],
        judged=Judged(query=query, grade=judge),
    )
    people = np.full(QUERIES, np.nan)
    labelled = rng.choice(QUERIES, LABELLED, replace=False)
    people[labelled] = _score(sheet.right, sheet.ranks)[labelled]
    return (
        measure(audit, scale_max=GRADES - 1, relevant_from=RELEVANT_FROM, seed=seed),
        debias(_score(given, sheet.ranks), people),
    )


def _score(grades: NDArray[np.int64], ranks: NDArray[np.int64]) -> Values:
    """Return nDCG@10 of each query."""
    rows = zip(grades, ranks, strict=True)
    return np.array([ndcg(row[None], rank[None], k=K)[0, 0] for row, rank in rows])


def _cover(name: str, true: float, estimates: Sequence[Estimate]) -> Coverage:
    """Count the intervals that hold the truth; an estimate without one holds nothing."""
    bounds = np.array([estimate.ci or (np.nan, np.nan) for estimate in estimates])
    values = [estimate.value for estimate in estimates if estimate.value is not None]
    return Coverage(
        name,
        true,
        float(np.mean(values)),
        float(np.nanmean(bounds[:, 1] - bounds[:, 0])),
        float(((bounds[:, 0] <= true) & (true <= bounds[:, 1])).mean()),
    )


def print_scorecards(cards: int) -> Iterator[Figure]:
    """Print how often each probe exposes each judge; yield what must and what must not."""
    print(f"{cards} scorecards of each judge, faultless but for its trick, and erring besides")
    print(f"| judge | {' | '.join(TRIED)} |\n|---|{'---:|' * len(TRIED)}")
    counts = {}
    for matrix, errs in ((FAULTLESS, ""), (LENIENT, ", erring")):
        for judge in JUDGES:
            counts[judge, errs] = expose(judge, matrix, cards)
            shares = [f"{counts[judge, errs][kind] / cards:.0%}" for kind in TRIED]
            print(f"| {judge}{errs} | " + " | ".join(shares) + " |")
    wrong = sum(counts["ok", ""].values()) + counts["ok", ", erring"].total()
    yield (
        "scorecard_always_3_exposed",
        counts["always_3", ", erring"]["negative"] / cards,
        ">=",
        1.0,
    )
    for trick in ("keyword", "injection"):
        share = counts[f"gullible_{trick}", ", erring"][trick] / cards
        yield f"scorecard_{trick}_exposed", share, ">=", 0.95
    yield "scorecard_length_exposed", counts["length_biased", ""]["padded"] / cards, ">=", 0.95
    yield "scorecard_false_alarms", wrong / (2 * cards * len(TRIED)), "<=", 0.02


def expose(judge: str, matrix: Matrix, cards: int) -> Counter[str]:
    """Count the kinds of probe that a judge fell for, over scorecards seeded 0 and up."""
    exposed: Counter[str] = Counter()
    for seed in range(cards):
        oracle = read_oracle(TEST_SET, TEXTS, matrix=matrix, seed=seed)
        plan = plan_probes(*read_material(), seed=seed)
        answers = [answer(judge, oracle, probe) for probe in plan]
        card = score(plan, answers, scale_max=GRADES - 1, relevant_from=RELEVANT_FROM)
        exposed.update(card.exposed)
    return exposed


def read_material() -> tuple[list[Subject], list[str]]:
    """Return the help centre's queries with the texts that answer them, and all texts."""
    rows = map(json.loads, TEXTS.read_text(encoding="utf-8").splitlines())
    texts = {row["id"]: f"{row['title']}\n{row['text']}" for row in rows}
    subjects = []
    for query in json.loads(TEST_SET.read_text(encoding="utf-8"))["queries"]:
        judged = query.get("relevant", [])
        best = tuple(texts[each["id"]] for each in judged if each["grade"] == GRADES - 1)
        known = tuple(texts[each["id"]] for each in judged)
        subjects.append(Subject(id=query["id"], query=query["query"], relevant=best, related=known))
    return subjects, list(texts.values())


def answer(judge: str, oracle: Oracle, probe: Probe) -> list[int | None]:
    """Grade a probe's texts as the fake judge would, first to last."""
    places = np.linspace(0, 1, len(probe.texts)) if len(probe.texts) > 1 else [0.5]
    cases = [oracle.find(f"{probe.query}\n{text}") for text in probe.texts]
    return [
        grade_pair(judge, oracle, case, vote=probe.vote, place=place)
        for case, place in zip(cases, places, strict=True)
    ]


def print_labels(paths: int) -> Iterator[Figure]:
    """Print labels needed by order; yield the share that the proposed order needs."""
    print(f"labels until nDCG@{K} stays within an error, means of {paths} pools")
    head = " | ".join(f"to {target}" for target in TARGETS)
    print(f"| collection | pairs | error | order | {head} |\n|---|---:|---:|---|" + "---:|" * 4)
    for name, grades in gather_collections():
        pools = [draw_pool(grades, seed=seed) for seed in range(paths)]
        pairs = np.mean([len(pool.right) for pool in pools])
        error = np.mean([measure_error(pool, pool.chances) for pool in pools])
        needed = {}
        for order, ask in ORDERS.items():
            rows = [count_labels(pool, ask, TARGETS, seed=at) for at, pool in enumerate(pools)]
            needed[order] = np.mean(rows, axis=0)
            cells = " | ".join(f"{count:.0f}" for count in needed[order])
            print(f"| {name} | {pairs:.0f} | {error:.3f} | {order} | {cells} |", flush=True)
        at = TARGETS.index(AIM)
        yield f"labels_{name}", needed["proposed"][at] / needed["random"][at], "<=", 0.7


def gather_collections() -> Iterator[tuple[str, list[list[int]]]]:
    """Yield the collections that this machine has; one of our own always."""
    yield "synthetic", make_grades(50, 60)
    if (DATA / "trec-dl").is_dir():
        yield "trec_dl_2019", read_trec_dl()
    if (DATA / "chorus").is_dir():
        yield "chorus", read_chorus()


if __name__ == "__main__":
    sys.exit(main())
