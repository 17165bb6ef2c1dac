import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reteval import _run_calls, _test_set_calls
from reteval._responses import Reply, read
from reteval.contract.problems import ErrorCode, ProblemItem
from reteval.contract.runs import Run
from reteval.errors import (
    ClientError,
    InvalidError,
    NotFoundError,
    ResponseError,
    RetevalError,
    ServerError,
    UnreadableResponseError,
)
from tests.unit.reteval.documents import a_run, problem

GET_RUN = _run_calls.get_run("run_1")
PROXY_PAGE = b"<html>\n<head><title>502 Bad Gateway</title></head>\n<body>nginx</body></html>"


def a_reply(body: bytes = b"", status: int = 200, **headers: str) -> Reply:
    """Return an answer; header names spell `-` as `_`."""
    return Reply(
        status=status, headers={k.replace("_", "-"): v for k, v in headers.items()}, body=body
    )


def test_read_a_document() -> None:
    """A JSON answer becomes the struct that the call expects, whatever its content type says."""
    assert a_run() == read(GET_RUN, a_reply(msgspec.json.encode(a_run()), content_type="text/x"))


def test_read_ignores_fields_of_later_releases() -> None:
    """Answers may grow."""
    document = {**msgspec.to_builtins(a_run()), "invented_later": 1}
    assert a_run() == read(GET_RUN, a_reply(msgspec.json.encode(document)))


def test_read_nothing_and_bytes_and_lines() -> None:
    """A deletion answers None, an export its bytes, a history a dict a line."""
    assert read(_run_calls.delete_run("run_1"), a_reply(status=204)) is None
    assert b"PK" == read(_run_calls.get_export("run_1", "trec"), a_reply(b"PK"))
    rows = read(_test_set_calls.get_history("docs"), a_reply(b'{"mrr":0.5}\n{"mrr":0.6}\n'))
    assert [{"mrr": 0.5}, {"mrr": 0.6}] == rows


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (a_reply(), "the answer is empty"),
        (a_reply(status=204), "the answer is empty"),
        (a_reply(b'{"id":"run_1","stat', content_type="application/json"), 'begin \'{"id":'),
        (a_reply(b'{"id":"run_1"}'), "missing required field"),
        (a_reply(b"\xff\xfe"), "cannot be read"),
        (a_reply(b"[" * 100_000), "cannot be read"),
        (a_reply(PROXY_PAGE, content_type="text/html; charset=utf-8"), "(text/html)"),
        (a_reply(b" " * 9), "an empty body (of no declared type)"),
        (a_reply(status=304), "neither an answer nor an error"),
        (a_reply(status=101), "neither an answer nor an error"),
        (a_reply(status=302, location="https://x.example/"), "redirect to 'https://x.example/'"),
    ],
)
def test_read_what_is_no_answer(reply: Reply, said: str) -> None:
    """Whatever else comes with a status under 400 is named, never decoded into something wrong."""
    with pytest.raises(UnreadableResponseError) as caught:
        read(GET_RUN, reply)
    assert said in str(caught.value)
    assert reply.status == caught.value.status


def test_read_lines_that_are_cut_off() -> None:
    """A history that breaks off in a line is an error, not a shorter history."""
    with pytest.raises(UnreadableResponseError, match="cannot be read"):
        read(_test_set_calls.get_history("docs"), a_reply(b'{"mrr":0.5}\n{"mr'))


def test_read_a_problem() -> None:
    """A refusal carries status, code, request id and the places to mend."""
    response = problem(
        422,
        "invalid",
        errors=[{"pointer": "/depth", "message": "0 is too small", "fix": "Use 1."}],
        retryable=True,
    )
    reply = Reply(status=422, headers=dict(response.headers), body=response.content)
    with pytest.raises(InvalidError) as caught:
        read(GET_RUN, reply)
    error = caught.value
    assert (422, ErrorCode.INVALID, "req-7") == (error.status, error.code, error.request_id)
    assert (ProblemItem(pointer="/depth", message="0 is too small", fix="Use 1."),) == error.errors
    assert error.refusal.retryable
    assert str(error).startswith("GET /v1/runs/run_1: 422 invalid: Refused: Something is wrong.")


def test_read_a_problem_without_request_id_header() -> None:
    """Behind a proxy that strips headers, the document's own instance names the request."""
    reply = Reply(status=404, headers={}, body=problem(404, "not_found").content)
    with pytest.raises(NotFoundError) as caught:
        read(GET_RUN, reply)
    assert "urn:request:req-7" == caught.value.request_id


def test_read_a_problem_of_a_later_release() -> None:
    """A code that this release does not know is passed on as it is."""
    reply = Reply(status=418, headers={}, body=problem(418, "teapot").content)
    with pytest.raises(ClientError) as caught:
        read(GET_RUN, reply)
    assert "teapot" == caught.value.code


@pytest.mark.parametrize(
    "body",
    [PROXY_PAGE, b"", b"\xff", b"null", b'{"message":"slow down"}', b'{"code":5}', b"[" * 9999],
)
def test_read_an_error_page_of_something_else(body: bytes) -> None:
    """A proxy's page still becomes an error with its status, no code, and what it said."""
    reply = a_reply(body, 502, content_type="text/html", x_request_id="edge-1")
    with pytest.raises(ServerError) as caught:
        read(GET_RUN, reply)
    error = caught.value
    assert (502, None, "edge-1") == (error.status, error.code, error.request_id)
    assert "not an answer of the service" in str(error)


def test_read_shows_the_words_of_a_page_only() -> None:
    """Mark-up is left out of the excerpt and a long page is cut."""
    with pytest.raises(ResponseError) as caught:
        read(GET_RUN, a_reply(PROXY_PAGE + b"<p>" + b"x" * 500, 502))
    assert "begin '502 Bad Gateway nginx xxx" in str(caught.value)
    assert "...'" in str(caught.value)


@given(
    status=st.integers(100, 599),
    body=st.binary(max_size=200) | st.text(max_size=50).map(str.encode),
    kind=st.sampled_from(["application/json", "application/problem+json", "text/html", ""]),
)
def test_read_never_raises_anything_else(status: int, body: bytes, kind: str) -> None:
    """Whatever comes, the caller gets the expected type or an error of the tree."""
    try:
        got = read(GET_RUN, a_reply(body, status, content_type=kind))
    except RetevalError:
        return
    assert isinstance(got, Run)
