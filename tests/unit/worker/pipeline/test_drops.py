import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from worker.pipeline.drops import (
    Loss,
    estimate_drop,
    estimate_relative,
    judge,
    measure_noise,
    share_of,
)


def lose(*differences: float, clean: float = 0.5) -> Loss:
    """Return needs that start from one value and lose these points."""
    before = np.full(len(differences), clean)
    return Loss(clean=before, variant=before - np.array(differences))


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
    assert judge(loss, noise=noise) == verdict


@given(st.lists(st.floats(-1, 1), max_size=30), st.floats(0, 1))
def test_a_verdict_turns_with_the_sign(differences: list[float], noise: float) -> None:
    """Exchanging clean and variant exchanges worse and better and nothing else."""
    turned = {"worse": "better", "better": "worse"}
    loss = lose(*differences)
    back = Loss(clean=loss.variant, variant=loss.clean)
    verdict = judge(loss, noise=noise)
    assert judge(back, noise=noise) == turned.get(verdict, verdict)


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
