"""`python -m service admin` over a real store: tables for people, JSON for scripts."""

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import pytest

from service.__main__ import main
from service.embedded import EmbeddedServer
from service.store.keys import DEFAULT_TENANT
from service.store.store import Store
from tests.factories import query, run_spec, stored_run, stored_test_set

ACTIONS = ("admin", "admin job", "admin wake", "admin fail")


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """The caller's own settings have no part in these tests."""
    for variable in [name for name in os.environ if name.startswith("RETEVAL_")]:
        monkeypatch.delenv(variable)


@pytest.fixture
def run_id(redis_url: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """Store a run that a worker died of, and point the command at its store."""
    monkeypatch.setenv("RETEVAL_REDIS_URL", redis_url)

    async def make() -> str:
        store = Store.connect(redis_url)
        record = await stored_run(store, run_spec(await stored_test_set(store, [query()])))
        await store.claims.claim(DEFAULT_TENANT, record.id, owner="died", lease_s=-1)
        await store.close()
        return record.id

    return asyncio.run(make())


def told(capsys: pytest.CaptureFixture[str], *argv: str, code: int = 0) -> str:
    """Run the command and return what it printed."""
    assert main(["admin", *argv]) == code
    captured = capsys.readouterr()
    return captured.out or captured.err


def told_json(capsys: pytest.CaptureFixture[str], *argv: str) -> Any:
    """Run the command and return the JSON it printed."""
    return json.loads(told(capsys, *argv, "--json"))


@pytest.mark.parametrize("words", ACTIONS)
def test_help_shows_an_example(words: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Each action's help ends with a line that can be pasted."""
    with pytest.raises(SystemExit) as ended:
        main([*words.split(), "--help"])
    assert ended.value.code == 0
    assert f"python -m service {words}" in capsys.readouterr().out.partition("example: ")[2]


def test_jobs_are_listed(run_id: str, capsys: pytest.CaptureFixture[str]) -> None:
    """One line a job: id, status, units, what is up; the same as JSON."""
    head, line = told(capsys).splitlines()
    assert head.split()[:2] == ["ID", "TENANT"]
    assert line.startswith(run_id)
    assert "1 lapsed" in line
    assert line.endswith("no worker serves the queue")
    (view,) = told_json(capsys)
    assert (view["id"], view["units"][0]["state"]) == (run_id, "lapsed")


def test_one_job_shows_its_units(run_id: str, capsys: pytest.CaptureFixture[str]) -> None:
    """One line a unit: who held it, and how the lease stands."""
    line = told(capsys, "job", run_id).splitlines()[-1].split()
    assert line[:3] == ["plan", "lapsed", "died"]
    assert told_json(capsys, "job", run_id)["units"][0]["owner"] == "died"


def test_job_is_woken_and_failed(run_id: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Waking says how many calls were missing; failing ends it for good."""
    assert told_json(capsys, "wake", run_id) == {"id": run_id, "calls_made": 1}
    assert "0 wake-up calls were missing" in told(capsys, "wake", run_id)
    assert told(capsys, "fail", run_id, "--reason", "retired") == f"{run_id}: failed\n"
    assert told(capsys) == "No job is under way.\n"
    assert told_json(capsys) == []


def test_fail_speaks_json(run_id: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A script learns whether it was in time."""
    assert told_json(capsys, "fail", run_id, "--reason", "x") == {"id": run_id, "failed": True}


def test_unknown_job_is_an_error(run_id: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A job that is not there ends with exit 1 and is named."""
    del run_id
    assert "run_none" in told(capsys, "job", "run_none", code=1)


def test_store_away_is_an_error(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A store that does not answer ends with exit 1 and one line."""
    monkeypatch.setenv("RETEVAL_REDIS_URL", "redis://127.0.0.1:1/0")
    assert told(capsys, code=1).startswith("error: ")


def test_running_embedded_server_is_found(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a URL the data directory leads to its server, which is never started for this."""
    data = tmp_path / "data"
    monkeypatch.setenv("RETEVAL_DATA", str(data))
    assert "RETEVAL_DATA" in told(capsys, code=2)
    with EmbeddedServer(data):
        assert told(capsys) == "No job is under way.\n"
