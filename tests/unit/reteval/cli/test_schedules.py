"""The commands `schedule` and `alert`, against a scripted service."""

import json
from pathlib import Path

import httpx
import msgspec
import pytest

from reteval.contract.alerts import AlertPage, EvaluationPage
from reteval.contract.schedules import FirePage, Schedule, SchedulePage
from tests.unit.reteval.cli.test_command import command
from tests.unit.reteval.documents import a_run, answer, problem
from tests.unit.reteval.scheduled import ALERT, EVALUATION, FIRE, REFUSED, SCHEDULE, TIMES

URL = "https://search.example/"


def test_create_sends_what_was_given() -> None:
    """The words of a run are those of `run`; what is left out is left to the service."""
    words = ["nightly", "0 3 * * *", "docs", URL, "--metrics", "mrr", "--grace", "60"]
    code, out, _, service = command("schedule", "create", *words, answers=[answer(SCHEDULE)])
    assert (code, out) == (0, "sch_1 is due at 2026-11-30 03:00 UTC\n")
    assert json.loads(service.bodies[0]) == {
        "name": "nightly",
        "cron": "0 3 * * *",
        "run": {"test_set": "docs", "endpoint": {"url": URL}, "metrics": ["mrr"]},
        "grace_s": 60,
    }


def test_create_with_a_saved_endpoint(tmp_path: Path) -> None:
    """An endpoint that the service keeps needs no address."""
    path = tmp_path / "endpoint.json"
    path.write_text('{"saved": "prod"}')
    words = ["n", "0 3 * * *", "docs", "--endpoint", str(path), "--zone", "UTC", "--json"]
    _, out, _, service = command("schedule", "create", *words, answers=[answer(SCHEDULE)])
    assert json.loads(service.bodies[0])["run"]["endpoint"] == {"saved": "prod"}
    assert msgspec.json.decode(out, type=Schedule) == SCHEDULE


def test_refused_schedule_names_the_field() -> None:
    """The service's message goes to standard error, and nothing to standard output."""
    refused = problem(422, "invalid", detail="/cron: 'x' is no cron expression")
    code, out, err, _ = command("schedule", "create", "n", "x", "docs", URL, answers=[refused])
    assert (code, out) == (1, "")
    assert "cron" in err


def test_list_and_show_say_when_each_is_due() -> None:
    """Paused ones say so."""
    paused = msgspec.structs.replace(SCHEDULE, id="sch_2", paused=True, next_at=None)
    page = answer(SchedulePage(items=(SCHEDULE, paused)))
    lines = command("schedule", "list", answers=[page])[1].splitlines()
    assert "2026-11-30 03:00" in lines[1]
    assert lines[2].split()[-2:] == ["paused", "run_0"]
    assert command("schedule", "list", answers=[answer(SchedulePage(items=()))])[1] == ""
    shown = command("schedule", "show", "sch_1", answers=[answer(SCHEDULE)])[1]
    assert shown.splitlines()[1] == lines[1]


def test_pause_resume_remove_and_start() -> None:
    """Each says what has come of it and what to do next."""
    said = [
        command("schedule", "pause", "sch_1", answers=[answer(SCHEDULE)])[1],
        command("schedule", "resume", "sch_1", answers=[httpx.Response(204), answer(SCHEDULE)])[1],
        command("schedule", "remove", "sch_1", answers=[httpx.Response(204)])[1],
        command("schedule", "start", "sch_1", answers=[answer(a_run())])[1],
    ]
    run = a_run()
    assert said == [
        "sch_1 is paused\n",
        "sch_1 is due at 2026-11-30 03:00 UTC\n",
        "",
        f"{run.id} {run.status.value}\nnext: reteval wait {run.id}\n",
    ]


def test_log_says_what_became_of_each_time() -> None:
    """Runs, times that were passed over, and why one was refused."""
    by_hand = msgspec.structs.replace(FIRE, by_hand=True, missed=0)
    page = answer(FirePage(items=(FIRE, by_hand, REFUSED)))
    lines = command("schedule", "log", "sch_1", answers=[page])[1].splitlines()
    assert lines[1].split()[2:] == ["started", "run_0", "2"]
    assert lines[2].endswith("by hand")
    assert lines[3].endswith("quota_exceeded: The team may have 1.")


def test_times_are_told_by_both_clocks() -> None:
    """The zone's, with its offset, and UTC's."""
    words = ["0 3 * * *", "--zone", "Europe/Lisbon", "--count", "1"]
    _, out, _, service = command("schedule", "times", *words, answers=[answer(TIMES)])
    assert out.splitlines()[1].split("  ") == ["2026-11-30T03:00+00:00", "2026-11-30 03:00"]
    sent = dict(service.requests[0].url.params)
    assert sent == {"cron": "0 3 * * *", "zone": "Europe/Lisbon", "count": "1"}


def test_alert_is_made_of_a_file(tmp_path: Path) -> None:
    """It goes as it is; one that is not there is a wrong command line."""
    path = tmp_path / "alert.yaml"
    path.write_text("name: quality\n")
    _, out, _, service = command("alert", "create", str(path), answers=[answer(ALERT)])
    assert out == "al_1 looks at runs that end from now on\n"
    assert service.bodies[0] == b"name: quality\n"
    assert command("alert", "create", str(tmp_path / "none.yaml"), answers=[])[0] == 2


def test_alerts_say_how_they_are() -> None:
    """State, runs in a row, which runs and which webhooks."""
    fine = msgspec.structs.replace(ALERT, id="al_2", failing=0, passing=3, enabled=False)
    page = answer(AlertPage(items=(ALERT, fine)))
    lines = command("alert", "list", answers=[page])[1].splitlines()
    assert lines[1].split() == ["al_1", "quality", "failing", "2", "failing", "all", "wh_1"]
    assert lines[2].split() == ["al_2", "quality", "off", "3", "passing", "all", "wh_1"]
    shown = command("alert", "show", "al_1", answers=[answer(ALERT)])[1]
    assert shown.splitlines()[1] == lines[1]


@pytest.mark.parametrize("word", ["on", "off"])
def test_switching_changes_nothing_else(word: str) -> None:
    """What was read is sent back under its version."""
    changed = msgspec.structs.replace(ALERT, enabled=word == "on")
    answers = [answer(ALERT), answer(changed)]
    _, out, _, service = command("alert", word, "al_1", answers=answers)
    assert out == f"al_1 is {word}\n"
    sent = json.loads(service.bodies[1])
    assert (sent["enabled"], sent["webhooks"]) == (word == "on", ["wh_1"])
    assert service.requests[1].headers["if-match"] == '"al_1-4"'
    assert "state" not in sent


def test_log_of_an_alert() -> None:
    """Verdict, state, what was told, and the sentence; as JSON, a line each."""
    silent = msgspec.structs.replace(EVALUATION, verdict=None, event=None)
    page = EvaluationPage(items=(EVALUATION, silent))
    lines = command("alert", "log", "al_1", answers=[answer(page)])[1].splitlines()
    assert lines[1].split()[2:6] == ["run_0", "fail", "failing", "alert.failing"]
    assert lines[2].split()[2:5] == ["run_0", "failing", "1"]
    as_json = command("alert", "log", "al_1", "--json", answers=[answer(page)])[1]
    assert [json.loads(line)["run"] for line in as_json.splitlines()] == ["run_0", "run_0"]
    assert command("alert", "remove", "al_1", answers=[httpx.Response(204)])[:2] == (0, "")


def test_webhook_of_a_chat_for_alerts() -> None:
    """No event is subscribed to, and there is no secret to keep."""
    made = {"id": "wh_9", "url": "https://hooks.slack.com/…", "format": "slack", "secret": ""}
    rest = dict.fromkeys(("label", "test_set", "description", "created_at", "updated_at"), "")
    off = dict.fromkeys(("disabled_reason", "failing_since", "old_secret_until"))
    document = {**made, **rest, **off, "events": [], "enabled": True}
    words = ["https://hooks.slack.com/services/x", "--format", "slack", "--alerts"]
    _, out, _, service = command(
        "webhooks", "add", *words, answers=[httpx.Response(201, json=document)]
    )
    assert out == "wh_9\n"
    sent = json.loads(service.bodies[0])
    assert (sent["events"], sent["format"]) == ([], "slack")
