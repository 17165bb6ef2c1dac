"""How often verdicts, gates and intervals of paired differences are right, by simulation.

Rates that depend on chance get two Monte Carlo standard errors of allowance in their goals. The
ways to do it that we do not use stand beside: z interval, percentile bootstrap, Wilcoxon test.
"""

import argparse
import time
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from importlib.metadata import version

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from reteval.contract.comparisons import Verdict
from worker.comparison.estimates import estimate_difference
from worker.comparison.verdicts import decide
from worker.metrics.significance import holm, sign_flip_test

Values = NDArray[np.float64]

SIGMA, DROP, MARGIN, ALPHA = 0.2, 0.02, 0.02, 0.05
SIZES = (10, 20, 30, 50, 100, 200)
TIES = (0.0, 0.25, 0.5, 0.8, 0.9)
RANKS = np.append(1 / np.arange(1, 11), 0.0)
SHAPES: dict[str, Callable[[np.random.Generator, tuple[int, int]], Values]] = {
    "normal": lambda rng, size: rng.normal(0, SIGMA, size),
    "ndcg": lambda rng, size: rng.beta(2, 2, size) - rng.beta(2, 2, size),
    "hit rate": lambda rng, size: rng.choice([-1.0, 1.0], size),
    "mrr": lambda rng, size: rng.choice(RANKS, size) - rng.choice(RANKS, size),
}
FAMILY = 26
"""Metrics of a run that names none."""


def main() -> int:
    """Print every table, then a line a figure; 1 if a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=1_000)
    parser.add_argument("--repeats", type=int, default=4_000, help="draws of a coverage cell")
    options = parser.parse_args()
    print(f"numpy {version('numpy')}, scipy {version('scipy')}; {options.seeds} seeds a rate")
    figures = [
        *measure_verdicts(options.seeds),
        *measure_coverage(options.repeats),
        *measure_speed(),
    ]
    compare_intervals(options.seeds)
    compare_tests(options.seeds)
    measure_family(options.seeds)
    missed = 0
    for name, value, sign, goal in figures:
        print(f"figure {name} {value:.4f} goal {sign} {goal:.4f}")
        missed += value > goal if sign == "<=" else value < goal
    return int(missed > 0)


Figure = tuple[str, float, str, float]


def measure_verdicts(seeds: int) -> list[Figure]:
    """Decide on a true drop and on no difference, at several numbers of queries."""
    print("\n| true | queries | better | worse | no change | can't tell | gate passes |")
    print("|---|---|---|---|---|---|---|")
    rates = {}
    for mean in (-DROP, 0.0):
        for n in (50, 200, 1_000, 3_000):
            rows = np.random.default_rng(n).normal(mean, SIGMA, (seeds, n))
            verdicts = Counter(judge(row, seed) for seed, row in enumerate(rows))
            rate = {verdict: verdicts[verdict] / seeds for verdict in Verdict}
            passes = sum(passes_gate(row) for row in rows) / seeds
            rates[mean, n] = (rate, passes)
            shown = " | ".join(f"{100 * rate[verdict]:.1f} %" for verdict in Verdict)
            print(f"| {mean:+.2f} | {n:,} | {shown} | {100 * passes:.1f} % |")
    figures = []
    for n in (50, 1_000):
        (dropped, passes), (level, _) = rates[-DROP, n], rates[0.0, n]
        either = level[Verdict.BETTER] + level[Verdict.WORSE]
        figures += [
            at_most(f"drop_called_better_n{n}", dropped[Verdict.BETTER], 0.025, seeds),
            at_most(f"drop_passes_gate_n{n}", passes, 0.025, seeds),
            at_most(f"nothing_called_something_n{n}", either, ALPHA, seeds),
        ]
    found = rates[-DROP, 1_000][0][Verdict.WORSE]
    unsettled = rates[-DROP, 50][0][Verdict.INCONCLUSIVE]
    return [
        *figures,
        at_least("drop_called_worse_n1000", found, 0.85, seeds),
        at_least("drop_inconclusive_n50", unsettled, 0.85, seeds),
    ]


def judge(differences: Values, seed: int) -> Verdict:
    """Decide on one metric alone."""
    p = sign_flip_test(differences, seed=seed).p
    return decide(differences, p=p, margin=MARGIN, alpha=ALPHA)


def passes_gate(differences: Values) -> bool:
    """Whether a gate on the interval's lower end lets a drop of up to 0.02 pass."""
    ci = estimate_difference(differences).ci
    return ci is not None and ci[0] >= -DROP


def measure_coverage(repeats: int) -> list[Figure]:
    """Count how often the 95 % interval of tied differences holds their true mean, 0."""
    print("\n| ties | queries | " + " | ".join(SHAPES) + " | all shapes | no interval |")
    print("|---" * (len(SHAPES) + 4) + "|")
    lowest, pooled = 1.0, []
    for ties in TIES:
        for n in SIZES:
            rng = np.random.default_rng(n + round(1_000 * ties))
            cells = [cover(tie(make(rng, (repeats, n)), ties, rng)) for make in SHAPES.values()]
            held = [rate for rate, _ in cells]
            if ties <= 0.5:
                lowest = min(lowest, *held)
                pooled.append(float(np.mean(held)))
            shown = " | ".join(f"{100 * rate:.1f} %" for rate in (*held, float(np.mean(held))))
            without = float(np.mean([missing for _, missing in cells]))
            print(f"| {100 * ties:.0f} % | {n} | {shown} | {100 * without:.1f} % |")
    return [
        at_least("coverage_lowest_up_to_half_tied", lowest, 0.93, repeats),
        at_least("coverage_of_all_shapes_lowest", min(pooled), 0.93, repeats * len(SHAPES)),
        at_most("coverage_of_all_shapes_highest", max(pooled), 0.97, repeats * len(SHAPES)),
    ]


def tie(rows: Values, share: float, rng: np.random.Generator) -> Values:
    """Set each difference to 0 with this probability."""
    return np.where(rng.random(rows.shape) < share, 0.0, rows)


def cover(rows: Values) -> tuple[float, float]:
    """Return how often the interval holds 0, and how often there is none."""
    bounds = [estimate_difference(row).ci for row in rows]
    held = [ci[0] <= 0 <= ci[1] for ci in bounds if ci is not None]
    return sum(held) / len(held), 1 - len(held) / len(bounds)


def compare_intervals(seeds: int) -> None:
    """Put the t interval beside the z interval and the percentile bootstrap, half tied."""
    print("\n| queries | t | z (Wald) | percentile bootstrap |\n|---|---|---|---|")
    for n in SIZES:
        rng = np.random.default_rng(n)
        held: list[list[float]] = []
        for make in SHAPES.values():
            rows = tie(make(rng, (seeds, n)), 0.5, rng)
            rows = rows[np.ptp(rows, axis=1) > 0]
            error = rows.std(axis=1, ddof=1) / np.sqrt(n)
            z = np.abs(rows.mean(axis=1)) <= 1.96 * error
            resampled = sum(resample(row, rng) for row in rows) / len(rows)
            held.append([cover(rows)[0], float(z.mean()), resampled])
        print(f"| {n} | " + " | ".join(f"{100 * m:.1f} %" for m in np.mean(held, axis=0)) + " |")


def resample(row: Values, rng: np.random.Generator) -> bool:
    """Whether the percentile interval of 1,000 resamples holds 0."""
    means = row[rng.integers(0, len(row), (1_000, len(row)))].mean(axis=1)
    low, high = np.percentile(means, (2.5, 97.5))
    return bool(low <= 0 <= high)


def compare_tests(seeds: int) -> None:
    """Count false alarms where the mean does not change: many small gains, few large losses."""
    print("\n| queries | sign flips | paired t | Wilcoxon |\n|---|---|---|---|")
    for n in (50, 200, 1_000):
        rng = np.random.default_rng(n)
        rows = SIGMA * (1 - rng.exponential(1, (seeds, n)))
        alarms = [
            np.mean([sign_flip_test(row, seed=0).p <= ALPHA for row in rows]),
            np.mean(stats.ttest_1samp(rows, 0, axis=1).pvalue <= ALPHA),
            np.mean(stats.wilcoxon(rows, axis=1).pvalue <= ALPHA),
        ]
        print(f"| {n:,} | " + " | ".join(f"{100 * share:.1f} %" for share in alarms) + " |")


def measure_family(seeds: int) -> None:
    """Show what Holm across many alike metrics costs the one that decides (true drop 0.02)."""
    print("\n| metrics | queries | drop called worse |\n|---|---|---|")
    for n in (1_000, 2_000):
        rng = np.random.default_rng(n)
        called: Counter[int] = Counter()
        for _ in range(seeds):
            shared, own = rng.normal(0, 1, n), rng.normal(0, 1, (FAMILY, n))
            rows = -DROP + SIGMA * (np.sqrt(0.7) * shared + np.sqrt(0.3) * own)
            p = np.asarray(stats.ttest_1samp(rows, 0, axis=1).pvalue).tolist()
            for size in (1, 5, FAMILY):
                called[size] += holm(p[:size])[0] <= ALPHA
        for size, count in called.items():
            print(f"| {size} | {n:,} | {100 * count / seeds:.1f} % |")


def measure_speed() -> list[Figure]:
    """Time 10,000 sign flips of 1,000 differences, ours and scipy's; CPU."""
    rng = np.random.default_rng(0)
    print("\n| differences | ours | scipy.stats.permutation_test | ratio |\n|---|---|---|---|")
    figures = []
    for name in ("ndcg", "mrr"):
        row = SHAPES[name](rng, (1, 1_000))[0]
        ours = time_cpu(partial(sign_flip_test, row, seed=0), rounds=9)
        peer = time_cpu(partial(permute, row), rounds=3)
        print(f"| {name} | {1e3 * ours:.1f} ms | {1e3 * peer:.0f} ms | {peer / ours:.0f} |")
        figures.append((f"sign_flips_{name}_speed_of_scipy", peer / ours, ">=", 20.0))
    return figures


def permute(row: Values) -> float:
    """Let scipy flip the signs of a thousand differences."""
    result = stats.permutation_test(
        (row,),
        lambda x, axis: x.mean(axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=10_000,
        batch=1_000,
        rng=np.random.default_rng(0),
    )
    return float(result.pvalue)


def time_cpu(call: Callable[[], object], *, rounds: int) -> float:
    """Return the median CPU seconds of a call."""
    times: list[float] = []
    for _ in range(rounds):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return median(times)


def median(values: Sequence[float]) -> float:
    """Return the middle of an odd number of values."""
    return sorted(values)[len(values) // 2]


def at_most(name: str, rate: float, goal: float, draws: int) -> Figure:
    """Make the figure of a rate that must not exceed its goal by more than chance."""
    return name, rate, "<=", goal + 2 * float(np.sqrt(goal * (1 - goal) / draws))


def at_least(name: str, rate: float, goal: float, draws: int) -> Figure:
    """Make the figure of a rate that must not fall short of its goal by more than chance."""
    return name, rate, ">=", goal - 2 * float(np.sqrt(goal * (1 - goal) / draws))


if __name__ == "__main__":
    raise SystemExit(main())
