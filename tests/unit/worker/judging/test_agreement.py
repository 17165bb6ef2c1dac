"""Agreement comes with intervals over queries, and as undefined where it is."""

from typing import Any

import numpy as np
import pytest
from msgspec import UNSET

from worker.judging import confusion
from worker.judging.agreement import Audit, Judged, is_too_perfect, measure


def draw(seed: int, *, pairs: int, queries: int = 40) -> dict[str, Any]:
    """Draw grades of people, and a judge's that misses one in four by one."""
    rng = np.random.default_rng(seed)
    people = rng.choice(4, size=pairs, p=[0.5, 0.2, 0.2, 0.1])
    off = (rng.random(pairs) < 0.25) * rng.choice([-1, 1], size=pairs)
    return {
        "query": rng.integers(0, queries, size=pairs) * 10,
        "people": people,
        "judge": np.clip(people + off, 0, 3),
    }


def test_figures_are_those_of_the_matrix() -> None:
    """On a plain random sample, each figure is what its definition gives for the counts."""
    drawn = draw(1, pairs=300)
    found = measure(Audit(**drawn), scale_max=3, relevant_from=2)
    counts = np.array(found.matrix, dtype=float)
    assert (found.pairs, found.queries, found.stratified) == (300, 40, False)
    assert counts[2, 3] == ((drawn["people"] == 2) & (drawn["judge"] == 3)).sum()
    assert found.exact.value == pytest.approx((drawn["people"] == drawn["judge"]).mean())
    assert found.kappa.value == pytest.approx(float(confusion.kappa(counts)))
    assert found.signed_difference.value == pytest.approx((drawn["judge"] - drawn["people"]).mean())
    for estimate in (found.exact, found.kappa, found.kappa_weighted, found.alpha):
        assert estimate.ci is not None
        assert estimate.value is not None
        assert estimate.ci[0] < estimate.value < estimate.ci[1]
        assert (estimate.method, estimate.reason) == ("bca", UNSET)


def test_the_seed_decides_the_interval() -> None:
    """The same again is the same; another seed moves the bounds alone."""
    audit = Audit(**draw(2, pairs=100))
    first, again, other = (
        measure(audit, scale_max=3, relevant_from=1, seed=seed) for seed in (1, 1, 2)
    )
    assert first == again
    assert first.kappa.value == other.kappa.value
    assert first.kappa.ci != other.kappa.ci


def test_queries_are_the_units() -> None:
    """Pairs of few queries that err together make a wider interval than as many queries."""
    people = np.tile([0, 1, 2, 3], 50)
    judge = np.where(np.arange(200) < 40, 3, people)
    few, many = (
        measure(
            Audit(query=np.arange(200) // size, people=people, judge=judge),
            scale_max=3,
            relevant_from=1,
        ).exact
        for size in (20, 1)
    )
    assert few.ci is not None
    assert many.ci is not None
    assert few.ci[1] - few.ci[0] > 1.5 * (many.ci[1] - many.ci[0])


def test_a_stratified_sample_is_weighed_up() -> None:
    """Fifteen of each of the judge's grades estimate what all pairs would show."""
    drawn = draw(3, pairs=4_000)
    rng = np.random.default_rng(0)
    picked = np.concatenate(
        [
            rng.choice(np.flatnonzero(drawn["judge"] == grade), 200, replace=False)
            for grade in range(4)
        ]
    )
    judged = Judged(query=drawn["query"], grade=drawn["judge"])
    sample = {name: values[picked] for name, values in drawn.items()}
    weighed = measure(Audit(**sample, judged=judged), scale_max=3, relevant_from=2)
    plain = measure(Audit(**sample), scale_max=3, relevant_from=2)
    truth = measure(Audit(**drawn), scale_max=3, relevant_from=2)
    assert weighed.stratified
    for name in ("exact", "kappa_binary", "signed_difference"):
        estimate, exact = getattr(weighed, name), getattr(truth, name).value
        assert estimate.ci[0] <= exact <= estimate.ci[1]
    assert truth.exact.value is not None
    assert plain.exact.value is not None
    assert abs(plain.exact.value - truth.exact.value) > 0.03
    assert weighed.precision == plain.precision


def test_a_grade_that_nobody_audited_leaves_overall_figures_open() -> None:
    """Without a pair of one of the judge's grades, nothing is known of all."""
    drawn = draw(4, pairs=60)
    judged = Judged(query=np.zeros(4, dtype=int), grade=np.arange(4))
    kept = {name: values[drawn["judge"] != 3] for name, values in drawn.items()}
    found = measure(Audit(**kept, judged=judged), scale_max=3, relevant_from=1)
    assert (found.exact.value, found.exact.reason) == (None, "unaudited_grade")
    assert (found.precision[3].value, found.precision[3].reason) == (None, "no_pairs")
    assert found.precision[0].value is not None


@pytest.mark.parametrize("stratified", [False, True])
def test_nothing_audited_has_no_figures(*, stratified: bool) -> None:
    """An empty sample is no agreement of 0."""
    none = np.zeros(0, dtype=int)
    judged = Judged(query=np.arange(9), grade=np.zeros(9, dtype=int)) if stratified else None
    found = measure(
        Audit(query=none, people=none, judge=none, judged=judged), scale_max=3, relevant_from=1
    )
    assert (found.kappa.value, found.kappa.ci, found.kappa.reason) == (None, None, "no_pairs")
    assert not found.too_perfect


def test_one_class_is_undefined() -> None:
    """Where people gave one grade alone kappa has no value; plain agreement does."""
    found = measure(
        Audit(query=np.arange(8), people=np.zeros(8, dtype=int), judge=np.arange(8) % 2),
        scale_max=3,
        relevant_from=1,
    )
    assert (found.kappa.value, found.kappa.reason) == (None, "one_class")
    assert found.exact.value == 0.5


def test_too_little_for_an_interval_says_so() -> None:
    """One query, or no difference at all, has a value and no interval."""
    one = measure(
        Audit(query=np.zeros(4, dtype=int), people=np.arange(4), judge=np.arange(4)[::-1]),
        scale_max=3,
        relevant_from=1,
    )
    assert (one.exact.value, one.exact.ci, one.exact.reason) == (0, None, "too_few")
    same = measure(
        Audit(query=np.arange(40), people=np.arange(40) % 4, judge=np.arange(40) % 4),
        scale_max=3,
        relevant_from=1,
    )
    assert (same.kappa.value, same.kappa.ci, same.kappa.reason) == (1, None, "no_variation")


def test_a_figure_that_few_resamples_define_gets_no_interval() -> None:
    """One query that holds all the variety decides alone whether kappa exists."""
    people = np.array([0, 0, 3, 0])
    found = measure(
        Audit(query=np.array([0, 1, 2, 3]), people=people, judge=people),
        scale_max=3,
        relevant_from=1,
    )
    assert (found.kappa.value, found.kappa.ci, found.kappa.reason) == (1, None, "one_class")


def test_a_stratum_of_one_pair_says_little() -> None:
    """Its spread is unknown: the interval is wide, not missing and not narrow."""
    judged = Judged(query=np.arange(40), grade=np.arange(40) % 2)
    found = measure(
        Audit(query=np.arange(2), people=np.array([0, 1]), judge=np.array([0, 1]), judged=judged),
        scale_max=1,
        relevant_from=1,
    )
    assert found.exact.value == 1
    assert found.exact.ci is None


def test_too_perfect_takes_59_pairs_without_a_difference() -> None:
    """Fewer can be luck; with 562, one more or less is nothing; one grade alone is no feat."""
    used = np.array([30, 29])
    assert [is_too_perfect(n, n, used) for n in (58, 59)] == [False, True]
    assert is_too_perfect(561, 562, used)
    assert not is_too_perfect(540, 562, used)
    assert not is_too_perfect(562, 562, np.array([0, 562]))
    assert not is_too_perfect(0, 562, used)


def test_grades_off_the_scale_are_refused() -> None:
    """A 4 on a scale to 3, or in the population, is a mistake of the caller."""
    one = np.ones(1, dtype=int)
    with pytest.raises(ValueError, match="between 0 and 3"):
        measure(Audit(query=one, people=one, judge=one * 4), scale_max=3, relevant_from=1)
    judged = Judged(query=one, grade=-one)
    with pytest.raises(ValueError, match="between 0 and 3"):
        measure(
            Audit(query=one, people=one, judge=one, judged=judged), scale_max=3, relevant_from=1
        )
