"""Chances are taken from the token that is the grade, renormalised over grades, or not at all."""

import math
from typing import Any

import pytest

from tests.unit.worker.judging.answers import chat, logprobs_of
from worker.judging.replies import read_reply

SPREAD = {"2": 0.5, " 2": 0.1, "1": 0.2, "The": 0.2}


def chances(content: str, logprobs: Any) -> tuple[float, ...] | None:
    """Return the chances that an answer carries."""
    return read_reply(chat(content, logprobs=logprobs), scale_max=3).probs


def test_a_bare_digit_is_renormalised_over_grades() -> None:
    """Tokens of one grade are added up, other words leave, grades not named have no chance."""
    assert chances("2", logprobs_of([("2", SPREAD)])) == pytest.approx((0, 0.25, 0.75, 0))


def test_the_token_is_found_behind_thoughts_and_inside_json() -> None:
    """Only the token that spells the grade counts, not digits before it."""
    thought = logprobs_of([("<think>", {}), ("3", {"3": 1.0}), ("</think>", {}), ("2", SPREAD)])
    assert chances("<think>3</think>2", thought) == pytest.approx((0, 0.25, 0.75, 0))
    named = logprobs_of([('{"grade', {}), ('":', {}), (" 2", {" 2": 0.6, "0": 0.2}), ("}", {})])
    assert chances('{"grade": 2}', named) == pytest.approx((0.25, 0, 0.75, 0))


@pytest.mark.parametrize(
    "logprobs",
    [
        None,
        {},
        {"content": None},
        {"content": ["2"]},
        {"content": [{"token": 2}]},
        {"content": [{"token": "2", "logprob": -0.1}]},
        {"content": [{"token": "2", "logprob": -0.1, "top_logprobs": []}]},
        {"content": [{"token": "2", "top_logprobs": [{"token": "2", "logprob": -9999.0}]}]},
        {"content": [{"token": "2", "top_logprobs": [{"token": "2", "logprob": 5}, "x"]}]},
        {"content": [{"token": "2", "top_logprobs": [{"token": "2", "logprob": "-0.1"}]}]},
        {"content": [{"token": "2", "top_logprobs": [{"token": "2", "logprob": math.nan}]}]},
        logprobs_of([("2", {"2": 0.3, "The": 0.7})]),
        logprobs_of([("2", {"1": 0.9})]),
        logprobs_of([("2", {"2": 0.9, "1": 0.9})]),
        logprobs_of([("3", {"3": 0.9, "2": 0.1})]),
        logprobs_of([("2 ok", {"2 ok": 1.0})]),
    ],
)
def test_unusable_ones_are_none_and_the_grade_stands(logprobs: Any) -> None:
    """Absent, on another token, sentinels or no probabilities: votes have to do."""
    reply = read_reply(chat("2", logprobs=logprobs), scale_max=3)
    assert (reply.grade, reply.probs) == (2, None)


def test_a_sentinel_among_good_ones_has_no_chance() -> None:
    """-9999 stands for "not among the most likely"."""
    logprobs = logprobs_of([("2", {"2": 0.9})])
    logprobs["content"][0]["top_logprobs"].append({"token": "3", "logprob": -9999.0})
    assert chances("2", logprobs) == (0, 0, 1, 0)


def test_two_grades_in_one_answer_have_no_token() -> None:
    """Where the grade is named twice, which token decided cannot be told."""
    text = '{"reason": "not \\"grade\\": 1", "note": {"grade": 1}, "grade": 2}'
    assert chances(text, logprobs_of([(text, {"2": 1.0})])) is None
