"""Figures beside a kind's drop: by length of query, on judged documents only, lists, latency."""

from collections.abc import Sequence
from typing import Final

import numpy as np
from msgspec import UNSET

from reteval.contract.adversarial import Before, Condensed, Overlap, WordBin
from worker.metrics.intervals import paired_interval
from worker.metrics.overlap import PERSISTENCE
from worker.pipeline.drops import Values, mean_or_none
from worker.pipeline.pairing import Pairs, Sides
from worker.pipeline.spool import Rows

PERCENTILES: Final = {"p50": 50, "p95": 95}
BINS: Final = {"0": 0.5, "1-2": 2.5, "3-4": 4.5, "5-8": 8.5, "9+": float("inf")}
"""Content words of a need's queries, by the mean below which a need falls into the bin."""


def measure_rbo(pairs: Pairs, rows: Rows) -> float | None:
    """Mean rank-biased overlap of each need's variants with their clean lists."""
    return mean_or_none(rbo_by_need(pairs, rows))


def rbo_by_need(pairs: Pairs, rows: Rows) -> Values:
    """Return the mean rank-biased overlap of each need, shape (needs,)."""
    return pairs.variant_by_need(rows["rbo"])


def count_changed(pairs: Pairs, rows: Rows) -> int:
    """Count variants whose list is not exactly that of the clean query."""
    return int(np.count_nonzero(~rows["same"][pairs.variants]))


def compare_lists(pairs: Pairs, rows: Rows, *, k: int, missing: str) -> Overlap:
    """Compare the lists of the variants with the clean ones, without any judgment."""
    return Overlap(
        rbo=measure_rbo(pairs, rows),
        p=PERSISTENCE,
        top1_same=mean_or_none(pairs.variant_by_need(rows["top1"].astype(np.float64))),
        jaccard=mean_or_none(pairs.variant_by_need(rows["jaccard"])),
        k=k,
        reason=UNSET if pairs.needs else missing,
    )


def compare_judged(pairs: Pairs, judged: Sides, *, missing: str) -> Before:
    """Compare judged@k over the needs that have it on both sides: an empty list has none."""
    clean, variant = pairs.clean_by_need(judged.clean), pairs.variant_by_need(judged.variant)
    known = ~(np.isnan(clean) | np.isnan(variant))
    if not known.any():
        return Before(clean=None, variant=None, reason="no_hits" if pairs.needs else missing)
    return Before(clean=float(clean[known].mean()), variant=float(variant[known].mean()))


def condense_drop(pairs: Pairs, condensed: Sides, *, missing: str) -> Condensed:
    """Return the drop on lists from which unjudged documents are removed.

    What is lost in the plain lists only was lost to documents that nobody judged.
    """
    losses = pairs.clean_by_need(condensed.clean) - pairs.variant_by_need(condensed.variant)
    interval = paired_interval(losses)
    reason = interval.reason if pairs.needs else missing
    return Condensed(
        drop=mean_or_none(losses), ci=interval.ci, reason=UNSET if reason is None else reason
    )


def divide_by_words(pairs: Pairs, differences: Values, words: Sequence[int]) -> tuple[WordBin, ...]:
    """Divide the needs by the content words of their queries: the same slip costs short ones more.

    `differences` are the losses of the needs, shape (needs,), `words` the content words of each
    query of `pairs.clean`.
    """
    counts = np.array(words, dtype=np.float64)
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


def compare_latency(pairs: Pairs, latency: Sides) -> dict[str, Before]:
    """Compare requests that were answered at the first attempt, in milliseconds."""
    clean, variant = latency.clean[pairs.clean], latency.variant[pairs.variants]
    clean, variant = clean[~np.isnan(clean)], variant[~np.isnan(variant)]
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
