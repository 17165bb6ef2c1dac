"""What came of a run's variants: read once in plan order, kept as columns, a table a kind."""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import takewhile
from typing import Final

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

from reteval.contract.outcomes import Outcome, PlannedRequest
from reteval.contract.testsets import Query
from worker.adversarial.planning import KindPlan
from worker.adversarial.unjudged import is_unjudged
from worker.adversarial.words import content_words
from worker.metrics.overlap import jaccard, rbo_each, top1_same
from worker.pipeline.pairing import Evidence, Figures, Places, Values, label_needs, measure
from worker.pipeline.spool import Rows, Spool, Table
from worker.pipeline.statuses import NAMES, name_status
from worker.pipeline.stretches import Stretch
from worker.pipeline.traits import USER, describe_traits
from worker.pipeline.unjudged import read_grades

ROW: Final = np.dtype(
    [
        ("place", np.uint32),
        ("source", np.uint32),
        ("metric", np.float64),
        ("recall", np.float64),
        ("condensed", np.float64),
        ("judged", np.float64),
        ("rbo", np.float64),
        ("jaccard", np.float64),
        ("latency", np.float64),
        ("top1", np.bool_),
        ("same", np.bool_),
        ("status", np.uint8),
    ]
)
"""A variant: its place in the plan and that of its clean request, what it is worth, how its list
compares with the clean one, and how it ended. NaN where there is no value; `condensed` is of the
headline metric; `latency` is that of an answer at the first attempt."""
WORTH: Final = np.dtype([("value", np.float64), ("clean", np.float64)])
"""A variant's headline metric, and that of the query it was made from."""

Cell = tuple[str, int, bool]
"""A kind, its severity, and whether it was generated."""


class Odd(Struct, frozen=True):
    """A request that no judgment is about; a plan has a few hundred of them at most."""

    place: int
    request: PlannedRequest
    outcome: Outcome


class Kind(Struct, kw_only=True, eq=False):
    """The variants of a kind at a severity; `most` is the highest number of a replicate."""

    table: Table
    reducing: bool
    statuses: Counter[str] = field(default_factory=Counter)
    most: int = 0


class Variants:
    """Everything about the variants that a report needs, without their answers.

    `clean` are the outcomes of the clean requests, which stand first in the plan.
    """

    def __init__(self, evidence: Evidence, clean: Sequence[Outcome]) -> None:
        self.evidence = evidence
        self.requests = list(takewhile(lambda request: not request.kind, evidence.plan))
        self.clean = clean[: len(self.requests)]
        self.odd: list[Odd] = []
        self.statuses: Counter[str] = Counter()
        self._by_id = {query.id: query for query in evidence.queries}
        self._places = {request.query_id: at for at, request in enumerate(self.requests)}
        self._grades = {query.id: read_grades(query) for query in evidence.queries}
        self.needs = label_needs(self.requests, self._by_id)
        self.figures = measure(
            evidence, [self._grades[request.query_id] for request in self.requests], self.clean
        )
        self.latency = read_latency(self.clean)
        spool = Spool()
        self.worth = Table(spool, WORTH)
        self._kinds = {
            _cell_of(plan): Kind(table=Table(spool, ROW), reducing=describe_traits(plan).reducing)
            for plan in evidence.suite.kinds
        }
        self._words: dict[int, int] = {}

    def kind(self, plan: KindPlan) -> Kind:
        """Return what came of a planned kind."""
        return self._kinds[_cell_of(plan)]

    def read(self, stretch: Stretch) -> None:
        """Take in the variants of a stretch."""
        places: list[int] = []
        variants: list[tuple[PlannedRequest, Outcome]] = []
        for place, (request, outcome) in enumerate(stretch.rows(), stretch.start):
            if not request.kind:
                continue
            self.statuses[name_status(outcome)] += 1
            places.append(place)
            variants.append((request, outcome))
            if is_unjudged(request):
                self.odd.append(Odd(place, request, outcome))
        worth = np.full(len(places), np.nan, dtype=WORTH)
        judged = [at for at, (request, _) in enumerate(variants) if _cell(request) in self._kinds]
        if judged:
            rows = self._read_rows([variants[at] for at in judged])
            rows["place"] = np.array(places)[judged]
            worth[judged] = self._file([variants[at][0] for at in judged], rows)
        self.worth.append(worth)

    def count_words(self, places: Places) -> list[int]:
        """Count the content words of clean queries; each text is read once."""
        texts, words = self.requests, self._words
        for place in places.tolist():
            if place not in words:
                words[place] = len(content_words(texts[place].text))
        return [words[place] for place in places.tolist()]

    def find_clean(self, queries: Iterable[Query]) -> list[int]:
        """Return the places of these queries' clean requests, in plan order."""
        wanted = {query.id for query in queries}
        return [at for at, request in enumerate(self.requests) if request.query_id in wanted]

    def _read_rows(self, variants: Sequence[tuple[PlannedRequest, Outcome]]) -> Rows:
        queries = [self._by_id[request.query_id] for request, _ in variants]
        outcomes = [outcome for _, outcome in variants]
        # A user's variant without judgments of its own has those of its parent.
        figures = measure(
            self.evidence,
            [self._grades[query.id if query.relevant else _original(query)] for query in queries],
            outcomes,
        )
        sources = [self._places[_original(query)] for query in queries]
        rows = np.empty(len(variants), dtype=ROW)
        rows["source"] = sources
        rows["metric"], rows["recall"], rows["judged"] = (
            figures.metric,
            figures.recall,
            figures.judged,
        )
        reducing = [self._kinds[_cell(request)].reducing for request, _ in variants]
        rows["condensed"] = np.where(reducing, figures.condensed_recall, figures.condensed)
        rows["latency"] = read_latency(outcomes)
        rows["status"] = [NAMES.index(name_status(outcome)) for outcome in outcomes]
        self._compare(rows, [self.clean[source] for source in sources], outcomes)
        return rows

    def _compare(self, rows: Rows, before: Sequence[Outcome], after: Sequence[Outcome]) -> None:
        """Compare each variant's list with the clean one, where both were answered."""
        depth, k = self.evidence.depth, self.evidence.k
        at = [
            row
            for row, both in enumerate(zip(before, after, strict=True))
            if both[0].status.answered and both[1].status.answered
        ]
        lists = [(before[row].ids[:depth], after[row].ids[:depth]) for row in at]
        rows["rbo"] = rows["jaccard"] = np.nan
        rows["top1"] = rows["same"] = False
        rows["rbo"][at] = rbo_each(lists)
        rows["jaccard"][at] = [jaccard(*both, k=k) for both in lists]
        rows["top1"][at] = [top1_same(*both) for both in lists]
        rows["same"][at] = [one == two for one, two in lists]

    def _file(self, requests: Sequence[PlannedRequest], rows: Rows) -> Rows:
        """Sort rows into the tables of their kinds, and return what each is worth."""
        cells: dict[Cell, list[int]] = {}
        for row, request in enumerate(requests):
            cells.setdefault(_cell(request), []).append(row)
        worth = np.empty(len(rows), dtype=WORTH)
        for cell, members in cells.items():
            kind = self._kinds[cell]
            of_kind = rows[members]
            kind.table.append(of_kind)
            kind.statuses.update(NAMES[status] for status in of_kind["status"].tolist())
            kind.most = max(kind.most, *(requests[row].replicate for row in members))
            worth["value"][members] = of_kind["recall" if kind.reducing else "metric"]
            clean = headline(self.figures, reducing=kind.reducing)
            worth["clean"][members] = clean[of_kind["source"]]
        return worth


def headline(figures: Figures, *, reducing: bool) -> Values:
    """Return the values that a kind is judged by.

    Where a variant says less than its query, only the recall of the judged documents means
    something.
    """
    return figures.recall if reducing else figures.metric


def read_latency(outcomes: Sequence[Outcome]) -> NDArray[np.float64]:
    """Return milliseconds, shape (n,); NaN for what was not answered at the first attempt."""
    return np.array(
        [
            outcome.latency_ms if outcome.at_once and outcome.latency_ms is not None else np.nan
            for outcome in outcomes
        ],
        dtype=np.float64,
    )


def _original(query: Query) -> str:
    return query.parent or query.id


def _cell(request: PlannedRequest) -> Cell:
    return request.kind, request.severity, request.generated


def _cell_of(plan: KindPlan) -> Cell:
    return plan.kind, plan.severity, plan.source != USER
