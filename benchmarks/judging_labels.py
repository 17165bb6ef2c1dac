"""Collections with known labels, and how fast labels in some order mend a judge's error.

`benchmarks/judging.py` prints the table. Every pair has a right grade, which people would give,
and the fake judge's chances. Four systems rank each query's documents by the right grade and
more or less noise; the pool is what any of them has in its first ten.
"""

import csv
import gzip
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from examples.judge.oracle import LENIENT, Case, Oracle
from worker.judging.calibration import Calibration
from worker.judging.priorities import ndcg, prioritise
from worker.judging.uncertainty import margin

DATA = Path(__file__).parents[2] / "shared" / "data"
GRADES = 4
K = 10
NOISE = (0.6, 1.0, 1.5, 2.5)
BATCH = 20
PRIOR = (0.55, 0.2, 0.15, 0.1)

Grades = NDArray[np.int64]
Values = NDArray[np.float64]
Order = Callable[["Pool", Values, np.random.Generator], Values]


class Pool(Struct, frozen=True, eq=False):
    """The pairs of all queries one after another.

    `query` numbers their queries, `right` holds their grades and `chances` the judge's; `parts`
    are the places of each query's pairs, and `ranks` how the systems rank them.
    """

    query: Grades
    right: Grades
    chances: Values
    parts: Sequence[slice]
    ranks: Sequence[Grades]


def read_trec_dl(data: Path = DATA) -> list[list[int]]:
    """Return the grades of each query of TREC DL 2019, by NIST's assessors."""
    grades = defaultdict(list)
    with gzip.open(data / "trec-dl" / "qrels.dl19-passage.txt.gz", "rt") as lines:
        for line in lines:
            query, _, _, grade = line.split()
            grades[query].append(int(grade))
    return list(grades.values())


def read_chorus(data: Path = DATA) -> list[list[int]]:
    """Return the final grades of each query of Chorus, by three raters."""
    grades = defaultdict(list)
    path = data / "chorus" / "Broad_Query_Set_individual_ratings.csv.gz"
    with gzip.open(path, "rt", encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            grades[row["query"]].append(int(row["final_rating"]))
    return [each for each in grades.values() if max(each) > 0]


def make_grades(queries: int, documents: int) -> list[list[int]]:
    """Draw grades of queries, most of them 0; each has something relevant."""
    rng = np.random.default_rng(0)
    drawn = rng.choice(GRADES, size=(queries, documents), p=PRIOR)
    drawn[:, 0] = 3
    return drawn.tolist()


def draw_pool(grades: Sequence[Sequence[int]], *, seed: int) -> Pool:
    """Let four systems rank each query's documents and the fake judge weigh the pool."""
    rng = np.random.default_rng(seed)
    oracle = Oracle({}, matrix=LENIENT, seed=seed)
    right, ranks, query, parts = [], [], [], []
    for number, given in enumerate(grades):
        scores = (
            np.array(given) + rng.normal(size=(len(NOISE), len(given))) * np.array(NOISE)[:, None]
        )
        places = (-scores).argsort(axis=1).argsort(axis=1) + 1
        pooled = (places <= K).any(axis=0)
        parts.append(slice(len(right), len(right) + int(pooled.sum())))
        right.extend(np.array(given)[pooled].tolist())
        ranks.append(places[:, pooled])
        query.extend([number] * int(pooled.sum()))
    cases = (Case(f"q{query[at]}", f"d{at}", grade) for at, grade in enumerate(right))
    return Pool(
        query=np.array(query),
        right=np.array(right),
        chances=np.array([oracle.weigh(case) for case in cases]),
        parts=parts,
        ranks=ranks,
    )


def by_priority(pool: Pool, chances: Values, _rng: np.random.Generator) -> Values:
    """Ask first what is unsure and moves nDCG."""
    worth = [
        prioritise(chances[part], ranks, k=K)
        for part, ranks in zip(pool.parts, pool.ranks, strict=True)
    ]
    return np.concatenate(worth)


def by_margin(_pool: Pool, chances: Values, _rng: np.random.Generator) -> Values:
    """Ask first what has the smallest margin."""
    return -margin(chances)


def by_chance(_pool: Pool, chances: Values, rng: np.random.Generator) -> Values:
    """Ask in random order."""
    return rng.random(len(chances))


def follow(pool: Pool, order: Order, *, seed: int) -> Iterator[tuple[int, float]]:
    """Yield labels given and the error that is left, batch by batch, until all are labelled.

    After each batch the judge's chances are calibrated to all labels so far, whatever the order.
    The error is the mean over queries and systems of how far nDCG@10 is from that of the right
    grades, the most likely grade standing for those not labelled.
    """
    rng = np.random.default_rng(seed)
    labelled = np.zeros(len(pool.right), dtype=bool)
    certain = np.eye(GRADES)[pool.right]
    chances = pool.chances
    while True:
        yield int(labelled.sum()), measure_error(pool, chances)
        if labelled.all():
            return
        worth = np.where(labelled, -np.inf, order(pool, chances, rng))
        labelled[np.argsort(-worth, kind="stable")[:BATCH]] = True
        calibration = Calibration.fit(pool.chances[labelled], pool.right[labelled])
        chances = np.where(labelled[:, None], certain, calibration.apply(pool.chances))


def measure_error(pool: Pool, chances: Values) -> float:
    """Return how far nDCG@10 under the most likely grades is from the true one."""
    errors = []
    for part, ranks in zip(pool.parts, pool.ranks, strict=True):
        both = np.stack([chances[part].argmax(axis=1), pool.right[part]])
        guessed, true = ndcg(both, ranks, k=K)
        errors.append(np.abs(guessed - true).mean())
    return float(np.mean(errors))


def count_labels(pool: Pool, order: Order, targets: Sequence[float], *, seed: int) -> list[int]:
    """Return how many labels it takes until the error stays at or below each target."""
    path = list(follow(pool, order, seed=seed))
    worst = np.maximum.accumulate([error for _, error in reversed(path)])[::-1]
    return [
        next(n for (n, _), error in zip(path, worst, strict=True) if error <= target)
        for target in targets
    ]
