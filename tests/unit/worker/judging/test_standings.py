"""Metrics of configurations by the judge and by people, and how unsure the grades leave them."""

from collections.abc import Iterable

import pytest

from reteval.contract.pools import PooledPair, Sighting
from reteval.contract.votes import Cast, RaterKind, Vote
from worker.judging.beliefs import believe
from worker.judging.standings import Labels, Standings

REVIEW = "/v1/judgings/jdg_1/review?audit=queries"
PAIRS = [
    PooledPair(doc_id="top", found=(Sighting("a", 1), Sighting("b", 2))),
    PooledPair(doc_id="low", found=(Sighting("a", 2), Sighting("b", 1))),
]


def votes(kind: RaterKind, grades: Iterable[tuple[str, int | None]]) -> dict[str, Vote]:
    """Return votes by document; without a grade, a person cannot tell and a judge has failed."""
    person = kind is RaterKind.HUMAN
    return {
        doc_id: Vote(
            doc_id=doc_id,
            kind=kind,
            rater=kind.value,
            at="",
            grade=grade,
            unrateable=person and grade is None,
            error="" if person or grade is not None else "refusal",
            casts=() if person or grade is None else (Cast(grade=grade),) * 3,
        )
        for doc_id, grade in grades
    }


def labels(
    judged: dict[str, int | None], people: dict[str, int | None], pairs: list[PooledPair] = PAIRS
) -> Labels:
    """Return what was said of a query."""
    judge = votes(RaterKind.LLM, judged.items())
    human = votes(RaterKind.HUMAN, people.items())
    return Labels(judged=judge, people=human, chances=believe(pairs, judge, human, scale_max=3))


def start(*configs: str) -> Standings:
    """Return standings without a query."""
    return Standings(configs or ("a", "b"), k=10, scale_max=3, seed=0)


def test_metrics_of_each_configuration_are_put_right() -> None:
    """The judge is wrong in every second query; people's labels of 20 of 40 take it out."""
    standings = start()
    for at in range(40):
        wrong = at % 4 < 2
        judged = {"top": 0, "low": 3} if wrong else {"top": 3, "low": 0}
        people = {"top": 3, "low": 0} if at % 2 else {}
        standings.add(f"q{at}", PAIRS, labels(judged, people), sampled=at % 2 == 1)
    first, second = standings.tell_metrics()
    assert [(one.config, one.metric) for one in (first, second)] == [
        *(("a", "ndcg@10"), ("b", "ndcg@10")),
    ]
    half = 0.63093
    assert first.debiased.raw.value == second.debiased.raw.value
    assert first.debiased.raw.value == pytest.approx((1 + half) / 2, abs=1e-4)
    assert (first.debiased.queries, first.debiased.labelled) == (40, 20)
    assert first.debiased.corrected.value == pytest.approx(1, abs=1e-4)
    assert second.debiased.corrected.value == pytest.approx(half, abs=1e-4)
    audit = standings.tell_audit(review=REVIEW)
    assert (audit.sampled, audit.labelled, audit.pairs_left, audit.fix) == (20, 20, 0, None)


def test_too_few_labels_correct_nothing_and_say_what_to_do() -> None:
    """A query with one pair open is not whole; one outside the sample says nothing."""
    standings = start()
    for at in range(30):
        people = {"top": 3, "low": 0} if at < 19 else {"top": 3}
        standings.add(f"q{at}", PAIRS, labels({"top": 3, "low": 1}, people), sampled=at < 25)
    row = standings.tell_metrics()[0]
    assert (row.debiased.labelled, row.debiased.corrected.value) == (19, None)
    assert row.debiased.corrected.reason == "too_few_labelled"
    audit = standings.tell_audit(review=REVIEW)
    assert (audit.sampled, audit.labelled, audit.needed, audit.pairs_left) == (25, 19, 20, 6)
    assert audit.fix == f"Grade every pair that GET {REVIEW} shows of 1 more queries, from the top."
    few = start()
    few.add("q", PAIRS, labels({}, {}), sampled=True)
    assert few.tell_audit(review=REVIEW).fix == (
        "Judge more queries: of 1 no metric can be put right."
    )
    assert (few.tell_metrics(), few.tell_doubt(calibrated_by=0)) == ((), None)


def test_what_nobody_can_grade_counts_as_not_relevant() -> None:
    """On either side: a failure of the judge, and what a person calls unrateable."""
    standings = start()
    standings.add(
        "q", PAIRS, labels({"top": None, "low": 3}, {"top": None, "low": 2}), sampled=True
    )
    row = standings.tell_metrics()[0]
    assert row.debiased.raw.value == pytest.approx(0.63093, abs=1e-4)
    assert (row.debiased.labelled, row.debiased.bias.value) == (1, pytest.approx(0))


def test_grades_of_the_set_need_nobody() -> None:
    """A query of known pairs alone is whole as it is; one without pairs is none."""
    known = [PooledPair(doc_id="d", found=(Sighting("a", 1),), known=3)]
    standings = start("a")
    standings.add("q", known, labels({}, {}, known), sampled=True)
    standings.add("empty", [], labels({}, {}, []), sampled=True)
    audit = standings.tell_audit(review=REVIEW)
    assert (audit.sampled, audit.labelled) == (1, 1)
    (row,) = standings.tell_metrics()
    assert (row.debiased.raw.value, row.label_band) == (1, (1, 1))


def test_label_bands_tell_unsure_queries_from_sure_ones() -> None:
    """People's grades leave no band; a judge's three votes do, and the widest are named."""
    standings = start()
    said = {"top": 3, "low": 0}
    for at in range(8):
        people = dict(said) if at < 2 else {}
        standings.add(f"q{at}", PAIRS, labels(dict(said), people), sampled=False)
    found = standings.tell_doubt(calibrated_by=4)
    assert found is not None
    assert (found.queries, found.uncertain, found.calibrated_by) == (8, 6, 4)
    assert len(found.widest) == 5
    assert {one.query_id for one in found.widest} <= {f"q{at}" for at in range(2, 8)}
    widths = [one.high - one.low for one in found.widest]
    assert widths == sorted(widths, reverse=True)
    assert 0 < found.mean_width < widths[0]
    row = standings.tell_metrics()[0]
    assert row.label_band is not None
    assert 0 < row.label_band[1] - row.label_band[0] < widths[0]
