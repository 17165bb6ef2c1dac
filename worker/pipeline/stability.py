"""The endpoint against itself: the same queries, asked several times in one run."""

from collections.abc import Sequence
from statistics import fmean, stdev

import numpy as np
from msgspec import UNSET, Struct
from numpy.typing import NDArray

from reteval.contract.metrics import Metric
from reteval.contract.outcomes import Outcome
from reteval.contract.stability import MetricSpread, Stability
from worker.metrics.hits import find_hits
from worker.metrics.judgments import Judgments
from worker.metrics.kernel import score
from worker.metrics.overlap import rbo_each, top1_same
from worker.pipeline.plan import Plan
from worker.pipeline.stretches import Stretch, cut
from worker.pipeline.unjudged import read_grades

Values = NDArray[np.float64]


class Yardstick(Struct, frozen=True, kw_only=True):
    """How rankings are scored in every round."""

    metrics: Sequence[Metric]
    depth: int
    relevant_from: int
    scale_max: int

    def measure(
        self, grades: Sequence[dict[str, int]], outcomes: Sequence[Outcome]
    ) -> dict[Metric, Values]:
        """Score answers against judgments, which are parallel."""
        judgments = Judgments.index(
            [""] * len(grades),
            grades,
            relevant_from=self.relevant_from,
            scale_max=self.scale_max,
        )
        hits = find_hits(judgments, [outcome.ids for outcome in outcomes], depth=self.depth)
        return score(judgments, hits, self.metrics)


class Rounds:
    """Compares each later answer with the first one to the same query.

    Only queries answered in every round count, so that an outage is not taken for noise. Kept
    are a number a request, and of the answers those of the first round, `clean`.
    """

    def __init__(self, plan: Plan, clean: Sequence[Outcome]) -> None:
        self._plan = plan
        self._clean = clean
        clean_requests = plan.requests[: plan.clean]
        self._places = {request.query_id: at for at, request in enumerate(clean_requests)}
        self._asked = np.ones(plan.clean, dtype=np.int64)
        self._answered = np.array([outcome.status.answered for outcome in clean], dtype=np.bool_)
        self._identical = np.ones(plan.clean, dtype=np.bool_)
        self._top1 = np.ones(plan.clean, dtype=np.bool_)
        self._rbo = np.ones((plan.rounds, plan.clean))
        self._begins: dict[int, int] = {}

    def read(self, stretch: Stretch) -> None:
        """Compare the answers of a stretch of later rounds."""
        compared: list[tuple[int, int]] = []
        lists: list[tuple[Sequence[str], Sequence[str]]] = []
        for place, (request, outcome) in enumerate(stretch.rows(), stretch.start):
            self._begins.setdefault(request.replicate, place)
            at = self._places.get(request.query_id)
            if at is None:
                continue
            self._asked[at] += 1
            first = self._clean[at]
            if not (first.status.answered and outcome.status.answered):
                self._answered[at] = False
                continue
            self._identical[at] &= first.ids == outcome.ids
            self._top1[at] &= top1_same(first.ids, outcome.ids)
            compared.append((request.replicate, at))
            lists.append((first.ids, outcome.ids))
        if compared:
            self._rbo[tuple(zip(*compared, strict=True))] = rbo_each(lists)

    def report(self, outcomes: Sequence[Outcome], yardstick: Yardstick) -> Stability:
        """Report what the rounds showed; `outcomes` are parallel to the plan."""
        rounds = self._plan.rounds
        whole = self._asked == rounds
        kept = np.flatnonzero(whole & self._answered)
        left_out = int(whole.sum()) - len(kept)
        if not len(kept):
            return Stability(
                rounds=rounds,
                queries=0,
                left_out=left_out,
                mean_rbo=None,
                identical=None,
                top1_same=None,
                metrics={},
                reason="no query was answered in every round",
            )
        return Stability(
            rounds=rounds,
            queries=len(kept),
            left_out=left_out,
            mean_rbo=fmean(fmean(self._rbo[1:, at].tolist()) for at in kept),
            identical=fmean(self._identical[kept].tolist()),
            top1_same=fmean(self._top1[kept].tolist()),
            metrics=self._score(kept[kept < len(self._plan.scorable)], outcomes, yardstick),
            reason=UNSET,
        )

    def _score(
        self, kept: NDArray[np.int64], outcomes: Sequence[Outcome], yardstick: Yardstick
    ) -> dict[str, MetricSpread]:
        """Score every round over the queries that are kept; each round is read once more."""
        if not len(kept):
            return {}
        places = kept.tolist()
        grades = [read_grades(self._plan.scorable[at]) for at in places]
        means: dict[Metric, list[float]] = {metric: [] for metric in yardstick.metrics}
        for turn in range(self._plan.rounds):
            if turn == 0:
                values = yardstick.measure(grades, [self._clean[at] for at in places])
            else:
                values = self._score_round(
                    turn, dict(zip(places, grades, strict=True)), outcomes, yardstick
                )
            for metric, column in values.items():
                defined = column[~np.isnan(column)]
                if len(defined):
                    means[metric].append(float(defined.mean()))
        return {
            str(metric): MetricSpread(means=tuple(found), sd=stdev(found))
            for metric, found in means.items()
            if len(found) == self._plan.rounds
        }

    def _score_round(
        self,
        turn: int,
        grades: dict[int, dict[str, int]],
        outcomes: Sequence[Outcome],
        yardstick: Yardstick,
    ) -> dict[Metric, Values]:
        """Score a later round, a stretch at a time; the columns are parallel to `grades`."""
        row_of = {at: row for row, at in enumerate(grades)}
        columns = {metric: np.full(len(grades), np.nan) for metric in yardstick.metrics}
        stop = self._begins.get(turn + 1, len(outcomes))
        requests = self._plan.requests
        for stretch in cut(requests, outcomes, start=self._begins[turn], stop=stop):
            found = [
                (self._places[request.query_id], outcome)
                for request, outcome in stretch.rows()
                if self._places.get(request.query_id) in grades
            ]
            if not found:
                continue
            values = yardstick.measure([grades[at] for at, _ in found], [out for _, out in found])
            rows = [row_of[at] for at, _ in found]
            for metric, column in values.items():
                columns[metric][rows] = column
        return columns
