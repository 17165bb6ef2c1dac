import inspect
import subprocess
import sys
from pathlib import Path

import httpx
import msgspec
import pytest

import reteval
from reteval import AsyncClient, Client, Retry, RunStatus
from reteval.contract.outcomes import (
    Outcome,
    OutcomePage,
    OutcomeRow,
    OutcomeStatus,
    QueryRow,
    QueryRowPage,
    VariantPage,
    VariantRow,
)
from reteval.contract.runs import Progress, Run, RunPage
from reteval.contract.testsets import Query, QueryPage, TestSetPage
from reteval.errors import (
    ConflictError,
    ConnectionFailedError,
    NotFoundError,
    RunFailedError,
    ServerError,
    UnreadableResponseError,
    WaitTimeoutError,
)
from tests.unit.reteval.documents import (
    URL,
    Handler,
    Script,
    a_report,
    a_run,
    a_test_set,
    answer,
    problem,
)

REQUEST = {"test_set": "docs", "endpoint": {"url": "http://search.example/q"}}
PAUSES = (1.0, 2.0)


class Time:
    """A clock that moves when somebody sleeps on it."""

    def __init__(self) -> None:
        self.now = 0.0
        self.slept: list[float] = []

    def clock(self) -> float:
        """Return the time."""
        return self.now

    def sleep(self, seconds: float) -> None:
        """Let time pass."""
        self.slept.append(seconds)
        self.now += seconds

    def hold(self, run: Run) -> Handler:
        """Return an answer that comes after the seconds the caller was ready to wait."""

        def held(request: httpx.Request) -> httpx.Response:
            self.now += float(request.url.params.get("wait", "0"))
            return answer(run)

        return held


def a_client(service: Script, time: Time | None = None) -> Client:
    """Return a client of a scripted service, its retries steady and its sleep free."""
    time = time or Time()
    return Client(
        URL,
        "s3cret",
        http=httpx.Client(transport=httpx.MockTransport(service)),
        retry=Retry(pauses_s=PAUSES, draw=lambda: 0.0),
        sleep=time.sleep,
        clock=time.clock,
    )


def test_run_makes_its_own_idempotency_key() -> None:
    """Each call has its own key, kept through its repetitions; a given one is used as it is."""
    service = Script([httpx.ConnectError("refused"), *(answer(a_run(), 202) for _ in range(3))])
    client = a_client(service)
    assert a_run() == client.run(REQUEST)
    client.run(REQUEST)
    client.run(REQUEST, idempotency_key="mine")
    first, again, second, given = [each.headers["idempotency-key"] for each in service.requests]
    assert (first, "mine") == (again, given)
    assert first != second
    assert REQUEST == msgspec.json.decode(service.bodies[0])
    assert "Bearer s3cret" == service.requests[0].headers["authorization"]


def test_get_after_failures_that_pass() -> None:
    """A lost connection and a 503 are repeated with the pauses of the schedule."""
    time = Time()
    service = Script([httpx.ReadError("reset"), httpx.Response(503), answer(a_run())])
    assert a_run() == a_client(service, time).get("run_1")
    assert list(PAUSES) == time.slept


def test_get_when_failures_do_not_pass() -> None:
    """The last failure is what the caller sees, with its cause."""
    lost = httpx.ConnectError("refused")
    with pytest.raises(ConnectionFailedError, match="no answer from http://service") as caught:
        a_client(Script([lost, lost, lost])).get("run_1")
    assert caught.value.__cause__ is lost
    with pytest.raises(ServerError, match="not an answer of the service"):
        a_client(Script([httpx.Response(502, html="<p>bad gateway") for _ in range(3)])).get("r")


def test_get_of_a_broken_encoding() -> None:
    """An answer that cannot be decompressed is unreadable, not a crash."""
    broken = httpx.Response(
        200, headers={"content-encoding": "gzip"}, stream=httpx.ByteStream(b"no gzip")
    )
    with pytest.raises(UnreadableResponseError, match="encoding is broken"):
        a_client(Script([broken])).get("run_1")


def test_redirects_are_not_followed() -> None:
    """The key is never sent to another address."""
    service = Script([httpx.Response(307, headers={"location": "https://other.example/"})])
    http = httpx.Client(transport=httpx.MockTransport(service), follow_redirects=True)
    with pytest.raises(UnreadableResponseError, match=r"redirect to 'https://other\.example/'"):
        Client(URL, "s3cret", http=http).get("run_1")
    assert 1 == len(service.requests)


def test_delete_whose_first_answer_was_lost() -> None:
    """Not found at the second attempt means that the first one deleted it."""
    a_client(Script([httpx.ReadTimeout("slow"), problem(404, "not_found")])).delete("run_1")
    with pytest.raises(NotFoundError):
        a_client(Script([problem(404, "not_found")])).delete_test_set("ts_1")


def test_upload_from_disk_is_sent_whole_at_each_attempt(tmp_path: Path) -> None:
    """A file is streamed under its length, and from its start again when repeated."""
    path = tmp_path / "a.ndjson"
    content = b'{"query":"x"}\n' * 40_000
    path.write_bytes(content)
    service = Script([httpx.Response(503), answer(a_test_set(), 201)])
    assert a_test_set() == a_client(service).upload(path, name="docs")
    assert [content, content] == service.bodies
    request = service.requests[1]
    assert (str(len(content)), "application/x-ndjson", "name=docs") == (
        request.headers["content-length"],
        request.headers["content-type"],
        request.url.query.decode(),
    )


def test_upload_of_a_dict() -> None:
    """A dict goes as JSON."""
    service = Script([answer(a_test_set())])
    a_client(service).upload({"queries": []})
    assert [b'{"queries":[]}'] == service.bodies


def test_upload_trec_as_multipart(tmp_path: Path) -> None:
    """Topics and qrels arrive as named parts."""
    path = tmp_path / "t.tsv"
    path.write_bytes(b"q1\tx\n")
    service = Script([answer(a_test_set(), 201)])
    a_client(service).upload_trec(path, path)
    assert service.requests[0].headers["content-type"].startswith("multipart/form-data; boundary=")
    for part in (b'name="topics"; filename="t.tsv"', b'name="qrels"; filename="t.tsv"'):
        assert part in service.bodies[0]


def test_lists_are_read_page_by_page() -> None:
    """An iterator asks for the next page only when it is needed, with the same filters."""
    service = Script(
        [
            answer(RunPage(items=(a_run(id="run_1"), a_run(id="run_2")), next_cursor="c+1")),
            answer(RunPage(items=(), next_cursor="c2")),
            answer(RunPage(items=(a_run(id="run_3"),))),
        ]
    )
    rows = a_client(service).runs(label="b", limit=2)
    assert ("run_1", "run_2", 1) == (next(rows).id, next(rows).id, len(service.requests))
    assert ["run_3"] == [run.id for run in rows]
    cursors = [each.url.params.get("cursor") for each in service.requests]
    assert [None, "c+1", "c2"] == cursors
    assert {"b"} == {each.url.params["label"] for each in service.requests}


def test_every_list_has_its_rows() -> None:
    """Each list answers its own kind of row."""
    row = QueryRow(query_id="q1", query="x", status="ok", metrics={"mrr": 1.0})
    outcome = OutcomeRow(query_id="q1", query="x", outcome=Outcome(status=OutcomeStatus.OK))
    variant = VariantRow(
        query_id="q1",
        kind="k",
        severity=1,
        replicate=0,
        original="x",
        text="y",
        ops=(),
        status="ok",
    )
    pages = [
        TestSetPage(items=(a_test_set(),)),
        QueryPage(items=(Query(query="x"),)),
        QueryRowPage(items=(row,)),
        OutcomePage(items=(outcome,)),
        VariantPage(items=(variant,)),
    ]
    client = a_client(Script([answer(page) for page in pages]))
    assert [a_test_set()] == list(client.test_sets())
    assert [Query(query="x")] == list(client.queries("ts_1"))
    assert [row] == list(client.query_rows("run_1", sort="mrr"))
    assert [outcome] == list(client.outcomes("run_1"))
    assert [variant] == list(client.variants("run_1", kind="k"))


def test_single_documents() -> None:
    """The other methods answer what their names say."""
    service = Script(
        [
            answer(a_test_set()),
            answer(a_run(cancel_requested=True), 202),
            answer(a_report()),
            answer(a_report()),
            httpx.Response(200, content=b'{"mrr":0.5}\n'),
            httpx.Response(200, content=b"PK"),
            httpx.Response(204),
            problem(409, "not_terminal"),
        ]
    )
    client = a_client(service)
    assert a_test_set() == client.test_set("docs")
    assert client.cancel("run_1").cancel_requested
    assert a_report() == client.results("run_1")
    assert msgspec.json.encode(a_report()) == client.results_document("run_1")
    assert [{"mrr": 0.5}] == client.history("docs")
    assert b"PK" == client.export("run_1", "trec")
    client.delete_test_set("ts_1")
    with pytest.raises(ConflictError):
        client.results("run_1")


def a_running_run(done: int) -> Run:
    """Return a run in progress, to be asked about every 2 seconds."""
    progress = Progress(done=done, total=10, failed=0)
    return a_run(status=RunStatus.RUNNING, progress=progress, poll_after_s=2.0)


COMPLETED = a_run(status=RunStatus.COMPLETED, progress=Progress(done=10, total=10, failed=0))


def test_wait_lets_the_service_hold_its_answers() -> None:
    """Without anyone watching, each poll lasts as long as the service can hold it."""
    time = Time()
    service = Script([answer(a_run()), time.hold(a_running_run(5)), answer(COMPLETED)])
    assert COMPLETED == a_client(service, time).wait("run_1")
    assert [None, "20", "20"] == [each.url.params.get("wait") for each in service.requests]
    assert [] == time.slept


def test_wait_with_someone_watching() -> None:
    """Progress is seen at the pace the service suggests, the first and the last state included."""
    time = Time()
    running = [a_running_run(5), a_running_run(8)]
    service = Script([answer(running[0]), time.hold(running[1]), answer(COMPLETED)])
    seen: list[Run] = []
    a_client(service, time).wait("run_1", on_progress=seen.append)
    assert [*running, COMPLETED] == seen
    assert [None, "2", "2"] == [each.url.params.get("wait") for each in service.requests]


def test_wait_when_answers_are_not_held() -> None:
    """Where something cuts long polls short, the client keeps a growing pace by itself."""
    time = Time()
    service = Script(
        [answer(a_run()), answer(a_run()), answer(a_running_run(1)), answer(COMPLETED)]
    )
    a_client(service, time).wait("run_1")
    assert [0.5, 1.0] == time.slept


def test_wait_gives_up_in_time() -> None:
    """The time given bounds each poll too, and the error holds the last state seen."""
    time = Time()
    running = a_running_run(5)
    service = Script([answer(running), *(time.hold(running) for _ in range(2)), answer(running)])
    with pytest.raises(WaitTimeoutError, match="5 of 10") as caught:
        a_client(service, time).wait("run_1", timeout_s=20.5)
    assert running == caught.value.pending
    assert [None, "20", None] == [each.url.params.get("wait") for each in service.requests]
    assert (20.5, [0.5]) == (time.now, time.slept)


def test_wait_for_no_time() -> None:
    """No time at all asks once."""
    service = Script([answer(a_run())])
    with pytest.raises(WaitTimeoutError):
        a_client(service).wait("run_1", timeout_s=0)


@pytest.mark.parametrize("status", [RunStatus.FAILED, RunStatus.CANCELLED])
def test_wait_for_numbers(status: RunStatus) -> None:
    """Who wants a run with numbers gets an error with the run and the reason of one without."""
    ended = a_run(status=status, error="too many failures")
    client = a_client(Script([answer(ended), answer(ended), answer(COMPLETED)]))
    assert ended == client.wait("run_1")
    with pytest.raises(RunFailedError, match=f"'run_1' is {status.value}: too many") as caught:
        client.wait("run_1", check=True)
    assert ended == caught.value.run
    assert COMPLETED == client.wait("run_1", check=True)


def test_interrupted_wait_names_what_goes_on() -> None:
    """Control-C leaves the run alone and says which one it is."""
    service = Script([answer(a_run()), answer(a_run())])

    def interrupt(_seconds: float) -> None:
        raise KeyboardInterrupt

    http = httpx.Client(transport=httpx.MockTransport(service))
    with pytest.raises(KeyboardInterrupt) as caught:
        Client(URL, http=http, sleep=interrupt).wait("run_1")
    assert ["run 'run_1' goes on: wait for it again, or cancel it"] == caught.value.__notes__
    assert {"GET"} == {each.method for each in service.requests}


def test_wait_survives_an_outage() -> None:
    """A service that restarts meanwhile costs pauses, not the wait."""
    time = Time()
    service = Script([answer(a_run()), httpx.ReadError("reset"), answer(COMPLETED)])
    assert COMPLETED == a_client(service, time).wait("run_1")
    assert [1.0] == time.slept


def test_close_leaves_a_client_passed_in_open() -> None:
    """Who made the HTTP client closes it."""
    http = httpx.Client(transport=httpx.MockTransport(Script([])))
    with Client(URL, http=http):
        pass
    assert not http.is_closed
    with Client(URL) as client:
        pass
    assert client._http.is_closed


def test_own_http_client_ignores_proxies_for_loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    """A proxy in the environment does not come between a client and its own machine."""
    monkeypatch.setenv("HTTP_PROXY", "http://proxy.example:3128")
    with Client("http://127.0.0.1:8642") as near, Client(URL) as far:
        assert (False, True) == (near._http.trust_env, far._http.trust_env)


def test_settings_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without arguments, the environment says where and with which key."""
    monkeypatch.setenv("RETEVAL_URL", URL)
    monkeypatch.setenv("RETEVAL_API_KEY", "from-env")
    service = Script([answer(a_run())])
    Client(http=httpx.Client(transport=httpx.MockTransport(service))).get("run_1")
    request = service.requests[0]
    assert ("service.example", "Bearer from-env") == (
        request.url.host,
        request.headers["authorization"],
    )


def public_signatures(kind: type) -> dict[str, list[str]]:
    """Map each public method to its parameters."""
    return {
        name: list(inspect.signature(value).parameters)
        for name, value in inspect.getmembers(kind, inspect.isfunction)
        if not name.startswith("_")
    }


def test_both_clients_offer_the_same() -> None:
    """A method added to one client and forgotten in the other is found here."""
    assert public_signatures(Client) == public_signatures(AsyncClient)


def test_exported_names_are_all_there() -> None:
    """What the package promises can be imported, and stands in order."""
    assert sorted(reteval.__all__) == reteval.__all__
    assert [] == [name for name in reteval.__all__ if not hasattr(reteval, name)]


def test_other_names_are_no_part_of_the_package() -> None:
    """What is not offered is missing as from any module, public or not."""
    for name in ("Nothing", "_nothing"):
        with pytest.raises(AttributeError, match=f"'reteval' has no attribute {name!r}"):
            getattr(reteval, name)
    assert dir(reteval) == reteval.__all__


def test_part_of_the_package_brings_no_http_library() -> None:
    """Who needs the contract alone, as the service does, loads neither clients nor httpx."""
    probe = "import sys, reteval.contract.runs\nprint('httpx' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", probe], check=True, capture_output=True, text=True)
    assert done.stdout == "False\n"


def test_import_is_light() -> None:
    """The package needs httpx, msgspec and the standard library, nothing of the service."""
    probe = (
        "import sys, reteval.cli\nprint(*sorted({name.partition('.')[0] for name in sys.modules}))"
    )
    done = subprocess.run([sys.executable, "-c", probe], check=True, capture_output=True, text=True)
    heavy = {
        "numpy",
        "scipy",
        "pandas",
        "polars",
        "redis",
        "rq",
        "litestar",
        "service",
        "worker",
        "aiohttp",
        "yaml",
    }
    assert set() == heavy & set(done.stdout.split())
