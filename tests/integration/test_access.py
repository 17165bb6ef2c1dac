"""Several teams on one real service with keys: supervisor, API, a second API, workers, store."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import pytest

from reteval import Client, NotFoundError, UnauthorizedError
from reteval.contract.audit import AuditEvent
from reteval.contract.runs import RunStatus
from service.standalone import claim_port
from tests.endpoint import serve_answers
from tests.service_process import ROOT, ServiceProcess, run_service

TEST_SET = {"name": "docs", "queries": [{"query": "a", "relevant_ids": ["d1"]}]}
READER = ["results:read", "runs:read"]
WRITER = ["testsets:write", "runs:write", "results:read"]


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServiceProcess]:
    """Run the service with keys needed, on loopback."""
    data = tmp_path_factory.mktemp("teams") / "data"
    with run_service(data, RETEVAL_AUTH="required") as running:
        yield running


def command(service: ServiceProcess, *words: str) -> "subprocess.CompletedProcess[str]":
    """Run `python -m service` beside the running service."""
    kept = {name: text for name, text in os.environ.items() if not name.startswith("RETEVAL_")}
    return subprocess.run(
        [sys.executable, "-m", "service", *words, "--data", str(service.data)],
        cwd=ROOT,
        env=kept,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.fixture(scope="module")
def admin(service: ServiceProcess) -> Iterator[Client]:
    """Open a client with the first key."""
    made = command(service, "bootstrap")
    assert made.returncode == 0, made.stderr
    with Client(service.url, made.stdout.strip()) as client:
        yield client


@contextmanager
def as_team(
    service: ServiceProcess, admin: Client, team: str, scopes: list[str]
) -> Iterator[Client]:
    """Open a client with a new key of a team."""
    if team not in [known.id for known in admin.teams()]:
        admin.create_team({"id": team, "name": team})
    made = admin.create_key({"name": team, "scopes": scopes, "team": team})
    with Client(service.url, made.secret) as client:
        yield client


def run_once(client: Client, label: str) -> str:
    """Let a team upload, run against a live endpoint, and wait for the end."""
    client.upload(TEST_SET)
    with serve_answers(lambda _text: (200, ["d1"])) as endpoint:
        run = client.run({"test_set": "docs", "endpoint": {"url": endpoint.url}, "label": label})
        assert client.wait(run.id, timeout_s=60).status is RunStatus.COMPLETED
    return run.id


def test_another_team_reads_what_it_was_granted(service: ServiceProcess, admin: Client) -> None:
    """A worker scores any team's run; another team sees it by a grant only, then by its label."""
    with (
        as_team(service, admin, "search", WRITER) as search,
        as_team(service, admin, "dashboards", READER) as dashboards,
    ):
        first = run_once(search, "production")
        with pytest.raises(NotFoundError):
            dashboards.results(first)
        with pytest.raises(NotFoundError):
            dashboards.latest(label="production")
        grant = search.grant({"to": "dashboards", "label": "production"})
        newest = run_once(search, "production")
        found = dashboards.latest(test_set="docs", label="production", team="search")
        assert found.id == newest
        assert dashboards.results(found.id) == search.results(newest)
        assert dashboards.results(first).id == first
        search.delete_grant(grant.id)
        with pytest.raises(NotFoundError):
            dashboards.results(first)
        with pytest.raises(UnauthorizedError):
            dashboards.upload(TEST_SET)
    uses = [row for row in admin.audit(log="access") if row.event is AuditEvent.GRANT_USED]
    assert {(row.team, row.via) for row in uses} == {("dashboards", grant.id)}


def test_link_opens_one_report_without_a_key(service: ServiceProcess, admin: Client) -> None:
    """The address of a link can be opened by anybody, and shows this run only."""
    with as_team(service, admin, "links", WRITER) as team:
        run, other = run_once(team, ""), run_once(team, "")
        link = team.share(run, days=1)
        address = service.url + link.url
        assert httpx.get(address).json()["id"] == run
        assert httpx.get(address.replace(run, other)).status_code == 404
        team.close_link(run, link.id)
        assert httpx.get(address).status_code == 401


@contextmanager
def second_api(service: ServiceProcess) -> Iterator[str]:
    """Run another API process on the same store."""
    port = claim_port("127.0.0.1", 0)
    kept = {name: text for name, text in os.environ.items() if not name.startswith("RETEVAL_")}
    settings = {"RETEVAL_PORT": str(port), "RETEVAL_DATA": str(service.data)}
    with subprocess.Popen(
        [sys.executable, "-m", "service", "serve"],
        cwd=ROOT,
        env=kept | settings,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        try:
            url = f"http://127.0.0.1:{port}"
            await_ready(url)
            yield url
        finally:
            process.terminate()
            process.wait(timeout=30)


def await_ready(url: str) -> None:
    """Wait until an API serves."""
    for _ in range(300):
        try:
            if httpx.get(f"{url}/readyz").status_code == 200:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.1)
    raise AssertionError(f"{url} does not serve")


def test_revoked_key_opens_nothing_in_any_process(service: ServiceProcess, admin: Client) -> None:
    """Revoked by one process, a key that another one has just seen is refused a second later."""
    made = admin.create_key({"name": "k", "scopes": READER})
    with second_api(service) as url, Client(url, made.secret) as elsewhere:
        list(elsewhere.runs(limit=1))
        admin.revoke_key(made.id)
        with Client(service.url, made.secret) as here, pytest.raises(UnauthorizedError):
            list(here.runs(limit=1))
        time.sleep(1)
        with pytest.raises(UnauthorizedError, match="revoked"):
            list(elsewhere.runs(limit=1))


def test_first_key_is_made_once(service: ServiceProcess, admin: Client) -> None:
    """Beside a running service the command says that the first key is there."""
    assert [key.name for key in admin.api_keys()][-1] == "first key"
    again = command(service, "bootstrap")
    assert (again.returncode, again.stdout) == (1, "")
    assert "--again" in again.stderr


def test_secrets_are_in_no_file(service: ServiceProcess, admin: Client) -> None:
    """Neither a key nor a link's token is in the log or in the files of the store."""
    made = admin.create_key({"name": "canary", "scopes": WRITER})
    with Client(service.url, made.secret) as team:
        link = team.share(run_once(team, "canary"))
        httpx.get(service.url + link.url)
        httpx.get(f"{service.url}/v1/runs", params={"api_key": made.secret})
    log = service.data.parent / f"{service.data.name}.log"
    files = [log, *(path for path in service.data.rglob("*") if path.is_file())]
    content = b"".join(path.read_bytes() for path in files)
    assert made.id.encode() in content
    assert [
        word for word in (made.secret, link.token) if word.split("_")[2].encode() in content
    ] == []


def test_nobody_gets_in_without_a_key(service: ServiceProcess) -> None:
    """The service answers 401 until a key is sent, and says what to send."""
    with Client(service.url) as client, pytest.raises(UnauthorizedError, match="Bearer"):
        list(client.runs())
