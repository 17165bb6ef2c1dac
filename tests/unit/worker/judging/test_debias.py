"""A judge's bias is taken out of a metric by people's labels of random queries."""

import numpy as np
import pytest
from msgspec import UNSET

from worker.judging.debias import FEWEST, debias
from worker.metrics.intervals import paired_interval


def draw(seed: int, *, queries: int, labelled: int, lift: float = 0.15) -> tuple[np.ndarray, ...]:
    """Draw people's values around 0.5, a judge's that lie higher, and hide most of people's."""
    rng = np.random.default_rng(seed)
    people = np.clip(rng.normal(0.5, 0.2, size=queries), 0, 1)
    judged = np.clip(people + rng.normal(lift, 0.05, size=queries), 0, 1)
    shown = np.full(queries, np.nan)
    picked = rng.choice(queries, labelled, replace=False)
    shown[picked] = people[picked]
    return judged, shown, people


def test_the_formula() -> None:
    """Mean of all judged less mean error on the labelled; raw and bias stand beside it."""
    judged, shown, _ = draw(1, queries=300, labelled=40)
    found = debias(judged, shown)
    errors = (judged - shown)[~np.isnan(shown)]
    assert (found.queries, found.labelled) == (300, 40)
    assert found.raw.value == pytest.approx(judged.mean())
    assert found.bias.value == pytest.approx(errors.mean())
    assert found.corrected.value == pytest.approx(judged.mean() - errors.mean())
    assert (found.corrected.method, found.corrected.reason) == ("prediction_powered", UNSET)


def test_with_few_labels_among_many_the_spread_is_the_published_one() -> None:
    """Where labelled queries are a hundredth, sharing them changes nothing that matters."""
    judged, shown, _ = draw(2, queries=4_000, labelled=40)
    errors = (judged - shown)[~np.isnan(shown)]
    spread = np.sqrt(judged.var(ddof=1) / len(judged) + errors.var(ddof=1) / len(errors))
    ci = debias(judged, shown).corrected.ci
    assert ci is not None
    assert (ci[1] - ci[0]) / spread == pytest.approx(2 * 2.02, rel=0.03)


def test_with_all_labelled_it_is_peoples_own_mean() -> None:
    """Value and interval are then those of people's values; the judge adds nothing."""
    judged, _, people = draw(3, queries=60, labelled=60)
    found = debias(judged, people).corrected
    alone = paired_interval(people)
    assert found.value == pytest.approx(people.mean())
    assert found.ci == pytest.approx(alone.ci)


def test_labels_that_the_judge_predicts_well_are_worth_more() -> None:
    """The corrected interval is far narrower than that of the labelled queries alone."""
    judged, shown, _ = draw(4, queries=2_000, labelled=30)
    ci, alone = debias(judged, shown).corrected.ci, paired_interval(shown[~np.isnan(shown)]).ci
    assert ci is not None
    assert alone is not None
    assert ci[1] - ci[0] < 0.4 * (alone[1] - alone[0])


def test_the_truth_lies_within_as_often_as_stated() -> None:
    """Of 200 draws the corrected interval covers nine in ten and more; the raw one hardly any."""
    truth = np.clip(np.random.default_rng(0).normal(0.5, 0.2, size=1_000_000), 0, 1).mean()
    corrected = raw = 0
    for seed in range(200):
        judged, shown, _ = draw(seed, queries=200, labelled=30)
        found = debias(judged, shown)
        assert found.corrected.ci is not None
        assert found.raw.ci is not None
        corrected += found.corrected.ci[0] <= truth <= found.corrected.ci[1]
        raw += found.raw.ci[0] <= truth <= found.raw.ci[1]
    assert corrected >= 186
    assert raw <= 10


def test_too_few_labels_correct_nothing() -> None:
    """Below twenty the raw value stands alone and says why."""
    judged, shown, _ = draw(5, queries=100, labelled=FEWEST - 1)
    found = debias(judged, shown)
    assert found.raw.ci is not None
    assert (found.corrected.value, found.corrected.reason) == (None, "too_few_labelled")
    assert found.bias.value is not None


def test_queries_without_a_value_are_left_out() -> None:
    """A query that the judge could not score counts nowhere, labelled or not."""
    judged, shown, _ = draw(6, queries=100, labelled=30)
    judged[np.flatnonzero(~np.isnan(shown))[0]] = np.nan
    assert (debias(judged, shown).queries, debias(judged, shown).labelled) == (99, 29)


def test_nothing_at_all_has_reasons() -> None:
    """No query, and queries that never vary, have no intervals."""
    none = debias(np.zeros(0), np.zeros(0))
    assert (none.raw.reason, none.bias.reason) == ("no_pairs", "no_pairs")
    same = debias(np.full(30, 0.5), np.full(30, 0.5))
    assert (same.corrected.value, same.corrected.reason) == (0.5, "no_variation")


def test_a_metric_stays_between_0_and_1() -> None:
    """A correction beyond the bounds of the metric is cut there."""
    judged = np.full(100, 0.02)
    people = np.full(100, np.nan)
    people[:30] = 0.0
    judged[:30] = np.linspace(0, 0.5, 30)
    found = debias(judged, people).corrected
    assert found.value == 0
    assert found.ci is not None
    assert found.ci[0] == 0


def test_values_must_belong_together() -> None:
    """Arrays of unlike length are a mistake of the caller."""
    with pytest.raises(ValueError, match="by people"):
        debias(np.zeros(3), np.zeros(4))
