"""Clean outcomes to numbers: per-query values, summaries, slices, counts."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from reteval.contract.limits import MAX_SLICES
from reteval.contract.metrics import Metric
from reteval.contract.outcomes import Outcome, OutcomeStatus
from reteval.contract.results import Counts, Effort, MetricSummary, Slice
from reteval.contract.runs import IntervalMethod
from reteval.contract.testsets import Query
from worker.metrics.hits import Hits, condense, find_hits
from worker.metrics.judgments import DEFAULT_SCALE_MAX, Judgments
from worker.metrics.kernel import score
from worker.metrics.summary import summarise
from worker.pipeline.stretches import Stretch

RECALL_AT_5: Final = Metric("recall", 5)
Values = NDArray[np.float64]


class Scores(Struct, frozen=True, kw_only=True, eq=False):
    """Per-query values of the scorable queries, plain and on judged documents only.

    `clusters` labels the queries that share a `cluster_id` alike; None where no query has one.
    """

    judgments: Judgments
    hits: Hits
    values: Mapping[Metric, Values]
    condensed: Mapping[Metric, Values]
    recall_at_5: Values
    clusters: NDArray[np.int64] | None = None


def score_queries(
    queries: Sequence[Query],
    outcomes: Sequence[Outcome],
    metrics: Sequence[Metric],
    *,
    depth: int,
    relevant_from: int,
    scale_max: int = DEFAULT_SCALE_MAX,
) -> Scores:
    """Score scorable queries against their outcomes, which are parallel."""
    judgments = Judgments.build(queries, relevant_from=relevant_from, scale_max=scale_max)
    rankings = [outcome.ids if outcome.status.answered else None for outcome in outcomes]
    hits = find_hits(judgments, rankings, depth=depth)
    values = score(judgments, hits, metrics)
    return Scores(
        judgments=judgments,
        hits=hits,
        values=values,
        condensed=score(judgments, condense(hits), metrics),
        recall_at_5=score(judgments, hits, [RECALL_AT_5])[RECALL_AT_5],
        clusters=label_clusters(queries),
    )


def label_clusters(queries: Sequence[Query]) -> NDArray[np.int64] | None:
    """Number each query's cluster, shape (n,); one without a cluster has a number of its own."""
    numbers: dict[str | int, int] = {}
    labels = [
        numbers.setdefault(query.cluster_id or place, len(numbers))
        for place, query in enumerate(queries)
    ]
    return np.array(labels, dtype=np.int64) if len(numbers) < len(queries) else None


def summarise_metrics(
    scores: Scores,
    among: NDArray[np.bool_],
    *,
    interval: IntervalMethod = IntervalMethod.AUTO,
) -> dict[str, MetricSummary]:
    """Summarise each metric over the queries in `among`, shape (n,)."""
    return {
        str(metric): summarise(
            values,
            metric=metric,
            scorable=scores.judgments.scorable_at(metric.rel) & among,
            condensed=None if metric.name == "judged" else scores.condensed[metric],
            answered=scores.hits.answered,
            interval=interval,
            clusters=scores.clusters,
        )
        for metric, values in scores.values.items()
    }


def slice_metrics(
    scores: Scores,
    names: Sequence[Sequence[str]],
    *,
    interval: IntervalMethod = IntervalMethod.AUTO,
) -> dict[str, Slice]:
    """Summarise by slice; `names` are those of each query. The hundred largest, largest first.

    Resampling each metric of each slice would take minutes, so that in place of BCa slices
    have the default interval.
    """
    interval = IntervalMethod.AUTO if interval is IntervalMethod.BCA else interval
    sizes = Counter(name for row in names for name in row)
    rows: dict[str, list[int]] = {name: [] for name, _ in sizes.most_common(MAX_SLICES)}
    for place, row in enumerate(names):
        for name in row:
            if name in rows:
                rows[name].append(place)
    slices = {}
    for name, places in rows.items():
        among = np.zeros(len(names), dtype=np.bool_)
        among[places] = True
        slices[name] = Slice(
            n=len(places), metrics=summarise_metrics(scores, among, interval=interval)
        )
    return slices


def count_outcomes(
    outcomes: Sequence[Outcome], *, depth: int, unscorable: int, largest_k: int
) -> Counts:
    """Count the outcomes of clean requests."""
    statuses = Counter(outcome.status for outcome in outcomes)
    answered = [outcome for outcome in outcomes if outcome.status.answered]
    return Counts(
        planned=len(outcomes),
        ok=statuses[OutcomeStatus.OK],
        ok_empty=statuses[OutcomeStatus.OK_EMPTY],
        failed=statuses[OutcomeStatus.FAILED],
        skipped=statuses[OutcomeStatus.SKIPPED],
        unscorable=unscorable,
        duplicate_hits=sum(len(o.ids) - len(set(o.ids)) for o in answered),
        cut_hits=sum(max(0, outcome.returned - depth) for outcome in answered),
        short_answers=sum(0 < len(outcome.ids) < largest_k for outcome in answered),
        short_lists=sum(o.hits is not None and len(o.ids) < depth <= o.hits for o in answered),
        failed_by_code=dict(
            sorted(Counter(str(outcome.code) for outcome in outcomes if outcome.code).items())
        ),
    )


class EffortCount:
    """Counts what was sent, clean and adversarial, and how much of it was sent again."""

    def __init__(self) -> None:
        self._attempts = 0
        self._sent = 0

    def read(self, stretch: Stretch) -> None:
        """Count a stretch."""
        self._attempts += sum(outcome.attempts for outcome in stretch.outcomes)
        self._sent += sum(min(outcome.attempts, outcome.pages) for outcome in stretch.outcomes)

    @property
    def effort(self) -> Effort:
        """What was counted so far."""
        return Effort(attempts=self._attempts, retried=self._attempts - self._sent)
