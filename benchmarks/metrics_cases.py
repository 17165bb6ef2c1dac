"""Made-up judgments and rankings of four shapes, seeded, in the forms that the libraries take."""

from typing import Final

import numpy as np
from msgspec import Struct

from service.store.chunks import SIZE
from service.store.packing import Dictionary
from worker.metrics.packed import Rankings

SEED: Final = 20_261
CORPUS: Final = 9_000_011
"""Documents to choose from; a prime, so that any stride visits each once."""


class Shape(Struct, frozen=True):
    """How many queries and results, what is judged, and what an id looks like."""

    about: str
    queries: int
    results: int
    judged: str
    form: str


SHAPES: Final = {
    "a": Shape("a graded test collection", 1_000, 100, "deep", "DOC-{:07d}"),
    "b": Shape("the same with long lists", 10_000, 1_000, "deep", "DOC-{:07d}"),
    "c": Shape("one relevant passage a query", 7_000, 1_000, "single", "{:07d}"),
    "d": Shape("a production log", 100_000, 10, "log", "item-{:08x}"),
}


class Case(Struct, frozen=True, kw_only=True):
    """Grades and rankings by query, the same rankings with scores, and as a store keeps them."""

    query_ids: list[str]
    grades: list[dict[str, int]]
    rankings: list[list[str]]

    @property
    def qrels(self) -> dict[str, dict[str, int]]:
        """The judgments by query id."""
        return dict(zip(self.query_ids, self.grades, strict=True))

    def score(self) -> dict[str, dict[str, float]]:
        """Return the rankings with scores that fall by one a place, by query id."""
        return {
            query: {document: float(-rank) for rank, document in enumerate(ranking)}
            for query, ranking in zip(self.query_ids, self.rankings, strict=True)
        }

    def store(self) -> tuple[list[str], list[Rankings]]:
        """Return the run's id dictionary and its rankings as numbers, in chunks of queries."""
        dictionary = Dictionary()
        chunks = []
        for start in range(0, len(self.rankings), SIZE):
            part = self.rankings[start : start + SIZE]
            docs = dictionary.number(document for ranking in part for document in ranking)
            chunks.append(
                Rankings(
                    docs=np.frombuffer(docs.tobytes(), dtype=np.uint32),
                    lengths=np.array([len(ranking) for ranking in part], dtype=np.int64),
                    query=np.arange(start, start + len(part)),
                    answered=np.ones(len(part), dtype=np.bool_),
                )
            )
        return dictionary.ids, chunks


def make_case(shape: Shape) -> Case:
    """Draw a case: each query walks through the corpus by a stride of its own."""
    rng = np.random.default_rng(SEED)
    n, length = shape.queries, shape.results
    begin = rng.integers(0, CORPUS, n)
    stride = rng.integers(1, CORPUS, n)
    form = shape.form.format
    rankings = [
        [form(number) for number in (row % CORPUS).tolist()]
        for row in (begin[q] + stride[q] * np.arange(length) for q in range(n))
    ]
    grades = []
    for query in range(n):
        places, levels = judge_places(rng, shape)
        documents = (begin[query] + stride[query] * places) % CORPUS
        grades.append(dict(zip(map(form, documents.tolist()), levels.tolist(), strict=True)))
    return Case(query_ids=[f"q{q}" for q in range(n)], grades=grades, rankings=rankings)


def judge_places(
    rng: np.random.Generator, shape: Shape
) -> tuple[np.ndarray[tuple[int], np.dtype[np.int64]], np.ndarray[tuple[int], np.dtype[np.int64]]]:
    """Draw the places of judged documents (some behind the end of the list) and their grades."""
    length = shape.results
    if shape.judged == "single":
        count = 1 + int(rng.random() < 0.1)
        return np.exp(rng.random(count) * np.log(1.4 * length)).astype(np.int64), np.ones(
            count, dtype=np.int64
        )
    if shape.judged == "log":
        count = int(rng.integers(1, 6))
        return (rng.random(count) * 1.5 * length).astype(np.int64), rng.integers(0, 3, count)
    places = (rng.random(min(60, length // 2)) ** 2.5 * 1.5 * length).astype(np.int64)
    relevant = rng.random(len(places)) < 0.45 - 0.3 * places / (1.5 * length)
    return places, np.where(relevant, rng.integers(1, 4, len(places)), 0)
