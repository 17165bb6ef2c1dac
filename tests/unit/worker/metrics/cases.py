"""Made-up queries and answers, and the kernels' numbers for them."""

from collections.abc import Sequence

from hypothesis import settings
from hypothesis import strategies as st
from msgspec import Struct

from reteval.contract.metrics import Metric
from worker.metrics.hits import condense, find_hits
from worker.metrics.judgments import Judgments
from worker.metrics.kernel import score
from worker.metrics.tally import Values

DEPTH = 12
CUTOFFS = (1, 3, 5, 10)
TOP_GRADE = 4
BATCH = 40
"""Cases an example; times the examples of `MANY` over 2,000 of them are scorable."""
MANY = settings(max_examples=65)

DOCUMENTS = st.integers(0, 15).map("d{:02d}".format)
GRADES = st.dictionaries(DOCUMENTS, st.integers(-2, TOP_GRADE), min_size=3, max_size=9)
WISE_GRADES = st.dictionaries(DOCUMENTS, st.integers(0, TOP_GRADE), max_size=9)


class Case(Struct, frozen=True):
    """Grades of a query, and its answer with scores that fall or stay; repeats may occur.

    Equal scores stand in the order that trec_eval gives them: ids descending, repeats last.
    """

    grades: dict[str, int]
    ranking: list[str]
    scores: list[float]

    @property
    def run(self) -> dict[str, float]:
        """The answer as trec_eval takes it: a repeat is a document that nobody judged."""
        run: dict[str, float] = {}
        for place, (document, given) in enumerate(zip(self.ranking, self.scores, strict=True)):
            run[f"!{place:02d}" if document in run else document] = given
        return run


@st.composite
def cases(
    draw: st.DrawFn,
    *,
    grades: st.SearchStrategy[dict[str, int]] = GRADES,
    longest: int = DEPTH,
) -> Case:
    """Draw a case; short and empty answers, repeats and unjudged documents included."""
    answer = draw(st.lists(st.tuples(DOCUMENTS, st.integers(0, 2)), max_size=longest))
    given, total = [], 100.0
    for _, drop in answer:
        total -= drop
        given.append(total)
    return arrange(draw(grades), [document for document, _ in answer], given)


def arrange(grades: dict[str, int], ranking: list[str], scores: list[float]) -> Case:
    """Put documents of equal score into trec_eval's order."""
    seen: set[str] = set()
    ordered: list[str] = []
    for level in dict.fromkeys(scores):
        group = [d for d, given in zip(ranking, scores, strict=True) if given == level]
        fresh = sorted({*group} - seen, reverse=True)
        repeats = list(group)
        for document in fresh:
            repeats.remove(document)
        ordered += fresh + repeats
        seen |= {*fresh}
    return Case(grades, ordered, scores)


def judge(
    batch: Sequence[Case], *, relevant_from: int = 1, scale_max: int = TOP_GRADE
) -> Judgments:
    """Index queries q0, q1, ... with the grades of these cases."""
    return Judgments.index(
        [f"q{place}" for place in range(len(batch))],
        [case.grades for case in batch],
        relevant_from=relevant_from,
        scale_max=scale_max,
    )


def evaluate(
    batch: Sequence[Case],
    metrics: Sequence[Metric],
    *,
    relevant_from: int = 1,
    condensed: bool = False,
) -> tuple[Judgments, dict[Metric, Values]]:
    """Score the cases by our kernels."""
    judgments = judge(batch, relevant_from=relevant_from)
    hits = find_hits(judgments, [case.ranking for case in batch], depth=DEPTH)
    return judgments, score(judgments, condense(hits) if condensed else hits, metrics)
