import pickle

import pytest

from reteval import errors
from reteval.contract.problems import ProblemItem
from reteval.errors import Refusal, RetevalError, WaitTimeoutError, refused
from tests.unit.reteval.documents import a_run


def a_refusal(status: int = 422) -> Refusal:
    """Return a refusal with two places to mend."""
    return Refusal(
        request="POST /v1/runs",
        status=status,
        code="invalid",
        detail="The request breaks a rule",
        request_id="req-7",
        errors=(
            ProblemItem(pointer="/depth", message="0 is too small", fix="Use 1 to 1000."),
            ProblemItem(pointer="", message="empty", row=3),
        ),
    )


@pytest.mark.parametrize(
    ("status", "name"),
    [
        (400, "InvalidError"),
        (401, "UnauthorizedError"),
        (403, "UnauthorizedError"),
        (404, "NotFoundError"),
        (405, "ClientError"),
        (409, "ConflictError"),
        (413, "InvalidError"),
        (415, "InvalidError"),
        (422, "InvalidError"),
        (429, "RateLimitedError"),
        (500, "ServerError"),
        (507, "ServerError"),
        (599, "ServerError"),
    ],
)
def test_refused_for_each_status(status: int, name: str) -> None:
    """Each status becomes the class that says what a caller can do about it."""
    error = refused(a_refusal(status))
    assert (type(error).__name__, error.status) == (name, status)


def test_response_error_prints_what_to_mend() -> None:
    """The message holds request, status, code and id, then a line for each place with its fix."""
    expected = (
        "POST /v1/runs: 422 invalid: The request breaks a rule [request id req-7]\n"
        "  /depth: 0 is too small. Fix: Use 1 to 1000.\n"
        "  body (row 3): empty"
    )
    assert expected == str(refused(a_refusal()))


def test_errors_survive_pickling() -> None:
    """Errors cross process borders, as those of test runners and pools do."""
    for error in (refused(a_refusal()), WaitTimeoutError(a_run(), 5.0)):
        again = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own bytes
        assert (type(again), str(again)) == (type(error), str(error))


def test_wait_timeout_error_says_that_the_run_goes_on() -> None:
    """A caller who gave up learns how far the run is and that it was not stopped."""
    expected = (
        "run 'run_1' is queued after 2.5 s (0 of 10 requests done); "
        "it goes on: wait again, or read it later"
    )
    assert expected == str(WaitTimeoutError(a_run(), 2.5))


def test_every_error_is_in_the_tree() -> None:
    """One `except RetevalError` catches everything the package reports."""
    classes = [
        value
        for value in vars(errors).values()
        if isinstance(value, type) and issubclass(value, Exception)
    ]
    assert [] == [each for each in classes if not issubclass(each, RetevalError)]
