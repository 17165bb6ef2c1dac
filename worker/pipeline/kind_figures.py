"""Figures beside a kind's drop: by length of query, on judged documents only, lists, latency."""

from collections.abc import Sequence
from typing import Final

import numpy as np
from msgspec import UNSET

from reteval.contract.adversarial import Before, Condensed, Overlap, WordBin
from worker.adversarial.words import content_words
from worker.metrics.intervals import paired_interval
from worker.metrics.overlap import PERSISTENCE, jaccard, rbo, top1_same
from worker.pipeline.drops import Values, mean_or_none
from worker.pipeline.pairing import Evidence, Pairs, Places, Scores

PERCENTILES: Final = {"p50": 50, "p95": 95}
BINS: Final = {"0": 0.5, "1-2": 2.5, "3-4": 4.5, "5-8": 8.5, "9+": float("inf")}
"""Content words of a need's queries, by the mean below which a need falls into the bin."""


def list_rbo(pairs: Pairs, evidence: Evidence) -> list[float]:
    """Return the rank-biased overlap of each variant with its clean list."""
    return [rbo(*lists, p=PERSISTENCE) for lists in _list_pairs(pairs, evidence)]


def measure_rbo(pairs: Pairs, evidence: Evidence) -> float | None:
    """Mean rank-biased overlap of each need's variants with their clean lists."""
    return mean_or_none(rbo_by_need(pairs, evidence))


def rbo_by_need(pairs: Pairs, evidence: Evidence) -> Values:
    """Return the mean rank-biased overlap of each need, shape (needs,)."""
    return pairs.average(np.array(list_rbo(pairs, evidence), dtype=np.float64))


def count_changed(pairs: Pairs, evidence: Evidence) -> int:
    """Count variants whose list is not exactly that of the clean query."""
    return sum(clean != variant for clean, variant in _list_pairs(pairs, evidence))


def compare_lists(pairs: Pairs, evidence: Evidence, *, missing: str) -> Overlap:
    """Compare the lists of the variants with the clean ones, without any judgment."""
    lists = _list_pairs(pairs, evidence)
    k = evidence.k
    return Overlap(
        rbo=measure_rbo(pairs, evidence),
        p=PERSISTENCE,
        top1_same=_mean_by_need([float(top1_same(*both)) for both in lists], pairs),
        jaccard=_mean_by_need([jaccard(*both, k=k) for both in lists], pairs),
        k=k,
        reason=UNSET if lists else missing,
    )


def compare_judged(pairs: Pairs, scores: Scores, *, missing: str) -> Before:
    """Compare judged@k over the needs that have it on both sides: an empty list has none."""
    clean = pairs.clean_by_need(scores.judged)
    variant = pairs.variant_by_need(scores.judged)
    known = ~(np.isnan(clean) | np.isnan(variant))
    if not known.any():
        return Before(clean=None, variant=None, reason="no_hits" if pairs.needs else missing)
    return Before(clean=float(clean[known].mean()), variant=float(variant[known].mean()))


def condense_drop(pairs: Pairs, condensed: Values, *, missing: str) -> Condensed:
    """Return the drop on lists from which unjudged documents are removed.

    What is lost in the plain lists only was lost to documents that nobody judged.
    """
    losses = pairs.clean_by_need(condensed) - pairs.variant_by_need(condensed)
    interval = paired_interval(losses)
    reason = interval.reason if pairs.needs else missing
    return Condensed(
        drop=mean_or_none(losses), ci=interval.ci, reason=UNSET if reason is None else reason
    )


def divide_by_words(pairs: Pairs, differences: Values, evidence: Evidence) -> tuple[WordBin, ...]:
    """Divide the needs by the content words of their queries: the same slip costs short ones more.

    `differences` are the losses of the needs, shape (needs,).
    """
    counts = np.array(count_content_words(pairs, evidence), dtype=np.float64)
    if not len(counts):
        return ()
    means = np.bincount(pairs.need, weights=counts) / np.bincount(pairs.need)
    places = np.searchsorted(np.array(list(BINS.values())), means, side="right")
    bins = []
    for place, name in enumerate(BINS):
        losses = differences[places == place]
        if not len(losses):
            continue
        interval = paired_interval(losses)
        bins.append(
            WordBin(
                bin=name,
                needs=len(losses),
                drop=float(losses.mean()),
                ci=interval.ci,
                reason=UNSET if interval.reason is None else interval.reason,
            )
        )
    return tuple(bins)


def count_content_words(pairs: Pairs, evidence: Evidence) -> list[int]:
    """Count the content words of each clean query, in the order of `pairs.clean`."""
    return [len(content_words(evidence.plan[place].text)) for place in pairs.clean.tolist()]


def compare_latency(pairs: Pairs, evidence: Evidence) -> dict[str, Before]:
    """Compare requests that were answered at the first attempt, in milliseconds."""
    clean, variant = (_find_latency(places, evidence) for places in (pairs.clean, pairs.variants))
    if not len(clean) or not len(variant):
        nothing = Before(clean=None, variant=None, reason="no_first_attempt_answered")
        return dict.fromkeys(PERCENTILES, nothing)
    return {
        name: Before(
            clean=float(np.percentile(clean, percent)),
            variant=float(np.percentile(variant, percent)),
        )
        for name, percent in PERCENTILES.items()
    }


def _find_latency(places: Places, evidence: Evidence) -> Values:
    outcomes = (evidence.outcomes[place] for place in places.tolist())
    return np.array(
        [
            outcome.latency_ms
            for outcome in outcomes
            if outcome.at_once and outcome.latency_ms is not None
        ],
        dtype=np.float64,
    )


def _list_pairs(pairs: Pairs, evidence: Evidence) -> list[tuple[list[str], list[str]]]:
    clean = pairs.clean[pairs.owner].tolist()
    return [
        (evidence.ids(before), evidence.ids(after))
        for before, after in zip(clean, pairs.variants.tolist(), strict=True)
    ]


def _mean_by_need(values: Sequence[float], pairs: Pairs) -> float | None:
    return mean_or_none(pairs.average(np.array(values, dtype=np.float64)))
