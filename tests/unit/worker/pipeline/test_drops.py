import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from worker.pipeline.drops import (
    Loss,
    bound_mean,
    estimate_drop,
    estimate_relative,
    find_detectable,
    judge,
    measure_noise,
    share_of,
    try_losses,
)


def lose(*differences: float, clean: float = 0.5) -> Loss:
    """Return needs that start from one value and lose these points."""
    before = np.full(len(differences), clean)
    return Loss(clean=before, variant=before - np.array(differences))


def verdict_of(loss: Loss, *, noise: float = 0.0, beside: int = 0) -> str:
    """Judge a loss, tested beside as many kinds that lose nothing."""
    (chance, *_) = try_losses([loss, *[lose(0.0)] * beside], seed=1)
    return judge(loss, noise=noise, chance=chance)


ALIKE = [0.3, 0.25, 0.35, 0.3, 0.28, 0.32, 0.31, 0.29]


@pytest.mark.parametrize(
    ("loss", "noise", "verdict"),
    [
        (lose(), 0.0, "not_run"),
        (lose(*ALIKE), 0.0, "worse"),
        (lose(*ALIKE), 0.4, "inconclusive"),
        (lose(*(-each for each in ALIKE)), 0.0, "better"),
        (lose(*(-each for each in ALIKE)), 0.4, "inconclusive"),
        (lose(0.3, -0.3, 0.2, -0.1, 0.4, -0.5), 0.0, "inconclusive"),
        (lose(0.001, -0.001, 0.002, 0.0, 0.001, -0.002), 0.0, "no_change"),
        (lose(0.010, 0.011, 0.009, 0.010, 0.011, 0.012), 0.0, "no_change"),
        (lose(*[0.5] * 6), 0.0, "worse"),
        (lose(*[0.5] * 5), 0.0, "inconclusive"),
        (lose(*[0.0] * 6), 0.0, "no_change"),
        (lose(0.5), 0.0, "inconclusive"),
    ],
)
def test_verdicts(loss: Loss, noise: float, verdict: str) -> None:
    """Small beats significant, noise bounds both directions, few equal needs prove nothing."""
    assert verdict_of(loss, noise=noise) == verdict


def test_a_verdict_allows_for_all_the_kinds_that_were_tested() -> None:
    """What is worse alone is inconclusive as one of ten, and p says both."""
    loss = lose(*ALIKE)
    assert verdict_of(loss) == "worse"
    assert verdict_of(loss, beside=9) == "inconclusive"
    (chance, *_) = try_losses([loss, *[lose(0.0)] * 9], seed=1)
    assert chance is not None
    assert (chance.p, chance.p_holm) == (2 / 2**8, 20 / 2**8)


def test_losses_without_needs_are_no_tests() -> None:
    """They have no p, and do not make it harder for the others."""
    (nothing, chance) = try_losses([lose(), lose(*ALIKE)], seed=1)
    assert nothing is None
    assert chance is not None
    assert chance.p == chance.p_holm


@given(st.lists(st.floats(-1, 1), max_size=30), st.floats(0, 1))
def test_a_verdict_turns_with_the_sign(differences: list[float], noise: float) -> None:
    """Exchanging clean and variant exchanges worse and better and nothing else."""
    turned = {"worse": "better", "better": "worse"}
    loss = lose(*differences)
    back = Loss(clean=loss.variant, variant=loss.clean)
    verdict = verdict_of(loss, noise=noise)
    assert verdict_of(back, noise=noise) == turned.get(verdict, verdict)


def test_noise_is_the_wider_of_mean_and_half_interval() -> None:
    """A control that is off is noise, and so is one that scatters."""
    assert measure_noise(lose()) == 0.0
    assert measure_noise(lose(*[0.25] * 6)) == 0.25
    scattered = lose(0.2, -0.2, 0.2, -0.2)
    drop = estimate_drop(scattered, missing="")
    assert drop.ci is not None
    assert measure_noise(scattered) == pytest.approx(drop.ci[1])


def test_a_drop_without_an_interval_says_why() -> None:
    """No needs, one need, all alike: three reasons."""
    reasons = [
        estimate_drop(loss, missing="nobody").reason
        for loss in (lose(), lose(0.1), lose(0.1, 0.1), lose(0.1, 0.3))
    ]
    assert reasons[:3] == ["nobody", "too_few", "no_variation"]
    assert estimate_drop(lose(0.1, 0.3), missing="").ci is not None


def test_a_relative_drop_is_a_ratio_of_means() -> None:
    """One need that scored near nothing cannot blow it up; nothing to lose has no ratio."""
    loss = Loss(clean=np.array([0.001, 0.999]), variant=np.array([0.0, 0.999]))
    assert estimate_relative(loss, missing="").value == pytest.approx(0.001)
    assert estimate_relative(lose(0.0, clean=0.0), missing="").reason == "clean_is_zero"
    assert estimate_relative(lose(), missing="nobody").reason == "nobody"


def test_a_share_of_nobody_is_null() -> None:
    """Zero of zero is no proportion."""
    share = share_of(np.zeros(0, dtype=np.bool_))
    assert (share.n, share.share, share.ci) == (0, None, None)


def test_a_relative_interval_is_fiellers() -> None:
    """The ratios that a t test of d - R c against 0 does not refuse, and no others."""
    rng = np.random.default_rng(3)
    before = rng.uniform(0.2, 1.0, 25)
    loss = Loss(clean=before, variant=before * rng.uniform(0.4, 1.0, 25))
    relative = estimate_relative(loss, missing="")
    assert relative.ci is not None
    for end in relative.ci:
        assert stats.ttest_1samp(loss.differences - end * before, 0).pvalue == pytest.approx(0.05)
    assert relative.value is not None
    assert relative.ci[0] < relative.value < relative.ci[1]
    assert (relative.method, relative.level) == ("fieller", 0.95)


@pytest.mark.parametrize(
    ("loss", "reason"),
    [
        (lose(0.1), "too_few"),
        (lose(0.1, 0.1), "no_variation"),
        (
            Loss(clean=np.array([0.0, 0.0, 1.0]), variant=np.array([0.0, 0.1, 0.2])),
            "clean_mean_touches_zero",
        ),
    ],
)
def test_a_relative_drop_without_bounds_says_why(loss: Loss, reason: str) -> None:
    """One need, no spread, or a clean mean that could be 0."""
    relative = estimate_relative(loss, missing="")
    assert relative.value is not None
    assert (relative.ci, relative.reason) == (None, reason)


def test_the_detectable_drop_is_that_of_the_t_test() -> None:
    """A true drop of that size is found four times in five."""
    differences = np.array([0.1, -0.2, 0.3, 0.0, 0.15, -0.05, 0.2, 0.1, -0.1, 0.05] * 3)
    found = find_detectable(differences)
    assert found.drop is not None
    shift = found.drop / differences.std(ddof=1) * np.sqrt(30)
    bound = stats.t.ppf(0.975, 29)
    power = stats.nct.sf(bound, 29, shift) + stats.nct.cdf(-bound, 29, shift)
    assert power == pytest.approx(0.8, abs=1e-6)
    assert (found.power, found.alpha) == (0.8, 0.05)


def test_nothing_is_detectable_without_a_spread() -> None:
    """One need, or needs that all lose the same."""
    assert find_detectable(np.array([0.1])).reason == "too_few"
    assert find_detectable(np.array([0.1, 0.1])).reason == "no_variation"


def test_a_mean_is_bounded_by_what_enough_needs_share() -> None:
    """Six equal values stand for themselves, two do not."""
    assert bound_mean(np.full(6, 0.25)) == (0.25, 0.25)
    assert bound_mean(np.full(2, 0.25)) is None
