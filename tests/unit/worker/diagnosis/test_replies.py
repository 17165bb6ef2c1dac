"""Replies without hits: each tells its cause in a sentence."""

from typing import Any

import pytest

from reteval.contract.outcomes import FailureCode
from worker.diagnosis.replies import Failure, explain, explain_failures


def a_failure(**changes: Any) -> Failure:
    """Build a failure."""
    given: dict[str, Any] = {
        "code": FailureCode.HTTP_4XX,
        "detail": "HTTP 418",
        "http_status": 418,
        "content_type": "application/json",
        "body": b"{}",
    }
    return Failure(**(given | changes))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"http_status": 401}, "wants credentials"),
        ({"http_status": 403}, "not allowed"),
        ({"http_status": 404}, "nothing answers at this path"),
        ({"http_status": 405}, "set `method`"),
        ({"http_status": 415}, "`form`"),
        ({"http_status": 422}, "compare the body sent"),
        ({}, "http_4xx (HTTP 418); check method"),
        ({"code": FailureCode.CONNECT, "http_status": None}, "check the endpoint's URL"),
        ({"code": None, "http_status": 799, "detail": ""}, "no answer."),
        (
            {
                "http_status": 200,
                "content_type": "text/html",
                "body": b"<title>Our\n shop</title><input>",
            },
            "web page titled 'Our shop'; the URL leads to a page for people",
        ),
        (
            {"content_type": "", "body": b" <!DOCTYPE html><form>Sign in</form>"},
            "a web page; it looks like a login",
        ),
    ],
)
def test_explain_names_cause_and_remedy(changes: dict[str, Any], said: str) -> None:
    """Each kind of reply has its own advice."""
    assert said in explain(a_failure(**changes))


def test_equal_failures_are_explained_once() -> None:
    """What failed alike is one sentence with a number, the most frequent first."""
    told = explain_failures(
        [a_failure(http_status=404), a_failure(http_status=401), a_failure(http_status=404)]
    )
    assert len(told) == 2
    assert told[0].startswith("2 requests: HTTP 404")
    assert told[1].startswith("1 request: HTTP 401")
