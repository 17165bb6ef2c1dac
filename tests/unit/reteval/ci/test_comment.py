"""The comment of a pull request: found again, and left alone where it may not be written."""

from collections.abc import Callable

import httpx
import pytest

from reteval.ci.comment import MAX_CHARS, Comment, CommentError, Thread, find_thread
from reteval.ci.environment import Environment
from tests.forge import TOKEN, serve_forge

PULL = Environment(ci="github", repository="acme/search", pull_request="7", step="ci/gate")
MERGE = Environment(ci="gitlab", pull_request="7")


def a_comment(answer: Callable[[httpx.Request], httpx.Response]) -> Comment:
    """Return a comment in a thread that answers so."""
    http = httpx.Client(transport=httpx.MockTransport(answer))
    return Comment(
        http, Thread(comments="http://x/c", comment="http://x/c/", replace="PUT", headers={}), "k"
    )


@pytest.mark.parametrize(
    ("environment", "told"),
    [
        (PULL, {"GITHUB_TOKEN": TOKEN, "GITHUB_API_URL": "{}"}),
        (
            MERGE,
            {"GITLAB_TOKEN": TOKEN, "CI_API_V4_URL": "{}", "CI_MERGE_REQUEST_PROJECT_ID": "5"},
        ),
    ],
)
def test_one_comment_is_written_anew_by_every_run(
    environment: Environment, told: dict[str, str]
) -> None:
    """It is found behind a hundred others; another key has a comment of its own."""
    with serve_forge() as forge, httpx.Client() as http:
        thread = find_thread(
            environment, {name: text.format(forge.url) for name, text in told.items()}
        )
        assert thread is not None
        assert TOKEN not in repr(thread)
        for key, body in (("a", "1"), ("a", "2"), ("b", "3")):
            comment = Comment(http, thread, key)
            comment.write(f"begun {body}")
            comment.write(body)
        bodies = [[state.partition("\n")[2] for state in states] for states in forge.written]
    assert bodies == [["begun 1", "1", "begun 2", "2"], ["begun 3", "3"]]


def test_mark_is_hidden_and_counted() -> None:
    """The first line is an HTML comment; with it the longest body is as long as may be."""
    sent: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        sent.append(request.content.decode())
        return httpx.Response(200, json=[] if request.method == "GET" else {"id": 1})

    comment = a_comment(answer)
    comment.write("x" * comment.room)
    body = httpx.Response(200, content=sent[-1]).json()["body"]
    assert len(body) == MAX_CHARS
    assert body.startswith("<!-- reteval ")
    assert body.index(" -->\n") < 40


@pytest.mark.parametrize("status", [401, 403, 404])
def test_token_that_may_not_write_is_named(status: int) -> None:
    """It is the usual thing for a fork, and no failure."""
    with pytest.raises(CommentError, match=rf"may not comment here \({status}\)"):
        a_comment(lambda _: httpx.Response(status)).write("x")


@pytest.mark.parametrize(
    "answer",
    [
        lambda _: httpx.Response(500),
        lambda _: httpx.Response(200, content=b"<html>"),
        lambda _: httpx.Response(200, json={"message": "no list"}),
        lambda _: httpx.Response(200, json=[None]),
    ],
)
def test_forge_in_trouble_costs_no_more_than_the_comment(
    answer: Callable[[httpx.Request], httpx.Response],
) -> None:
    """Whatever it answers, there is one error to catch."""
    with pytest.raises(CommentError, match=r"^no comment: "):
        a_comment(answer).write("x")


def test_no_thread_outside_of_a_pull_request() -> None:
    """A push has none, nor has a system that we do not know; a missing token is named."""
    assert find_thread(Environment(ci="github"), {}) is None
    assert find_thread(Environment(ci="jenkins", pull_request="7"), {}) is None
    with pytest.raises(CommentError, match="GITHUB_TOKEN holds no token"):
        find_thread(PULL, {})
