"""What each configuration of a pool is worth by a judge, by people, and how unsure that is.

The metric is nDCG@k with the grade as gain. As in a run, what nobody graded counts as not
relevant, and so does what a person called unrateable; a configuration that returned nothing has 0.
"""

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from reteval.contract.agreement import ConfigMetric, LabelDoubt, QueryAudit, QueryBand
from reteval.contract.pools import PooledPair
from reteval.contract.votes import Vote
from worker.judging.beliefs import Chances, list_ranks
from worker.judging.debias import FEWEST, debias
from worker.judging.priorities import DRAWS, Doubt, doubt, draw_metric, ndcg, span
from worker.judging.queue import UNSURE

DEPTH: Final = 10
WIDE: Final = 0.2
"""Width of a query's label band from which on it is uncertain."""
SHOWN: Final = 5
"""Queries of the widest bands that are named."""

Values = NDArray[np.float64]


class Labels(Struct, frozen=True, kw_only=True):
    """What was said of a query: the last votes of the judge, those of people, and the chances."""

    judged: Mapping[str, Vote]
    people: Mapping[str, Vote]
    chances: Chances


class Standings:
    """Adds up queries one by one, so that no pool need be held for long."""

    def __init__(self, configs: Sequence[str], *, k: int, scale_max: int, seed: int) -> None:
        self._configs = configs
        self._k = k
        self._nothing = [1.0] + [0.0] * scale_max
        self._seed = seed
        self._judged: list[Values] = []
        self._people: list[Values] = []
        self._drawn = np.zeros((DRAWS, len(configs)))
        self._doubts: list[tuple[str, Doubt]] = []
        self._sampled = self._labelled = self._left = 0

    def add(
        self, query_id: str, pairs: Sequence[PooledPair], labels: Labels, *, sampled: bool
    ) -> None:
        """Add a query; people's grades put a metric right only of one `sampled` at random."""
        if not pairs:
            return
        if sampled:
            left = sum(_waits(pair, labels) for pair in pairs)
            self._sampled += 1
            self._labelled += not left
            self._left += left
        if not any(pair.doc_id in labels.judged or pair.known is not None for pair in pairs):
            return
        ranks = list_ranks(pairs, self._configs)
        self._judged.append(self._rate([_say(pair, labels.judged) for pair in pairs], ranks))
        whole = sampled and not left
        self._people.append(
            self._rate([_say(pair, labels.people) for pair in pairs], ranks)
            if whole
            else np.full(len(self._configs), np.nan)
        )
        self._doubt(query_id, pairs, labels.chances, ranks)

    def tell_audit(self, *, review: str) -> QueryAudit:
        """Say how far people are with the sampled queries; `review` is where these are shown."""
        fix = None
        if self._sampled < FEWEST:
            fix = f"Judge more queries: of {self._sampled} no metric can be put right."
        elif self._labelled < FEWEST:
            fix = (
                f"Grade every pair that GET {review} shows of {FEWEST - self._labelled} more "
                "queries, from the top."
            )
        return QueryAudit(
            sampled=self._sampled,
            labelled=self._labelled,
            needed=FEWEST,
            pairs_left=self._left,
            fix=fix,
        )

    def tell_metrics(self) -> tuple[ConfigMetric, ...]:
        """Return a row for each configuration."""
        if not self._judged:
            return ()
        judged, people = np.array(self._judged), np.array(self._people)
        means = self._drawn / len(judged)
        return tuple(
            ConfigMetric(
                config=config,
                metric=self._metric,
                debiased=debias(judged[:, place], people[:, place]),
                label_band=span(means[:, place : place + 1]),
            )
            for place, config in enumerate(self._configs)
        )

    def tell_doubt(self, *, calibrated_by: int) -> LabelDoubt | None:
        """Say how unsure the grades leave single queries; None without any."""
        if not self._doubts:
            return None
        widths = [one.band[1] - one.band[0] for _, one in self._doubts]
        order = sorted(range(len(widths)), key=lambda place: -widths[place])[:SHOWN]
        widest = [(self._doubts[place][0], *self._doubts[place][1].band) for place in order]
        return LabelDoubt(
            metric=self._metric,
            queries=len(widths),
            uncertain=sum(one.uncertain for _, one in self._doubts),
            unsure_pairs=sum(len(one.unsure) for _, one in self._doubts),
            least_margin=UNSURE,
            widest_band=WIDE,
            mean_width=float(np.mean(widths)),
            widest=tuple(QueryBand(*row) for row in widest),
            calibrated_by=calibrated_by,
        )

    @property
    def _metric(self) -> str:
        return f"ndcg@{self._k}"

    def _rate(self, grades: Sequence[int], ranks: NDArray[np.int64]) -> Values:
        rated: Values = ndcg(np.array([grades]), ranks, k=self._k)[0]
        return rated

    def _doubt(
        self,
        query_id: str,
        pairs: Sequence[PooledPair],
        chances: Chances,
        ranks: NDArray[np.int64],
    ) -> None:
        table = np.array([chances.get(pair.doc_id, self._nothing) for pair in pairs])
        seed = self._seed + len(self._doubts)
        draws = draw_metric(table, ranks, k=self._k, seed=seed)
        self._drawn += draws
        found = doubt(table, ranks, draws, k=self._k, least_margin=UNSURE, widest=WIDE)
        self._doubts.append((query_id, found))


def _waits(pair: PooledPair, labels: Labels) -> bool:
    return pair.known is None and pair.doc_id not in labels.people


def _say(pair: PooledPair, votes: Mapping[str, Vote]) -> int:
    """Return the grade by these votes, else the set's, else that of what nobody graded.

    A judge that failed on a pair says nothing of it; a person who cannot tell does say so.
    """
    vote = votes.get(pair.doc_id)
    if vote is not None and (vote.grade is not None or vote.unrateable):
        return vote.grade or 0
    return pair.known or 0
