"""A run's evidence, and variants beside the clean queries they were made from."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from reteval.contract.metrics import Metric
from reteval.contract.outcomes import Outcome, PlannedRequest
from reteval.contract.testsets import Query
from worker.adversarial.suite import Suite, is_scorable
from worker.metrics.hits import condense, find_hits
from worker.metrics.judgments import DEFAULT_SCALE_MAX, Judgments
from worker.metrics.kernel import score

Values = NDArray[np.float64]
Places = NDArray[np.int64]


class Evidence(Struct, frozen=True, kw_only=True, eq=False):
    """What was planned, and how it is measured.

    `plan` holds the clean requests (no `kind`) and those of `suite`; `queries` are all of the
    test set. `metric` is what a drop is measured in, `depth` what the endpoint was asked for.
    """

    queries: Sequence[Query]
    plan: Sequence[PlannedRequest]
    suite: Suite
    metric: Metric
    depth: int
    relevant_from: int
    scale_max: int = DEFAULT_SCALE_MAX

    @property
    def k(self) -> int:
        """Cut-off of the metric, or the depth where it has none."""
        return self.metric.k or self.depth

    @property
    def scorable(self) -> list[Query]:
        """The clean queries that have a relevant document."""
        return [
            query
            for query in self.queries
            if not query.parent and is_scorable(query, self.relevant_from)
        ]


class Figures(Struct, frozen=True, kw_only=True, eq=False):
    """Values of n requests, each of shape (n,); NaN where there is none.

    `condensed` and `condensed_recall` are taken on lists without unjudged documents.
    """

    metric: Values
    recall: Values
    judged: Values
    condensed: Values
    condensed_recall: Values


class Pairs(Struct, frozen=True, kw_only=True, eq=False):
    """The answered variants of one kind beside their clean queries, grouped into needs.

    q queries: `clean` (place in the plan) and `need` (0 .. needs - 1), shape (q,).
    m variants: `variants` (row of the kind) and `owner` (0 .. q - 1), shape (m,).
    """

    clean: Places
    need: Places
    variants: Places
    owner: Places
    needs: int

    def clean_by_need(self, values: Values) -> Values:
        """Mean of the clean values of each need; NaN where there are none."""
        return _group_mean(values[self.clean], self.need, self.needs)

    def variant_by_need(self, values: Values) -> Values:
        """Mean over each need's queries of the mean of their variants."""
        return self.average(values[self.variants])

    def average(self, values: Values) -> Values:
        """Take values of the variants, shape (m,), to needs as `variant_by_need` does."""
        by_query = _group_mean(values, self.owner, len(self.clean))
        return _group_mean(by_query, self.need, self.needs)

    def worst_by_need(self, values: Values) -> Values:
        """Mean over each need's queries of the worst of their variants."""
        worst = np.full(len(self.clean), np.inf)
        np.minimum.at(worst, self.owner, values[self.variants])
        return _group_mean(worst, self.need, self.needs)


class Sides(Struct, frozen=True, eq=False):
    """One figure of the clean requests, by place, and of a kind's variants, by row."""

    clean: Values
    variant: Values


def measure(
    evidence: Evidence, grades: Sequence[dict[str, int]], outcomes: Sequence[Outcome]
) -> Figures:
    """Score answers against judgments, which are parallel."""
    judgments = Judgments.index(
        [""] * len(grades),
        grades,
        relevant_from=evidence.relevant_from,
        scale_max=evidence.scale_max,
    )
    rankings = [outcome.ids if outcome.status.answered else None for outcome in outcomes]
    hits = find_hits(judgments, rankings, depth=evidence.depth)
    recall, judged = Metric("recall", evidence.k), Metric("judged", evidence.k)
    values = score(judgments, hits, list(dict.fromkeys((evidence.metric, recall, judged))))
    condensed = score(judgments, condense(hits), list(dict.fromkeys((evidence.metric, recall))))
    return Figures(
        metric=values[evidence.metric],
        recall=values[recall],
        judged=values[judged],
        condensed=condensed[evidence.metric],
        condensed_recall=condensed[recall],
    )


def pair(sources: NDArray[np.integer[Any]], sides: Sides, needs: Places) -> Pairs:
    """Group variants by query and need; those without a value on both sides are left out.

    `sources` are the places of the clean requests of the variants, `needs` labels each of them.
    """
    known = ~(np.isnan(sides.clean[sources]) | np.isnan(sides.variant))
    clean, owner = number(sources[known].astype(np.int64))
    distinct, need = number(needs[clean])
    return Pairs(
        clean=clean,
        need=need,
        variants=np.flatnonzero(known),
        owner=owner,
        needs=len(distinct),
    )


def number(labels: Places) -> tuple[Places, Places]:
    """Return the different labels in the order of their first place, and the number of each."""
    distinct, first, code = np.unique(labels, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return distinct[order], rank[code]


def find_need(query: Query) -> str:
    """Return what queries for the same information share: the cluster, else the query alone."""
    return f"cluster {query.cluster_id}" if query.cluster_id else f"query {query.id}"


def label_needs(requests: Sequence[PlannedRequest], by_id: Mapping[str, Query]) -> Places:
    """Number the need behind each clean request, shape (n,)."""
    numbers: dict[str, int] = {}
    labels = (find_need(by_id[request.query_id]) for request in requests)
    return np.array([numbers.setdefault(label, len(numbers)) for label in labels], dtype=np.int64)


def _group_mean(values: Values, groups: Places, count: int) -> Values:
    known = ~np.isnan(values)
    sums = np.bincount(groups[known], weights=values[known], minlength=count)
    sizes = np.bincount(groups[known], minlength=count)
    return np.where(sizes > 0, sums / np.maximum(sizes, 1), np.nan)
