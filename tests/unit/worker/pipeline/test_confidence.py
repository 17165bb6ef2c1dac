import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reteval.contract.out_of_corpus import ScoreSense
from reteval.contract.outcomes import Outcome, OutcomeStatus
from tests.unit.worker.pipeline.answers import failed, hits
from worker.pipeline.confidence import Confidence, explain_sense, find_sense, read_confidence
from worker.pipeline.confidence_separation import (
    find_partners,
    measure_auroc,
    measure_fpr,
    suggest_floor,
    trace_risk,
)

HIGHER = ScoreSense(direction="higher_is_better")


def scored(*scores: float) -> Outcome:
    """Return an answer with these scores."""
    ids = [f"d{place}" for place in range(len(scores))]
    return Outcome(
        status=OutcomeStatus.OK if ids else OutcomeStatus.OK_EMPTY,
        ids=ids,
        returned=len(ids),
        scores=list(scores),
    )


def sure(values: Sequence[float], words: Sequence[int] | int = 3) -> Confidence:
    """Return confidences that are alike by every measure."""
    top1 = np.array(values, dtype=np.float64)
    lengths = np.full(len(top1), words) if isinstance(words, int) else np.array(words)
    return Confidence(top1=top1, mean_k=top1, gap=top1, words=lengths)


def fuse(*ranks: int) -> float:
    """Return the fused score of a document with these ranks."""
    return sum(1 / (60 + rank) for rank in ranks)


BM25 = [scored(9.1 - each, 4.2 - each / 2, 1.0) for each in range(6)]


@pytest.mark.parametrize(
    ("outcomes", "direction", "reason"),
    [
        (BM25, "higher_is_better", None),
        (
            [scored(*[-score for score in each.scores or []]) for each in BM25],
            "lower_is_better",
            None,
        ),
        ([], None, "no_hits"),
        ([hits(), failed()], None, "no_hits"),
        ([*BM25, hits("a")], None, "scores_absent"),
        ([scored(1.0, 1.0, 1.0)] * 6, None, "scores_constant"),
        ([scored(0.0, 0.0)] * 6, None, "scores_constant"),
        (BM25[:4], None, "too_few_lists"),
        ([scored(1.0, 0.5, 1 / 3)] * 6, None, "rank_fused"),
        ([scored(1.0, 0.5, 1 / 3)] * 5 + [scored(1.0)], None, "rank_fused"),
        ([scored(fuse(1, each), fuse(2), fuse(5)) for each in range(1, 9)], None, "rank_fused"),
        ([scored(3.0 + each, 5.0, 4.0, 4.5) for each in range(6)], None, "direction_unclear"),
        ([scored(3.0 + each) for each in range(6)], None, "direction_unclear"),
    ],
)
def test_the_sense_of_scores(
    outcomes: Sequence[Outcome], direction: str | None, reason: str | None
) -> None:
    """Higher is better, lower is better, or a reason why neither can be said."""
    sense = find_sense(outcomes, depth=10)
    assert (sense.direction, sense.reason or None) == (direction, reason)


def test_fused_scores_are_known_after_storage() -> None:
    """Kept as float32 they are still sums of reciprocal ranks."""
    stored = [
        scored(float(np.float32(fuse(1, each))), float(np.float32(fuse(3)))) for each in range(1, 9)
    ]
    assert find_sense(stored, depth=10).reason == "rank_fused"


def test_confidence_is_read_three_ways() -> None:
    """Best, mean and lead; an empty page is the lowest, a failure is left out."""
    outcomes = [scored(5.0, 3.0, 1.0), scored(2.0), hits(), failed()]
    read = read_confidence(outcomes, ["a b", "a", "a b c", "a"], HIGHER, depth=2)
    assert read is not None
    assert read.top1.tolist() == [5.0, 2.0, -math.inf]
    assert read.mean_k.tolist() == [4.0, 2.0, -math.inf]
    assert read.gap[0] == 2.0
    assert math.isnan(read.gap[1])
    assert read.words.tolist() == [2, 1, 3]


def test_of_distances_the_least_is_the_surest() -> None:
    """They are turned round before anything is compared."""
    sense = ScoreSense(direction="lower_is_better")
    read = read_confidence([scored(0.1, 0.4)], ["a"], sense, depth=10)
    assert read is not None
    assert (read.top1[0], read.gap[0]) == (-0.1, pytest.approx(0.3))


def test_hits_without_scores_have_no_confidence() -> None:
    """Nor has anything where scores have no sense."""
    assert read_confidence([hits("a")], ["a"], HIGHER, depth=10) is None
    nothing = ScoreSense(direction=None, reason="scores_constant")
    assert read_confidence([scored(1.0)], ["a"], nothing, depth=10) is None
    assert explain_sense(HIGHER, None) == ScoreSense(direction=None, reason="scores_absent")
    assert explain_sense(nothing, None) == nothing


@given(
    st.lists(st.integers(0, 5), min_size=10, max_size=30),
    st.lists(st.integers(0, 5), min_size=10, max_size=30),
)
def test_auroc_is_the_share_of_pairs_in_order(clean: list[int], other: list[int]) -> None:
    """Counted pair by pair, ties half."""
    pairs = [(one > two) + (one == two) / 2 for one in clean for two in other]
    measured = measure_auroc(sure(clean), sure(other))
    assert measured.top1 == pytest.approx(np.mean(pairs))
    assert (measured.n, measured.of) == (len(other), len(other))


def test_auroc_compares_equal_lengths_only() -> None:
    """Long clean queries that score high say nothing about short nonsense."""
    clean = sure([1.0] * 20 + [50.0] * 20, [3] * 20 + [12] * 20)
    other = sure([5.0] * 20, 3)
    measured = measure_auroc(clean, other)
    assert (measured.top1, measured.n) == (0.0, 20)
    within = measure_auroc(clean, sure([5.0] * 20, 4))
    assert within.top1 == 0.0
    far = measure_auroc(clean, sure([5.0] * 20, 7))
    assert (far.top1, far.reason, far.n, far.of) == (None, "too_few_of_equal_length", 0, 20)


def test_a_gap_needs_two_hits() -> None:
    """The other two measures stand without it."""
    alone = Confidence(
        top1=np.ones(12), mean_k=np.ones(12), gap=np.full(12, np.nan), words=np.full(12, 3)
    )
    measured = measure_auroc(alone, alone)
    assert (measured.top1, measured.gap, measured.reason) == (0.5, None, "gap_needs_two_hits")


def test_partners_are_within_a_word() -> None:
    """Nearer lengths count, others do not."""
    found = find_partners(sure([0.0] * 5, [1, 2, 4, 6, 9]), sure([0.0, 0.0], [3, 8]))
    assert found.tolist() == [False, True, True, False, True]
    assert find_partners(sure([0.0]), sure([])).tolist() == [False]


def test_false_positives_at_95() -> None:
    """Nonsense above the clean 5 % quantile passes; an empty page never does."""
    clean = sure([float(each) for each in range(100)])
    assert measure_fpr(clean, sure([3.0] * 6 + [50.0] * 4)).value == 0.4
    refusing = sure([-math.inf] * 10 + [5.0] * 90)
    assert measure_fpr(refusing, sure([-math.inf] * 5 + [1.0] * 5)).value == 0.5
    assert measure_fpr(clean, sure([3.0])).reason == "too_few_of_equal_length"


def test_a_floor_is_chosen_on_one_half_and_judged_on_the_other() -> None:
    """Halfway between the worlds it is free; what it costs is measured apart."""
    clean, other = sure([8.0, 9.0] * 20), sure([1.0, 2.0] * 20)
    auroc = measure_auroc(clean, other)
    floor = suggest_floor(clean, other, auroc, "higher_is_better")
    assert floor.value == 4.5
    assert (floor.refused, floor.answered, floor.keep) == (0.0, 0.0, "at_or_above")
    assert (floor.clean, floor.queries) == (20, 20)
    turned = suggest_floor(clean, other, auroc, "lower_is_better")
    assert (turned.value, turned.keep) == (-4.5, "at_or_below")
    overlapping = sure([8.0, 1.0, 8.0, 9.0] * 10)
    costly = suggest_floor(
        overlapping, other, measure_auroc(overlapping, other), "higher_is_better"
    )
    assert costly.refused == 0.5


def test_no_floor_is_suggested_without_ground() -> None:
    """Scores that do not separate, too few queries, or nothing left to refuse."""
    alike = sure([1.0, 2.0] * 20)
    auroc = measure_auroc(alike, alike)
    assert suggest_floor(alike, alike, auroc, "higher_is_better").reason == "auroc_below_0.8"
    few = sure([9.0] * 12)
    low = sure([1.0] * 12)
    assert (
        suggest_floor(few, low, measure_auroc(few, low), "higher_is_better").reason
        == "too_few_of_equal_length"
    )
    silent = sure([-math.inf] * 30)
    assert (
        suggest_floor(alike, silent, measure_auroc(alike, silent), "higher_is_better").reason
        == "already_abstains"
    )
    assert (
        suggest_floor(sure([-math.inf, 9.0] * 20), low, measure_auroc(few, low), "").reason
        == "too_few_of_equal_length"
    )
    halved = suggest_floor(
        sure([-math.inf, 9.0] * 20), sure([1.0] * 40), measure_auroc(few, low), ""
    )
    assert halved.reason == "too_few_hits"


def test_risk_falls_with_coverage_where_scores_know() -> None:
    """The surest half is all right, so answering only it has no risk."""
    confidence = np.arange(20, dtype=np.float64)
    risk = trace_risk(confidence, (confidence >= 10).astype(np.float64), name="mrr")
    assert risk.at == {"0.25": 0.0, "0.50": 0.0, "0.75": pytest.approx(1 / 3), "1.00": 0.5}
    assert risk.aurc is not None
    assert 0 < risk.aurc < 0.5
    assert (risk.n, risk.metric) == (20, "mrr")


def test_equal_confidence_shares_its_risk() -> None:
    """The order of ties does not matter: every coverage has the mean risk."""
    metric = np.array([1.0, 0.0] * 10)
    risk = trace_risk(np.ones(20), metric, name="mrr")
    assert set(risk.at.values()) == {0.5}
    assert risk.aurc == pytest.approx(0.5)
    assert trace_risk(np.ones(3), metric[:3], name="mrr").reason == "too_few_queries"
