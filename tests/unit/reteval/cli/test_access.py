"""The commands about keys and sharing: what they send, and what they print where."""

import json
from collections.abc import Sequence

import httpx
import pytest

from reteval.contract.api_keys import ApiKeyPage
from reteval.contract.audit import AuditPage
from reteval.contract.grants import GrantList, LinkList
from reteval.contract.teams import TeamList
from tests.unit.reteval.cli.test_command import command
from tests.unit.reteval.documents import URL, Handler, a_report, a_run, answer, problem
from tests.unit.reteval.test_access import EVENT, GRANT, KEY, LINK, TEAM

DONE = 204


def gone(_: httpx.Request) -> httpx.Response:
    """Answer that it is done."""
    return httpx.Response(DONE)


@pytest.mark.parametrize(
    ("words", "line", "body"),
    [
        (
            "teams create search --name Search",
            "POST /v1/teams",
            {"id": "search", "name": "Search"},
        ),
        ("teams create search", "POST /v1/teams", {"id": "search", "name": "search"}),
        (
            "keys create ci --scopes runs:read,results:read",
            "POST /v1/keys",
            {"name": "ci", "scopes": ["runs:read", "results:read"]},
        ),
        (
            "keys create ci --scopes admin --days 7 --team search",
            "POST /v1/keys",
            {"name": "ci", "scopes": ["admin"], "expires_in_days": 7, "team": "search"},
        ),
        ("keys rotate key_1", "POST /v1/keys/key_1/rotate", None),
        (
            "keys rotate key_1 --overlap-hours 0",
            "POST /v1/keys/key_1/rotate?overlap_hours=0",
            None,
        ),
        ("keys revoke key_1", "DELETE /v1/keys/key_1", None),
        ("grant create --to * --run run_1", "POST /v1/grants", {"to": "*", "run": "run_1"}),
        ("grant create --to x --label live", "POST /v1/grants", {"to": "x", "label": "live"}),
        ("grant create --to x --test-set docs", "POST /v1/grants", {"to": "x", "test_set": "docs"}),
        ("grant delete gr_1", "DELETE /v1/grants/gr_1", None),
        ("share create run_1", "POST /v1/runs/run_1/links", {"expires_in_days": 7}),
        ("share create run_1 --days 1", "POST /v1/runs/run_1/links", {"expires_in_days": 1}),
        ("share delete run_1 lnk_1", "DELETE /v1/runs/run_1/links/lnk_1", None),
    ],
)
def test_command_sends(words: str, line: str, body: object) -> None:
    """Words become a request, and nothing that was not said is in it."""
    replies = {"teams": TEAM, "keys": KEY, "grant": GRANT, "share": LINK}
    argv = words.split()
    replied: Handler = gone if line.startswith("DELETE") else lambda _: answer(replies[argv[0]])
    code, _, err, service = command(*argv, answers=[replied])
    assert (code, len(service.requests)) == (0, 1), err
    sent = service.requests[0]
    assert f"{sent.method} {sent.url.raw_path.decode()}" == line
    assert (json.loads(sent.content) if sent.content else None) == body


@pytest.mark.parametrize("words", [["create", "ci", "--scopes", "admin"], ["rotate", "key_1"]])
def test_secret_alone_is_on_standard_output(words: Sequence[str]) -> None:
    """A secret can be piped into a store of secrets; what to know of it goes beside."""
    code, out, err, _ = command("keys", *words, answers=[answer(KEY)])
    assert (code, out) == (0, "reteval_s3cret\n")
    assert err == "key_1 opens until 2027-02-28 00:00; it is shown only now\n"


def test_link_is_printed_whole() -> None:
    """A link has the service's address, so that it can be sent to somebody."""
    code, out, err, _ = command("share", "create", "run_1", answers=[answer(LINK)])
    assert (code, out) == (0, f"{URL}{LINK.url}\n")
    assert "opens run_1 until 2026-12-07 00:00; it is shown only now" in err


@pytest.mark.parametrize(
    ("words", "document", "lines"),
    [
        ("teams list", TeamList(items=(TEAM,)), ["id      name", "search  Search"]),
        (
            "keys list --team search",
            ApiKeyPage(items=(KEY,)),
            [
                "key    name  scopes     ends in  until             last used",
                "key_1  ci    runs:read  abcd     2027-02-28 00:00  -",
            ],
        ),
        (
            "grant list --received",
            GrantList(items=(GRANT,)),
            [
                "grant  what        team    to  since",
                "gr_1   label live  search  *   2026-11-30 00:00",
            ],
        ),
        (
            "share list run_1",
            LinkList(items=(LINK,)),
            [
                "link   since             until",
                "lnk_1  2026-11-30 00:00  2026-12-07 00:00",
            ],
        ),
        (
            "audit --log access",
            AuditPage(items=(EVENT,)),
            [
                "time              event       team    key    target  via   ip",
                "2026-11-30 00:00  grant_used  others  key_2  run_1   gr_1  192.0.2.7",
            ],
        ),
    ],
)
def test_list_is_a_table(words: str, document: object, lines: list[str]) -> None:
    """A list is a row each; with --json a document each, as it came."""
    code, out, _, _ = command(*words.split(), answers=[answer(document)])
    assert (code, out.splitlines()) == (0, lines)
    code, out, _, _ = command(*words.split(), "--json", answers=[answer(document)])
    assert (code, len(out.splitlines())) == (0, 1)
    assert isinstance(json.loads(out), dict)


@pytest.mark.parametrize(
    ("words", "reply", "printed"),
    [
        ("keys create ci --scopes admin", KEY, KEY),
        ("share create run_1", LINK, LINK),
        ("grant create --to x --label live", GRANT, GRANT),
    ],
)
def test_json_is_the_document_and_nothing_else(words: str, reply: object, printed: object) -> None:
    """With --json what was made is one line, and standard error stays empty."""
    code, out, err, _ = command(*words.split(), "--json", answers=[answer(reply)])
    assert (code, err) == (0, "")
    assert json.loads(out) == json.loads(answer(printed).content)


def test_deleting_says_so_or_with_json_nothing() -> None:
    """There is no document of what is gone."""
    assert command("keys", "revoke", "key_1", answers=[gone])[1] == "key_1 revoked\n"
    assert command("grant", "delete", "gr_1", answers=[gone])[1] == "gr_1 deleted\n"
    assert command("share", "delete", "run_1", "lnk_1", answers=[gone])[1] == "lnk_1 closed\n"
    assert command("keys", "revoke", "key_1", "--json", answers=[gone])[1] == ""


def test_latest_prints_the_report_of_the_newest_run() -> None:
    """The run is looked up, then its report is printed."""
    code, out, _, service = command(
        "latest",
        "--label",
        "live",
        "--team",
        "search",
        answers=[answer(a_run()), answer(a_report())],
    )
    assert (code, bool(out)) == (0, True)
    assert [str(sent.url.path) for sent in service.requests] == [
        "/v1/latest",
        f"/v1/runs/{a_run().id}/results",
    ]


def test_refusal_is_told() -> None:
    """A key that may not is exit code 1 and the service's words."""
    refusal = problem(403, "forbidden", detail="The key lacks the scope 'admin'.")
    code, out, err, _ = command("teams", "list", answers=[refusal])
    assert (code, out) == (1, "")
    assert "The key lacks the scope 'admin'." in err


@pytest.mark.parametrize(
    "words",
    ["keys", "keys create ci", "grant create --to x", "grant create --to x --run a --label b"],
)
def test_incomplete_words_are_a_usage_error(words: str, capsys: pytest.CaptureFixture[str]) -> None:
    """What is missing, or said twice, is told before anything is sent."""
    with pytest.raises(SystemExit) as ended:
        command(*words.split(), answers=[])
    assert ended.value.code == 2
    assert "usage:" in capsys.readouterr().err
