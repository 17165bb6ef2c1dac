"""What is made of a model's answers."""

import pytest

from reteval.contract.kinds import PRESETS
from reteval.contract.outcomes import FailureCode, Outcome, OutcomeStatus
from reteval.contract.runs import AdversarialRequest
from reteval.contract.testsets import Judgment, Query
from worker.adversarial.paraphrase import MAX_BYTES, UNVERIFIED, drop_unfit
from worker.adversarial.suite import Suite, build_suite, choose_asked

QUERY = Query(id="q1", query="Reset my password", relevant=[Judgment(id="d1")])
OTHER = Query(id="q2", query="late invoice fee", relevant=[Judgment(id="d2")])
REQUEST = AdversarialRequest(kinds=["paraphrase.model"])


def answer(*texts: str) -> Outcome:
    """Return an answer with these texts, as it is kept."""
    return drop_unfit(
        Outcome(status=OutcomeStatus.OK if texts else OutcomeStatus.OK_EMPTY, ids=list(texts))
    )


def failed(code: FailureCode) -> Outcome:
    """Return a call that failed."""
    return Outcome(status=OutcomeStatus.FAILED, code=code)


def build(*answers: Outcome) -> Suite:
    """Plan the paraphrases of the two queries."""
    given = dict(zip(("q1", "q2"), answers, strict=False))
    return build_suite([QUERY, OTHER], REQUEST, relevant_from=1, answers=given)


def test_texts_become_marked_variants() -> None:
    """Three texts at most are planned, trimmed, and each says that nobody verified it."""
    suite = build(answer(" new password\n", "forgot login", "lost key", "fourth"), answer("fine"))
    assert [
        ("q1", "new password", 0, (UNVERIFIED,)),
        ("q1", "forgot login", 1, (UNVERIFIED,)),
        ("q1", "lost key", 2, (UNVERIFIED,)),
        ("q2", "fine", 0, (UNVERIFIED,)),
    ] == [(each.query_id, each.text, each.replicate, each.ops) for each in suite.requests]
    assert suite.kinds[0].not_applicable == {}
    assert "paraphrase.model: unverified; published validity of such variants is 38-90 %" in (
        suite.limits
    )


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (answer(), "model_gave_nothing"),
        (answer("  "), "model_text_unfit"),
        (answer("two\nlines"), "model_text_unfit"),
        (answer("lone \ud800 surrogate"), "model_text_unfit"),
        (answer("x" * (MAX_BYTES + 1)), "model_text_unfit"),
        (answer("reset  MY password"), "unchanged"),
        (answer("Late invoice fee"), "equals_other_query"),
        (failed(FailureCode.TIMEOUT), "model_failed"),
    ],
)
def test_query_without_a_fit_text_says_why(given: Outcome, reason: str) -> None:
    """What cannot be sent is counted under its reason."""
    suite = build(given, answer("fee for paying late"))
    assert suite.kinds[0].not_applicable in (
        {reason: 1},
        {"model_gave_nothing": 1} if reason == "equals_other_query" else {},
    )
    assert [each.query_id for each in suite.requests] == ["q2"]


def test_texts_that_repeat_are_taken_once() -> None:
    """A text that says the same as an earlier one is left out, the longest fit one kept."""
    longest = "x" * MAX_BYTES
    suite = build(answer("new password", "New  Password", longest), answer("fee"))
    assert [each.text for each in suite.requests] == ["new password", longest, "fee"]


def test_unfit_texts_are_not_kept() -> None:
    """A text that no query could be is emptied before anything is stored."""
    assert answer("fine", "x" * 9_000, "a\x00b").ids == ["fine", "", ""]


def test_failed_calls_are_told_by_code() -> None:
    """The limits say how many calls failed, and how."""
    suite = build(failed(FailureCode.TIMEOUT), failed(FailureCode.HTTP_5XX))
    assert suite.requests == ()
    assert suite.kinds[0].not_applicable == {"model_failed": 2}
    assert suite.limits[-1] == (
        "paraphrase.model: 2 of 2 calls of the model failed (http_5xx 1, timeout 1)"
    )


def test_query_that_was_not_asked_says_so() -> None:
    """A run that was cancelled meanwhile counts the queries the model never saw."""
    assert build(answer("new password")).kinds[0].not_applicable == {"model_not_asked": 1}


def test_model_is_asked_about_the_sample_and_only_if_wanted() -> None:
    """The queries are those that all kinds use; no preset asks."""
    both = [QUERY, OTHER, Query(id="q3", query="not judged")]
    assert choose_asked(both, REQUEST, relevant_from=1) == [QUERY, OTHER]
    one = AdversarialRequest(kinds=["paraphrase.model"], sample=1)
    (asked,) = choose_asked(both, one, relevant_from=1)
    assert build_suite(both, one, relevant_from=1).sampled == (asked.id,)
    assert choose_asked(both, None, relevant_from=1) == []
    for preset in PRESETS:
        assert choose_asked(both, AdversarialRequest(preset=preset), relevant_from=1) == []
