"""How alike the two runs answered: their rankings, and how long they took."""

import numpy as np

from reteval.contract.comparisons import LatencyChange, ListOverlap
from worker.comparison.pairing import Pairs
from worker.comparison.runs import RunView
from worker.metrics.overlap import PERSISTENCE, jaccard, rbo, top1_same


def measure_overlap(baseline: RunView, candidate: RunView, pairs: Pairs, *, k: int) -> ListOverlap:
    """Average rank-biased overlap and Jaccard@k, and count equal lists, over the paired queries.

    Lists are cut at the lesser of the two runs' depths.
    """
    if not pairs.n:
        return ListOverlap(
            rbo=None,
            p=PERSISTENCE,
            jaccard=None,
            k=k,
            top1_same=None,
            identical=None,
            n=0,
            reason="no_common_query",
        )
    depth = min(baseline.depth, candidate.depth)
    rows = []
    for place, other in zip(pairs.baseline, pairs.candidate, strict=True):
        before, after = (
            list(baseline.rankings[place][:depth]),
            list(candidate.rankings[other][:depth]),
        )
        if before == after:
            rows.append((1.0, 1.0, 1.0, 1.0))
        else:
            same_first = float(top1_same(before, after))
            rows.append((rbo(before, after), jaccard(before, after, k=k), same_first, 0.0))
    means = [float(mean) for mean in np.mean(rows, axis=0)]
    return ListOverlap(
        rbo=means[0],
        p=PERSISTENCE,
        jaccard=means[1],
        k=k,
        top1_same=means[2],
        identical=means[3],
        n=pairs.n,
    )


def compare_latency(baseline: RunView, candidate: RunView, pairs: Pairs) -> LatencyChange:
    """Compare the latency of queries that both endpoints answered at the first attempt."""
    before = baseline.latency_ms[pairs.baseline]
    after = candidate.latency_ms[pairs.candidate]
    known = ~(np.isnan(before) | np.isnan(after))
    if not known.any():
        return LatencyChange(
            n=0,
            baseline_p50=None,
            candidate_p50=None,
            baseline_p95=None,
            candidate_p95=None,
            mean_difference=None,
            reason="no query was answered at the first attempt in both runs",
        )
    old, new = (np.percentile(values[known], (50, 95)) for values in (before, after))
    return LatencyChange(
        n=int(np.count_nonzero(known)),
        baseline_p50=float(old[0]),
        candidate_p50=float(new[0]),
        baseline_p95=float(old[1]),
        candidate_p95=float(new[1]),
        mean_difference=float(np.mean(after[known] - before[known])),
    )
