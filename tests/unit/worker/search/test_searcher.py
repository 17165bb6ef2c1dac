"""Searches over real sockets: each query ends as exactly one outcome."""

import json
from typing import Any

import msgspec
import pytest
from msgspec import structs

from reteval.contract.endpoints import Paging, PagingKind
from reteval.contract.outcomes import FailureCode, Outcome, OutcomeStatus
from reteval.contract.runs import Limits
from tests.endpoint import serve_answers
from tests.evil import Evil, answer
from tests.searching import LIMITS, Naps, searcher
from worker.search.template import Ask

BUSY = answer(b"", status="503 Service Unavailable")


async def search(url: str, **fields: Any) -> Outcome:
    """Search once."""
    async with searcher(url, **fields) as opened:
        return await opened.search(Ask(text="how?"))


async def test_search_when_the_endpoint_answers(evil: Evil) -> None:
    """An answer becomes ids and scores in the order delivered."""
    outcome = await search(evil.url("ok"))
    assert outcome.status is OutcomeStatus.OK
    assert outcome.ids == [f"d{i}" for i in range(10)]
    assert outcome.scores == [1 / (i + 1) for i in range(10)]
    assert (outcome.returned, outcome.attempts, outcome.http_status) == (10, 1, 200)
    assert outcome.latency_ms is not None
    assert outcome.latency_ms > 0
    received = evil.received[0]
    assert json.loads(received.body) == {"query": "how?", "top_k": 10}
    assert received.headers["accept-encoding"] == "identity"
    assert received.headers["x-reteval-run"] == "run_1"
    assert received.headers["user-agent"].startswith("reteval/")


async def test_search_when_the_list_is_empty(evil: Evil) -> None:
    """No hits are a valid answer."""
    outcome = await search(evil.url("empty-list"))
    assert (outcome.status, outcome.ids, outcome.returned) == (OutcomeStatus.OK_EMPTY, [], 0)


async def test_search_when_more_comes_than_was_asked(evil: Evil) -> None:
    """Longer answers are cut at the depth, and counted before."""
    outcome = await search(evil.url("depth"), depth=5)
    assert (outcome.ids, outcome.returned) == (["d0", "d1", "d2", "d3", "d4"], 8)
    assert outcome.scores is not None
    assert len(outcome.scores) == 5


async def test_search_when_ids_repeat_or_are_integers(evil: Evil) -> None:
    """Repeats are kept and integers become their decimal text."""
    assert (await search(evil.url("repeats"))).ids == ["a", "b", "a"]
    assert (await search(evil.url("ints"))).ids == ["7", "42"]
    assert (await search(evil.url("plain"))).ids == ["d0", "d1"]


@pytest.mark.parametrize(
    ("behaviour", "code", "status"),
    [
        ("html", FailureCode.INVALID_CONTENT_TYPE, 200),
        ("empty", FailureCode.INVALID_JSON, 200),
        ("no-content", FailureCode.INVALID_JSON, 204),
        ("half", FailureCode.INVALID_JSON, 200),
        ("half-close", FailureCode.INVALID_JSON, 200),
        ("envelope", FailureCode.SCHEMA, 200),
        ("no-id", FailureCode.SCHEMA, 200),
        ("redirect", FailureCode.REDIRECT_NOT_FOLLOWED, 302),
        ("unauthorized", FailureCode.ENDPOINT_AUTH, 401),
        ("forbidden", FailureCode.ENDPOINT_AUTH, 403),
        ("not-found", FailureCode.HTTP_4XX, 404),
        ("gzip", FailureCode.ENCODING_NOT_ALLOWED, 200),
        ("endless", FailureCode.RESPONSE_TOO_LARGE, 200),
        ("garbage", FailureCode.BAD_HTTP, None),
    ],
)
async def test_search_when_another_attempt_is_useless(
    evil: Evil, behaviour: str, code: FailureCode, status: int | None
) -> None:
    """Failures that say the same thing every time are not sent again."""
    outcome = await search(evil.url(behaviour))
    assert (outcome.status, outcome.code, outcome.attempts) == (OutcomeStatus.FAILED, code, 1)
    assert outcome.http_status == status
    assert outcome.detail
    assert len(evil.received) == 1


@pytest.mark.parametrize(
    ("behaviour", "code"),
    [
        ("unavailable", FailureCode.HTTP_5XX),
        ("drop", FailureCode.RESET),
        ("reset", FailureCode.TRUNCATED),
        ("truncated", FailureCode.TRUNCATED),
        ("hang", FailureCode.TIMEOUT),
    ],
)
async def test_search_when_every_attempt_fails(
    evil: Evil, behaviour: str, code: FailureCode
) -> None:
    """Failures that may pass are tried one and `retries` times, with growing waits between."""
    naps = Naps()
    limits = Limits(timeout_s=0.2) if code is FailureCode.TIMEOUT else LIMITS
    outcome = await search(evil.url(behaviour), naps=naps, limits=limits)
    assert (outcome.status, outcome.code, outcome.attempts) == (OutcomeStatus.FAILED, code, 3)
    assert len(evil.received) == 3
    assert naps.taken == [0.25, 0.5]


async def test_search_when_a_later_attempt_succeeds(evil: Evil) -> None:
    """The attempt that answers decides, and the others are counted."""
    outcome = await search(evil.url("drop-odd"))
    assert (outcome.status, outcome.attempts) == (OutcomeStatus.OK, 2)
    evil.script = [BUSY, BUSY]
    outcome = await search(evil.url("script"))
    assert (outcome.status, outcome.attempts) == (OutcomeStatus.OK, 3)


@pytest.mark.parametrize(
    ("asked", "waited"),
    [("7", [7.0]), ("0", []), ("1000000000", [30.0]), ("soon", [0.25])],
)
async def test_search_when_the_endpoint_limits_the_rate(
    evil: Evil, asked: str, waited: list[float]
) -> None:
    """`Retry-After` is honoured to its cap; what cannot be read counts as not said."""
    limited = answer(b"", status="429 Too Many Requests", extra=f"Retry-After: {asked}\r\n")
    naps = Naps()
    evil.script = [limited]
    outcome = await search(evil.url("script"), naps=naps)
    assert (outcome.status, outcome.attempts) == (OutcomeStatus.OK, 2)
    assert naps.taken == waited
    evil.script = [limited] * 3
    outcome = await search(evil.url("script"))
    assert (outcome.code, outcome.http_status) == (FailureCode.RATE_LIMITED, 429)


async def test_search_when_the_endpoint_quotes_our_headers(evil: Evil) -> None:
    """No header value reaches the outcome."""
    headers = {"Authorization": "Bearer s3cret-token", "X-Api-Key": "abcd1234"}
    outcome = await search(evil.url("echo"), headers=headers)
    assert outcome.code is FailureCode.HTTP_4XX
    assert "***" in outcome.detail
    assert "s3cret" not in outcome.detail
    assert "abcd1234" not in outcome.detail
    assert evil.received[0].headers["authorization"] == "Bearer s3cret-token"


async def test_search_when_a_redirect_holds_credentials(evil: Evil) -> None:
    """Where a redirect leads is told without user, password and query."""
    outcome = await search(evil.url("redirect"))
    assert outcome.detail == "HTTP 302 to http://169.254.169.254/x"


async def test_search_when_the_policy_refuses_the_url() -> None:
    """A refused URL is `blocked`, without a retry."""
    outcome = await search("http://10.0.0.1/")
    assert (outcome.status, outcome.code) == (OutcomeStatus.FAILED, FailureCode.BLOCKED)
    assert outcome.attempts == 1
    assert "10.0.0.1" not in outcome.detail


async def test_search_when_the_endpoint_is_described() -> None:
    """Mapping and template work together."""
    async with Evil(script=[answer({"hits": {"hits": [{"_id": 3}, {"_id": "x"}]}})]) as evil:
        outcome = await search(
            evil.url("script"), body={"match": "{{query}}", "size": "{{k}}"}, hits="hits.hits"
        )
        assert json.loads(evil.received[0].body) == {"match": "how?", "size": 10}
    assert outcome.ids == ["3", "x"]


async def test_search_when_the_description_is_wrong() -> None:
    """What cannot be compiled is told at once."""
    with pytest.raises(ValueError, match="not both"):
        searcher("http://127.0.0.1/", body={"q": "{{query}}"}, form={"q": "{{query}}"})


def page(first: int, count: int, **more: Any) -> bytes:
    """Return a page of hits numbered from `first`."""
    return answer({"hits": [{"id": f"d{n}"} for n in range(first, first + count)], **more})


async def test_search_when_the_answer_comes_in_pages() -> None:
    """Pages are fetched until the depth is filled, joined in order, and counted."""
    pages = [page(0, 4, took=2), BUSY, page(4, 4, took=3), page(8, 4, took=4)]
    async with Evil(script=pages) as evil:
        outcome = await search(
            evil.url("script"),
            depth=10,
            body={"q": "{{query}}", "from": "{{offset}}", "size": "{{k}}"},
            paging=Paging(kind=PagingKind.OFFSET, size=4),
            hits="hits",
            took="took",
        )
        sent = [json.loads(received.body) for received in evil.received]
    assert sent == [{"q": "how?", "from": at, "size": 4} for at in (0, 4, 4, 8)]
    assert outcome.ids == [f"d{n}" for n in range(10)]
    assert (outcome.returned, outcome.pages, outcome.attempts) == (12, 3, 4)
    assert (outcome.took_ms, outcome.at_once) == (9.0, False)


async def test_search_when_a_later_page_fails() -> None:
    """Half a ranking is none."""
    async with Evil(script=[page(0, 4), answer({}, status="400 Bad Request")]) as evil:
        outcome = await search(
            evil.url("script"),
            body={"q": "{{query}}", "page": "{{page}}"},
            paging=Paging(kind=PagingKind.PAGE, size=4),
        )
    assert (outcome.status, outcome.code) == (OutcomeStatus.FAILED, FailureCode.HTTP_4XX)
    assert (outcome.ids, outcome.attempts) == ([], 2)


async def test_search_when_a_cursor_leads_on() -> None:
    """The cursor of each answer goes into the next request, its type kept."""
    script = [page(0, 2, next=[1.5, "x"]), page(2, 2, next=None)]
    async with Evil(script=script) as evil:
        outcome = await search(
            evil.url("script"),
            body={"q": "{{query}}", "after": "{{cursor}}"},
            paging=Paging(kind=PagingKind.CURSOR, size=2, next="next"),
        )
        sent = [json.loads(received.body)["after"] for received in evil.received]
    assert sent == [None, [1.5, "x"]]
    assert (outcome.ids, outcome.at_once) == (["d0", "d1", "d2", "d3"], True)


async def test_search_when_parts_are_rolled_up() -> None:
    """More parts than documents are asked for, and documents come out."""
    parts = answer({"hits": [{"id": n, "doc": f"d{n // 3}"} for n in range(9)]})
    async with Evil(script=[parts]) as evil:
        outcome = await search(evil.url("script"), depth=3, collapse_by="doc", overfetch=3)
        assert json.loads(evil.received[0].body)["top_k"] == 9
    assert (outcome.ids, outcome.returned, outcome.hits) == (["d0", "d1", "d2"], 3, 9)


async def test_search_when_the_query_lacks_a_field(evil: Evil) -> None:
    """Nothing is sent half filled: the query is skipped, and says which field it lacks."""
    async with searcher(evil.url("ok"), body={"q": "{{query}}", "l": "{{field.lang}}"}) as opened:
        outcome = await opened.search(Ask(text="how?"))
        assert (outcome.status, outcome.code) == (OutcomeStatus.SKIPPED, FailureCode.NOT_SENDABLE)
        assert (outcome.attempts, outcome.detail) == (0, "the query has no field 'lang'")
        outcome = await opened.search(Ask(text="how?", fields={"lang": "pt"}))
        assert outcome.status is OutcomeStatus.OK
    assert [json.loads(received.body) for received in evil.received] == [{"q": "how?", "l": "pt"}]


async def test_search_times_connection_and_first_byte(evil: Evil) -> None:
    """Only a new connection is timed; the head comes before the end."""
    async with searcher(evil.url("pause")) as opened:
        first = await opened.search(Ask(text="how?"))
        second = await opened.search(Ask(text="how?"))
    assert first.connect_ms is not None
    assert second.connect_ms is None
    for outcome in (first, second):
        assert outcome.first_byte_ms is not None
        assert outcome.latency_ms is not None
        assert 250 < outcome.first_byte_ms <= outcome.latency_ms


async def test_texts_are_compared_for_asks_that_want_it() -> None:
    """What comes of the comparison is kept, the texts are not; without texts there is none."""
    seen: list[Any] = []

    def compare(outcome: Outcome, texts: Any) -> Outcome:
        seen.append(texts)
        return structs.replace(outcome, text_overlap=0.5)

    def say(text: str) -> tuple[int, Any]:
        return 200, [{"id": "a", "text": "moss"} if text == "told" else {"id": "a"}]

    with serve_answers(say) as endpoint:
        async with searcher(endpoint.url) as opened:
            told = await opened.search(Ask(text="told", compare=compare))
            bare = await opened.search(Ask(text="bare", compare=compare))
            plain = await opened.search(Ask(text="told"))
    assert [told.text_overlap, bare.text_overlap, plain.text_overlap] == [0.5, None, None]
    assert seen == [["moss"]]
    assert b"moss" not in msgspec.json.encode(told)


async def test_texts_are_masked_before_they_are_compared() -> None:
    """An endpoint that echoes a header's value cannot have it kept as a part of a text."""
    seen: list[Any] = []

    def compare(outcome: Outcome, texts: Any) -> Outcome:
        seen.append(texts)
        return outcome

    body = [{"id": "a", "text": "you sent s3cret-key"}, {"id": "b"}]
    with serve_answers(lambda _: (200, body)) as endpoint:
        headers = {"Authorization": "Bearer s3cret-key"}
        async with searcher(endpoint.url, headers=headers) as opened:
            await opened.search(Ask(text="x", compare=compare))
    assert seen == [["you sent ***", None]]
