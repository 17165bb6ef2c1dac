"""`reteval doctor`: each usual mistake is found, with what to do about it."""

from collections.abc import Iterator
from email.utils import formatdate
from itertools import repeat
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest

from reteval.contract.diagnostics import Severity
from reteval.contract.outcomes import FailureCode, OutcomeStatus
from reteval.contract.probes import IdOverlap, ProbeAnswer, Suggestion
from reteval.contract.readiness import Finding, FindingCode, Readiness, ReadinessStatus
from reteval.contract.runs import RunPage, RunStatus
from reteval.contract.testsets import TestSetPage
from tests.unit.reteval.cli.places import NOW, a_place
from tests.unit.reteval.cli.test_command import SEARCH, command
from tests.unit.reteval.documents import FEW, URL, Handler, a_test_set, answer, problem
from tests.unit.reteval.test_limits import ALLOWANCE
from tests.unit.reteval.test_probes import a_probe, a_probe_report

READY = Readiness(
    status=ReadinessStatus.READY, version="0.1.0", egress="public", findings=(), queues={}
)
ANSWER = ProbeAnswer(
    query_id="q1", query="x", request=None, status=OutcomeStatus.OK, returned=1, latency_ms=7.4
)
FAILED = msgspec.structs.replace(
    ANSWER, status=OutcomeStatus.FAILED, code=FailureCode.TIMEOUT, returned=0
)
HALF = IdOverlap(answers=2, overlap_q=0.5, overlap_id=0.5)
NONE = IdOverlap(answers=2, overlap_q=0.0, overlap_id=0.0)
CASE = Suggestion(message="Fold case.", patch={"endpoint": {"id_rule": [{"op": "casefold"}]}})
WELL = {
    "GET /readyz": answer(READY, date=formatdate(NOW, usegmt=True)),
    "GET /v1/limits": answer(ALLOWANCE),
    "GET /v1/test-sets": answer(TestSetPage(items=())),
    "POST /v1/test-sets": problem(422, "invalid"),
    "GET /v1/runs": answer(RunPage(items=())),
    "POST /v1/runs": problem(422, "invalid"),
    "GET /v1/runs/run_none/results": problem(404, "not_found"),
    "GET /v1/test-sets/docs": answer(a_test_set(warnings=())),
    "POST /v1/probes": answer(a_probe(report=a_probe_report(answers=(ANSWER,), overlap=HALF))),
}


def serve(**changes: Any) -> Iterator[Handler]:
    """Answer each route by its name, as a service that is well but for the changes."""
    routes = WELL | changes

    def handle(request: httpx.Request) -> httpx.Response:
        given = routes[f"{request.method} {request.url.path}"]
        if isinstance(given, Exception):
            raise given
        return given(request) if callable(given) else given

    return repeat(handle)


def probe(**changes: Any) -> httpx.Response:
    """Return a probe that has seen this."""
    report = a_probe_report(**{"answers": (ANSWER,), "overlap": HALF, **changes})
    return answer(a_probe(report=report))


def examine(*words: str, **changes: Any) -> tuple[int, list[str]]:
    """Return the exit code and the findings as printed, without those that are well."""
    code, out, _, _ = command("doctor", *words, answers=serve(**changes), place=a_place())
    _, _, findings = out.partition("\n\n")
    lines = findings.splitlines()
    return int(code), [line for line in lines if not line.startswith("ok ")]


def test_all_is_well() -> None:
    """What holds and who said so comes first; then each thing that was looked at."""
    code, out, err, service = command("doctor", "docs", SEARCH, answers=serve())
    assert (code, err) == (0, f"next: reteval run docs {SEARCH} --label baseline --wait\n")
    assert out.splitlines() == [
        "profile   none",
        "url       http://127.0.0.1:8642 (default)",
        "api key   none (default)",
        "test set  docs (the command line)",
        f"endpoint  {SEARCH} (the command line)",
        "",
        f"ok        service: reteval 0.1.0 answers at {URL}",
        "ok        key: team search, key key_4Jw0",
        "ok        scope: the key may upload, run and read",
        "ok        test set: docs version 2: 5 queries (4 scorable), 9 judgments",
        "ok        endpoint: 1 of 1 queries answered, slowest 7 ms",
        "ok        ids: 50% of 2 answers hold a judged id",
    ]
    assert msgspec.json.decode(service.bodies[-1]) == {
        "endpoint": {"url": SEARCH},
        "test_set": "ts_1",
    }


def test_only_what_is_known_is_looked_at() -> None:
    """Without a test set and an endpoint the service alone is examined."""
    code, out, err, service = command("doctor", answers=serve())
    assert (code, err, len(service.requests)) == (0, "", 7)
    assert "endpoint:" not in out


def test_json_is_one_document() -> None:
    """Settings, findings and whether nothing is wrong."""
    _, out, _, _ = command("doctor", "--json", answers=serve())
    told = msgspec.json.decode(out)
    assert (told["ok"], [one["name"] for one in told["settings"]]) == (
        True,
        ["profile", "url", "api key", "test_set", "endpoint"],
    )
    assert {one["check"] for one in told["findings"]} == {"service", "key", "scope"}
    answers = serve(**{"GET /v1/limits": problem(401, "unauthorized")})
    code, out, _, _ = command("doctor", "--json", answers=answers)
    assert (code, msgspec.json.decode(out)["ok"]) == (1, False)


def test_nobody_answers() -> None:
    """The first thing that is missing ends the search, and the fix is a command."""
    code, lines = examine(**{"GET /readyz": httpx.ConnectError("refused")})
    assert (code, len(lines)) == (1, 2)
    assert lines[0].startswith(f"problem   service: GET /readyz: no answer from {URL} (refused)")
    assert lines[1].startswith("          fix: start it (`make serve`, or `python -m service up`)")


def test_service_at_the_default_address_instead() -> None:
    """A wrong port is told with the right one; the key is not carried there."""

    def look(request: httpx.Request) -> httpx.Response:
        if request.url.host != "127.0.0.1":
            raise httpx.ConnectError("refused")
        assert "authorization" not in request.headers
        return answer(READY)

    _, lines = examine("--api-key", "k", **{"GET /readyz": look})
    assert lines[1].endswith("; one answers at http://127.0.0.1:8642")


def test_default_address_is_not_asked_twice() -> None:
    """Where it was asked already there is no other to name."""
    refused = httpx.ConnectError("refused")
    url = "http://127.0.0.1:8642"
    answers = serve(**{"GET /readyz": refused})
    _, _, _, service = command("doctor", "--url", url, answers=answers)
    assert len(service.requests) == 1


@pytest.mark.parametrize(
    "page",
    [
        httpx.Response(200, html="<h1>Welcome</h1>"),
        httpx.Response(200, json={"name": "another", "status": "green"}),
        httpx.Response(301, headers={"location": "https://elsewhere"}),
        httpx.Response(404, html="<h1>Not here</h1>"),
        httpx.Response(502, html="<h1>Bad gateway</h1>"),
    ],
)
def test_something_else_answers(page: httpx.Response) -> None:
    """Another server, a redirect or a proxy's page is told from a reteval service."""
    code, lines = examine(**{"GET /readyz": page})
    assert (code, len(lines)) == (1, 2)
    assert lines[0].startswith(f"problem   service: what answers at {URL} is no reteval service")
    assert "fix: check the port" in lines[1]


def test_service_that_cannot_work() -> None:
    """Its own reasons and fixes are shown, or what it says where it has none."""
    item = {"pointer": "", "code": "replica", "message": "The store is a replica", "fix": "Promote"}
    refusal = problem(503, "not_ready", errors=[item])
    assert examine(**{"GET /readyz": refusal}) == (
        1,
        ["problem   service: The store is a replica", "          fix: Promote"],
    )
    code, lines = examine(**{"GET /readyz": problem(429, "rate_limited")})
    assert (code, "429 rate_limited" in lines[0]) == (1, True)


def test_service_with_a_flaw() -> None:
    """A degraded service is worth a look, no more."""
    flaw = Finding(
        code=FindingCode.NO_WORKER, severity=Severity.WARN, message="No worker", fix="Start one"
    )
    state = msgspec.structs.replace(READY, findings=(flaw,))
    assert examine(**{"GET /readyz": answer(state)}) == (
        0,
        ["warn      service: no_worker: No worker", "          fix: Start one"],
    )


@pytest.mark.parametrize(("off_s", "side"), [(-300, "ahead of"), (300, "behind")])
def test_clock_that_is_off(off_s: int, side: str) -> None:
    """Five minutes are told with their direction; a minute is none."""
    for seconds, told in ((off_s, True), (off_s // 5, False)):
        ready = answer(READY, date=formatdate(NOW + seconds, usegmt=True))
        code, lines = examine(**{"GET /readyz": ready})
        assert (code, [f"clock is 300 s {side}" in line for line in lines[:1]]) == (
            0,
            [True] if told else [],
        )


def test_other_release() -> None:
    """A service of another series is told; another patch of the same is not."""
    for version, told in (("0.9.0", True), ("0.1.7", False)):
        state = msgspec.structs.replace(READY, version=version)
        code, lines = examine(**{"GET /readyz": answer(state)})
        assert (code, ["service 0.9.0" in line for line in lines[:1]]) == (
            0,
            [True] if told else [],
        )


@pytest.mark.parametrize(
    ("words", "fix"),
    [
        ((), "ask the operator for a key, and set RETEVAL_API_KEY"),
        (("--api-key", "s3cret"), "the key comes from --api-key: have another made"),
    ],
)
def test_key_that_opens_nothing(words: tuple[str, ...], fix: str) -> None:
    """No key and a wrong or expired one have different fixes; the key is never shown."""
    refusal = problem(401, "unauthorized", detail="The API key has expired.")
    code, lines = examine(*words, **{"GET /v1/limits": refusal})
    assert (code, len(lines)) == (1, 2)
    assert "The API key has expired." in lines[0]
    assert fix in lines[1]
    assert "s3cret" not in "".join(lines)


def test_key_that_cannot_be_looked_at() -> None:
    """Any other refusal is shown as it is."""
    code, lines = examine(**{"GET /v1/limits": problem(500, "internal")})
    assert (code, "500 internal" in lines[0]) == (1, True)


def test_key_that_may_not_do_all() -> None:
    """Scopes that are missing are named; whatever else is refused is none."""
    forbidden = problem(403, "forbidden")
    code, lines = examine(
        **{"POST /v1/runs": forbidden, "GET /v1/runs/run_none/results": forbidden}
    )
    assert (code, lines[0]) == (0, "warn      scope: the key lacks runs:write, results:read")
    assert "--scopes testsets:read,testsets:write,runs:read,runs:write,results:read" in lines[1]


def test_test_set_that_is_not_there() -> None:
    """The fix is the command that uploads it; the endpoint is tried with a query of ours."""
    absent = {"GET /v1/test-sets/docs": problem(404, "not_found")}
    code, out, _, service = command("doctor", "docs", SEARCH, answers=serve(**absent))
    assert code == 1
    assert "fix: upload it: reteval upload FILE --name docs" in out
    assert msgspec.json.decode(service.bodies[-1])["queries"] == [{"query": "test"}]


def test_test_set_that_lies_at_hand(tmp_path: Path) -> None:
    """Where `reteval init` has been, the fix is complete."""
    (tmp_path / "queries.csv").write_text("query,docid\nx,1\n")
    answers = serve(**{"GET /v1/test-sets/my set": problem(404, "not_found")})
    place = a_place(folder=tmp_path)
    _, out, _, _ = command("doctor", "my set", answers=answers, place=place)
    assert "fix: upload it: reteval upload queries.csv --name 'my set'\n" in out


def test_test_set_with_warnings() -> None:
    """What the service said at the upload is said again, by its weight."""
    code, lines = examine("docs", **{"GET /v1/test-sets/docs": answer(a_test_set())})
    assert (code, lines[0]) == (
        0,
        "warn      test set: few_queries: 5 queries are too few to trust",
    )
    note = msgspec.structs.replace(FEW, severity=Severity.INFO)
    noted = answer(a_test_set(warnings=(note,)))
    code, lines = examine("docs", **{"GET /v1/test-sets/docs": noted})
    assert (code, lines) == (0, ["          fix: Add queries until there are 50."])
    code, lines = examine("docs", **{"GET /v1/test-sets/docs": problem(403, "forbidden")})
    assert (code, "403 forbidden" in lines[0]) == (1, True)


@pytest.mark.parametrize(
    ("seen", "said", "fix"),
    [
        (
            probe(answers=(FAILED,), problems=("1 request: HTTP 200 with a web page; find JSON.",)),
            "endpoint: 1 request: HTTP 200 with a web page",
            "find JSON.",
        ),
        (
            probe(answers=(FAILED,), problems=("1 request: no answer.",)),
            "endpoint: 1 request: no answer.",
            "`reteval probe` with the same words",
        ),
        (
            probe(answers=(msgspec.structs.replace(ANSWER, returned=0),), suggestions=(CASE,)),
            "endpoint: 1 of 1 queries answered, slowest 7 ms, none of them with a hit",
            "Fold case. Patch of the run",
        ),
        (probe(overlap=NONE), "ids: no answer holds an id that is judged", "`reteval probe`"),
        (
            probe(overlap=NONE, suggestions=(CASE,)),
            "every metric would be 0.0",
            'Patch of the run: {"endpoint":{"id_rule":[{"op":"casefold"}]}}',
        ),
        (
            answer(a_probe(report=None, status=RunStatus.FAILED, error="internal")),
            "endpoint: prb_1 failed: internal",
            "try once more",
        ),
        (
            problem(422, "endpoint_not_allowed", errors=[{"pointer": "/url", "message": "no"}]),
            "endpoint: /url: no",
            "mend its description",
        ),
        (problem(422, "invalid"), "endpoint: POST /v1/probes: 422 invalid", "mend its description"),
        (problem(403, "forbidden"), "it could not be tried", "have a key made that may run"),
        (problem(500, "internal"), "it could not be tried", "ask again later"),
    ],
)
def test_endpoint_that_is_not_well(seen: httpx.Response, said: str, fix: str) -> None:
    """What came back is told with what would mend it."""
    code, lines = examine("docs", SEARCH, **{"POST /v1/probes": seen})
    assert (code, len(lines)) == (1, 2)
    assert said in lines[0]
    assert fix in lines[1]


def test_probe_that_nobody_takes() -> None:
    """A probe that is not worked on points to the workers."""
    waiting = answer(a_probe(status=RunStatus.QUEUED, report=None))
    answers = serve(**{"POST /v1/probes": waiting, "GET /v1/probes/prb_1": waiting})
    code, out, _, _ = command("doctor", "docs", SEARCH, "--timeout", "0", answers=answers)
    assert code == 1
    assert "fix: see that a worker runs" in out


def test_endpoint_without_a_test_set() -> None:
    """No hit for a query of ours proves nothing; nor does a match that cannot be told."""
    none = msgspec.structs.replace(ANSWER, returned=0)
    code, lines = examine(SEARCH, **{"POST /v1/probes": probe(answers=(none,))})
    assert (code, lines[1]) == (0, "          fix: name a TEST_SET, so that its queries are sent")
    unknown = IdOverlap(answers=0, overlap_q=None, overlap_id=None)
    assert examine(SEARCH, **{"POST /v1/probes": probe(overlap=unknown)}) == (0, [])


def test_more_ids_would_match() -> None:
    """A proven suggestion is worth a look, one that may be chance is not told."""
    guess = msgspec.structs.replace(CASE, proven=False)
    seen = probe(suggestions=(CASE, guess))
    code, lines = examine("docs", SEARCH, **{"POST /v1/probes": seen})
    assert (code, lines[0], len(lines)) == (0, "warn      ids: more would match", 2)


def test_endpoint_of_a_profile(tmp_path: Path) -> None:
    """A described endpoint is tried as a run would take it."""
    (tmp_path / "reteval.toml").write_text(
        'profile = "one"\n[profiles.one]\ntest_set = "docs"\n'
        f'[profiles.one.endpoint]\nurl = "{SEARCH}"\nhits = "docs"\n'
    )
    place = a_place(folder=tmp_path)
    _, out, _, service = command("doctor", answers=serve(), place=place)
    assert f"endpoint  {SEARCH} (profile 'one' of {tmp_path / 'reteval.toml'})" in out
    sent = msgspec.json.decode(service.bodies[-1])["endpoint"]
    assert sent == {"url": SEARCH, "hits": "docs"}
