"""Means with their intervals, bounds and reasons; and the words that define them."""

import numpy as np
import pytest
from msgspec import UNSET, json

from reteval.contract.metrics import FAMILIES, Metric, expand_metrics, parse_metric
from reteval.contract.runs import IntervalMethod
from worker.metrics.definitions import definitions
from worker.metrics.summary import summarise

NAN = np.nan
MRR, HIT, JUDGED = Metric("mrr"), Metric("hit_rate", 5), Metric("judged", 5)


def yes(n: int) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Make a mask that takes all."""
    return np.ones(n, dtype=np.bool_)


def test_summarise_when_requests_failed() -> None:
    """A failed query is in no mean; the bounds count it as 0 and as 1; unscorable is nowhere."""
    values = np.array([1.0, 0.5, NAN, NAN])
    summary = summarise(values, metric=MRR, scorable=np.array([True, True, True, False]))
    assert (summary.mean, summary.n) == (0.75, 2)
    assert summary.bounds == pytest.approx((1.5 / 3, 2.5 / 3))
    assert summary.sd == pytest.approx(0.3535534)
    assert (summary.method, summary.level, summary.reason) == ("wilson", 0.95, UNSET)
    assert summary.judged_only is UNSET


def test_summarise_when_all_answered() -> None:
    """Without failures both bounds are the mean, and forty mixed values have a t interval."""
    values = np.linspace(0.02, 0.98, 40)
    summary = summarise(values, metric=MRR, scorable=yes(40), condensed=values / 2)
    assert summary.bounds == pytest.approx((0.5, 0.5))
    assert summary.method == "t"
    assert summary.judged_only == pytest.approx(0.25)


def test_summarise_of_a_proportion() -> None:
    """hit_rate is a share of queries, so its interval is Wilson's at any n."""
    summary = summarise(np.array([1.0] * 30 + [0.0] * 20), metric=HIT, scorable=yes(50))
    assert (summary.mean, summary.method) == (0.6, "wilson")


@pytest.mark.parametrize("metric", [MRR, HIT])
def test_summarise_of_one_value(metric: Metric) -> None:
    """One value has a mean and no spread, and says so."""
    summary = summarise(np.array([1.0]), metric=metric, scorable=yes(1))
    assert (summary.mean, summary.sd, summary.reason) == (1.0, None, "too_few")


def test_summarise_of_equal_values() -> None:
    """No variation, no interval; the mean stands."""
    summary = summarise(np.full(12, 0.5), metric=MRR, scorable=yes(12))
    assert (summary.mean, summary.ci, summary.reason) == (0.5, None, "no_variation")


def test_summarise_when_nothing_is_scorable() -> None:
    """No mean and no bounds, with the reason."""
    nothing = np.array([NAN, NAN])
    summary = summarise(nothing, metric=MRR, scorable=~yes(2), condensed=nothing)
    assert (summary.mean, summary.n, summary.bounds) == (None, 0, None)
    assert (summary.ci, summary.method, summary.reason) == (None, "none", "no_scorable_query")
    assert summary.judged_only is None


def test_summarise_when_every_request_failed() -> None:
    """Nothing is known: the bounds are the whole scale."""
    summary = summarise(np.array([NAN, NAN]), metric=MRR, scorable=yes(2), answered=~yes(2))
    assert (summary.mean, summary.bounds, summary.reason) == (None, (0.0, 1.0), "no_answer")


def test_summarise_judged_of_empty_answers() -> None:
    """An empty answer did not fail: judged@k is null there and the bounds stay narrow."""
    values = np.array([1.0, NAN, NAN])
    answered = np.array([True, True, False])
    summary = summarise(values, metric=JUDGED, scorable=yes(3), answered=answered)
    none = summarise(values[1:2], metric=JUDGED, scorable=yes(1), answered=yes(1))
    assert summary.bounds == (0.5, 1.0)
    assert (none.mean, none.bounds, none.reason) == (None, None, "empty_answers")


def test_summarise_is_json_without_nan() -> None:
    """Whatever is missing reaches the wire as null."""
    values = np.array([NAN, 0.0])
    summary = summarise(values, metric=JUDGED, scorable=yes(2), condensed=values)
    assert b"NaN" not in json.encode(summary)


def test_definitions_state_every_metric_and_default() -> None:
    """Each metric asked has its formula; threshold, depth, ids and interval are spelled out."""
    metrics = expand_metrics(FAMILIES, [5])
    block = definitions(metrics, depth=20, relevant_from=2)
    assert set(block["metrics"]) == {str(metric) for metric in metrics}
    assert {parse_metric(name).name for name in block["metrics"]} == set(FAMILIES)
    assert (block["gain"], block["threshold"], block["depth"]) == ("linear", 2, 20)
    assert (block["ids"], block["interval"]["level"]) == ("exact", 0.95)
    assert "top 20" in block["depth_scope"]
    assert definitions([], depth=1, relevant_from=1, id_rule="casefold")["ids"] == "casefold"


def test_definitions_say_how_intervals_were_asked_for() -> None:
    """Each way is described, with the scale that err and rbp rest on."""
    blocks = [
        definitions([], depth=1, relevant_from=1, scale_max=2, interval=method)
        for method in IntervalMethod
    ]
    assert [block["interval"]["asked"] for block in blocks] == list(IntervalMethod)
    assert len({block["interval"]["method"] for block in blocks}) == len(IntervalMethod)
    assert {block["scale_max"] for block in blocks} == {2}


def test_summarise_by_the_interval_asked_for() -> None:
    """The method by name, and over how many clusters."""
    values = np.append(np.linspace(0.02, 0.98, 40), NAN)
    labels = np.arange(41) // 2
    summary = summarise(
        values, metric=MRR, scorable=yes(41), interval=IntervalMethod.WALD, clusters=labels
    )
    plain = summarise(values, metric=MRR, scorable=yes(41))
    assert (summary.method, summary.clusters) == ("wald", 20)
    assert (plain.method, plain.clusters) == ("t", UNSET)
