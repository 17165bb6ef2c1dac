"""Metrics from their textbook definitions, one query at a time, to check reports against.

Shares no code with the product. Sums run in rank order and means are numpy's, so that equal
definitions give equal bits.
"""

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from msgspec import Struct

Grades = Mapping[str, int]


class Summary(Struct, frozen=True):
    """What a report says of a metric, as far as it follows from the values alone."""

    mean: float | None
    n: int
    sd: float | None
    bounds: tuple[float, float] | None


def summarise(
    name: str,
    rankings: Sequence[Sequence[str] | None],
    grades: Sequence[Grades],
    *,
    relevant_from: int = 1,
) -> Summary:
    """Score each ranking (None: no valid answer) and average, over scorable queries only."""
    pairs = [
        (ranking, judged)
        for ranking, judged in zip(rankings, grades, strict=True)
        if any(grade >= relevant_from for grade in judged.values())
    ]
    missing = sum(ranking is None for ranking, _ in pairs)
    given = [
        score(name, ranking, judged, relevant_from=relevant_from)
        for ranking, judged in pairs
        if ranking is not None
    ]
    values = np.array([value for value in given if value is not None], dtype=np.float64)
    n = len(values)
    whole = float(values.sum())
    return Summary(
        mean=float(values.mean()) if n else None,
        n=n,
        sd=float(values.std(ddof=1)) if n > 1 else None,
        bounds=(whole / (n + missing), (whole + missing) / (n + missing)) if n + missing else None,
    )


def score(
    name: str, ranking: Sequence[str], judged: Grades, *, relevant_from: int = 1
) -> float | None:
    """Score one ranking by `recall@5`, `mrr`, …; None where the metric has no value."""
    family, _, cutoff = name.partition("@")
    k = int(cutoff) if cutoff else None
    relevant = {document for document, grade in judged.items() if grade >= relevant_from}
    seen = _without_repeats(ranking[:k])
    return _METRICS[family](seen, judged, relevant, k)


def _without_repeats(ranking: Sequence[str]) -> list[str | None]:
    """Return the ranking with None in the place of a document that came before."""
    return [None if document in ranking[:at] else document for at, document in enumerate(ranking)]


Seen = Sequence[str | None]
Relevant = set[str]


def _recall(seen: Seen, _judged: Grades, relevant: Relevant, _k: int | None) -> float:
    return _count(seen, relevant) / len(relevant)


def _precision(seen: Seen, _judged: Grades, relevant: Relevant, k: int | None) -> float:
    assert k is not None
    return _count(seen, relevant) / k


def _hit_rate(seen: Seen, _judged: Grades, relevant: Relevant, _k: int | None) -> float:
    return float(_count(seen, relevant) > 0)


def _mrr(seen: Seen, _judged: Grades, relevant: Relevant, _k: int | None) -> float:
    return next((1 / rank for rank, name in enumerate(seen, 1) if name in relevant), 0.0)


def _map(seen: Seen, _judged: Grades, relevant: Relevant, _k: int | None) -> float:
    found, total = 0, 0.0
    for rank, document in enumerate(seen, 1):
        if document in relevant:
            found += 1
            total += found / rank
    return total / len(relevant)


def _ndcg(seen: Seen, judged: Grades, _relevant: Relevant, k: int | None) -> float:
    return _normalise(seen, judged, k, gain=float)


def _ndcg_exp(seen: Seen, judged: Grades, _relevant: Relevant, k: int | None) -> float:
    return _normalise(seen, judged, k, gain=lambda grade: 2.0**grade - 1)


def _judged(seen: Seen, judged: Grades, _relevant: Relevant, _k: int | None) -> float | None:
    return sum(document in judged for document in seen) / len(seen) if seen else None


def _normalise(seen: Seen, judged: Grades, k: int | None, *, gain: Callable[[int], float]) -> float:
    ideal = sorted((grade for grade in judged.values() if grade > 0), reverse=True)[:k]
    found = [max(judged.get(document or "", 0), 0) for document in seen]
    return _discount(found, gain) / _discount(ideal, gain)


def _discount(grades: Sequence[int], gain: Callable[[int], float]) -> float:
    total = 0.0
    for rank, grade in enumerate(grades, 1):
        total += gain(grade) / math.log2(rank + 1)
    return total


def _count(seen: Seen, relevant: Relevant) -> int:
    return sum(document in relevant for document in seen)


_METRICS: dict[str, Callable[[Seen, Grades, Relevant, int | None], float | None]] = {
    "recall": _recall,
    "precision": _precision,
    "hit_rate": _hit_rate,
    "mrr": _mrr,
    "map": _map,
    "ndcg": _ndcg,
    "ndcg_exp": _ndcg_exp,
    "judged": _judged,
}
