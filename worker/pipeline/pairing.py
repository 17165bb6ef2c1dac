"""Scores variants and puts each beside the clean query it was made from."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import numpy as np
from msgspec import Struct, structs
from numpy.typing import NDArray

from reteval.contract.metrics import Metric
from reteval.contract.outcomes import Outcome, PlannedRequest
from reteval.contract.testsets import Query
from worker.adversarial.planning import KindPlan
from worker.adversarial.suite import Suite, is_scorable
from worker.adversarial.unjudged import is_unjudged
from worker.metrics.hits import condense, find_hits
from worker.metrics.judgments import DEFAULT_SCALE_MAX, Judgments
from worker.metrics.kernel import score

Values = NDArray[np.float64]
Places = NDArray[np.int64]

_USER: Final = "user"


class Evidence(Struct, frozen=True, kw_only=True, eq=False):
    """A run's plan with what came of it; `outcomes` are parallel to `plan`.

    `plan` holds the clean requests (no `kind`) and those of `suite`; `queries` are all of the
    test set. `metric` is what a drop is measured in, `depth` what the endpoint was asked for.
    """

    queries: Sequence[Query]
    plan: Sequence[PlannedRequest]
    outcomes: Sequence[Outcome]
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

    def find_clean(self, queries: Iterable[Query]) -> list[int]:
        """Return the places in the plan of these queries' clean requests."""
        wanted = {query.id for query in queries}
        return [
            place
            for place, request in enumerate(self.plan)
            if not request.kind and request.query_id in wanted
        ]

    def ids(self, place: int) -> list[str]:
        """Document ids of a request's answer, cut at the depth."""
        return self.outcomes[place].ids[: self.depth]


class Source(Struct, frozen=True):
    """The clean request of a variant: its place in the plan, and the need it stands for."""

    place: int
    need: str


class Scores(Struct, frozen=True, kw_only=True, eq=False):
    """Values of every request, aligned with the plan; NaN where there is none.

    `condensed` and `condensed_recall` are taken on lists without unjudged documents. `sources`
    maps the place of a variant to its clean request; requests without judgments have none.
    """

    metric: Values
    recall: Values
    judged: Values
    condensed: Values
    condensed_recall: Values
    sources: dict[int, Source]


class Pairs(Struct, frozen=True, kw_only=True, eq=False):
    """The answered variants of one kind beside their clean queries, grouped into needs.

    q queries: `clean` (place in the plan) and `need` (0 .. needs - 1), shape (q,).
    m variants: `variants` (place in the plan) and `owner` (0 .. q - 1), shape (m,).
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


def score_plan(evidence: Evidence) -> Scores:
    """Score each request against the judgments of its query.

    A user's variant without judgments of its own has those of its parent. Requests without
    judgments (out of corpus, hostile) and without an answer have no value.
    """
    by_id = {query.id: query for query in evidence.queries}
    asked = [_judge(request, by_id) for request in evidence.plan]
    judgments = Judgments.build(
        asked, relevant_from=evidence.relevant_from, scale_max=evidence.scale_max
    )
    rankings = [outcome.ids if outcome.status.answered else None for outcome in evidence.outcomes]
    hits = find_hits(judgments, rankings, depth=evidence.depth)
    recall, judged = Metric("recall", evidence.k), Metric("judged", evidence.k)
    values = score(judgments, hits, list(dict.fromkeys((evidence.metric, recall, judged))))
    condensed = score(judgments, condense(hits), list(dict.fromkeys((evidence.metric, recall))))
    return Scores(
        metric=values[evidence.metric],
        recall=values[recall],
        judged=values[judged],
        condensed=condensed[evidence.metric],
        condensed_recall=condensed[recall],
        sources=_find_sources(evidence.plan, by_id),
    )


def find_variants(evidence: Evidence, kind: KindPlan) -> list[int]:
    """Return the places in the plan of a kind's variants at its severity."""
    generated = kind.source != _USER
    return [
        place
        for place, request in enumerate(evidence.plan)
        if request.kind == kind.kind
        and request.severity == kind.severity
        and request.generated == generated
    ]


def pair(places: Iterable[int], values: Values, sources: Mapping[int, Source]) -> Pairs:
    """Group variants by query and need; those without a value on both sides are left out."""
    owners: dict[int, int] = {}
    needs: dict[str, int] = {}
    need: list[int] = []
    variants: list[int] = []
    owner: list[int] = []
    for place in places:
        source = sources[place]
        if np.isnan(values[source.place]) or np.isnan(values[place]):
            continue
        if source.place not in owners:
            owners[source.place] = len(owners)
            need.append(needs.setdefault(source.need, len(needs)))
        variants.append(place)
        owner.append(owners[source.place])
    return Pairs(
        clean=np.array(list(owners), dtype=np.int64),
        need=np.array(need, dtype=np.int64),
        variants=np.array(variants, dtype=np.int64),
        owner=np.array(owner, dtype=np.int64),
        needs=len(needs),
    )


def find_need(query: Query) -> str:
    """Return what queries for the same information share: the cluster, else the query alone."""
    return f"cluster {query.cluster_id}" if query.cluster_id else f"query {query.id}"


def _judge(request: PlannedRequest, by_id: Mapping[str, Query]) -> Query:
    if is_unjudged(request):
        return Query(id=request.query_id, query=request.text)
    query = by_id[request.query_id]
    if query.relevant or not query.parent:
        return query
    return structs.replace(query, relevant=by_id[query.parent].relevant)


def _find_sources(plan: Sequence[PlannedRequest], by_id: Mapping[str, Query]) -> dict[int, Source]:
    clean = {request.query_id: place for place, request in enumerate(plan) if not request.kind}
    sources = {}
    for place, request in enumerate(plan):
        if request.kind and not is_unjudged(request):
            query = by_id[request.query_id]
            original = by_id[query.parent] if query.parent else query
            sources[place] = Source(clean[original.id], find_need(original))
    return sources


def _group_mean(values: Values, groups: Places, count: int) -> Values:
    known = ~np.isnan(values)
    sums = np.bincount(groups[known], weights=values[known], minlength=count)
    sizes = np.bincount(groups[known], minlength=count)
    return np.where(sizes > 0, sums / np.maximum(sizes, 1), np.nan)
