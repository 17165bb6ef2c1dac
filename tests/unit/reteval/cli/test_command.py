import io
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import httpx
import msgspec
import pytest

from reteval import Client, Retry, RunStatus
from reteval.cli import main
from reteval.cli.place import Place
from reteval.contract.runs import Progress, RunPage
from reteval.contract.splits import SplitShare
from tests.unit.reteval.cli.places import Terminal, a_place
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

SEARCH = "http://search.example/q"


def command(
    *argv: str,
    answers: Iterable[httpx.Response | Exception | Handler],
    stderr: io.StringIO | None = None,
    stdout: io.StringIO | None = None,
    place: Place | None = None,
) -> tuple[int, str, str, Script]:
    """Carry out a command line against a scripted service."""
    service = Script(answers)
    out, err = stdout or io.StringIO(), stderr or io.StringIO()

    def connect(url: str | None, api_key: str | None) -> Client:
        http = httpx.Client(transport=httpx.MockTransport(service))
        quiet: Callable[[float], object] = lambda _: None  # noqa: E731 - one word
        return Client(url or URL, api_key, http=http, retry=Retry(pauses_s=()), sleep=quiet)

    code = main(argv, connect=connect, stdout=out, stderr=err, place=place or a_place())
    return code, out.getvalue(), err.getvalue(), service


def ended(status: RunStatus, **changes: object) -> httpx.Response:
    """Return the state of a run that has ended."""
    return answer(a_run(status=status, **changes))


def test_upload_prints_what_was_stored_and_warns(tmp_path: Path) -> None:
    """The id to use next comes first, then each warning with what to do."""
    path = tmp_path / "a.csv"
    path.write_text("query,docid,rating\nx,1,1\n")
    code, out, err, service = command(
        "upload", str(path), "--name", "docs", "--allow-unscorable", answers=[answer(a_test_set())]
    )
    expected = (
        "ts_1 docs version 2: 5 queries (4 scorable), 9 judgments\n"
        "[warn] few_queries: 5 queries are too few to trust\n"
        "       fix: Add queries until there are 50.\n"
    )
    assert (0, expected, "") == (code, out, err)
    assert {"name": "docs", "allow_unscorable": "true"} == dict(service.requests[0].url.params)


def test_upload_trec_as_json(tmp_path: Path) -> None:
    """With --json the document is all that is printed."""
    path = tmp_path / "t"
    path.write_text("q1\tx\n")
    code, out, _, service = command(
        "upload",
        "--topics",
        str(path),
        "--qrels",
        str(path),
        "--json",
        answers=[answer(a_test_set())],
    )
    assert (0, a_test_set()) == (code, msgspec.json.decode(out, type=type(a_test_set())))
    assert b'name="topics"' in service.bodies[0]


def test_run_says_what_comes_next() -> None:
    """A run that is not waited for is printed with its cost and the next command."""
    code, out, err, _ = command("run", "docs", SEARCH, answers=[answer(a_run(), 202)])
    expected = "run_1 queued: 10 queries and at most 40 changed ones\n"
    assert (0, expected, "next: reteval wait run_1\n") == (code, out, err)


def test_run_as_json() -> None:
    """The run itself is printed as one JSON document."""
    code, out, err, service = command(
        "--json", "run", "docs", SEARCH, "--label", "b", answers=[answer(a_run(), 202)]
    )
    assert (0, a_run(), "") == (code, msgspec.json.decode(out, type=type(a_run())), err)
    expected = {"test_set": "docs", "label": "b", "endpoint": {"url": SEARCH}}
    assert expected == msgspec.json.decode(service.bodies[0])


def test_run_and_wait_prints_the_report() -> None:
    """Progress goes to standard error in plain lines, the report to standard output."""
    running = a_run(status=RunStatus.RUNNING, progress=Progress(done=4, total=10, failed=1))
    answers = [
        answer(a_run(), 202),
        answer(running),
        ended(RunStatus.COMPLETED),
        answer(a_report()),
        answer(RunPage(items=(a_run(),))),
    ]
    code, out, err, _ = command("run", "docs", SEARCH, "--wait", answers=answers)
    assert 0 == code
    assert "recall@5  0.810" in out
    assert err == (
        "started run_1\nrun_1 running 4/10, 1 failed\nrun_1 completed 0/10\n"
        f"next: reteval run docs {SEARCH} --wait --label candidate\n"
    )


def test_run_and_wait_on_a_terminal() -> None:
    """On a terminal one line redraws itself and is ended before the report."""
    answers = [answer(a_run(), 202), ended(RunStatus.COMPLETED), answer(a_report())]
    words = ("run", "docs", SEARCH, "--wait", "--header", "A: b")
    code, _, err, _ = command(*words, answers=answers, stderr=Terminal())
    assert (0, f"started run_1\n\r[{'-' * 24}] completed 0/10\n") == (code, err)


def test_run_and_wait_as_json() -> None:
    """The report is printed byte for byte, and nothing beside it."""
    document = b'{"status":"completed","invented_later":[1.50]}\n'
    answers = [
        answer(a_run(), 202),
        ended(RunStatus.COMPLETED),
        httpx.Response(200, content=document),
    ]
    code, out, err, _ = command("run", "docs", SEARCH, "--wait", "--json", answers=answers)
    assert (0, document.decode(), "") == (code, out, err)


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (RunStatus.COMPLETED, 0),
        (RunStatus.COMPLETED_WITH_ERRORS, 0),
        (RunStatus.CANCELLED, 1),
        (RunStatus.FAILED, 3),
    ],
)
def test_exit_code_for_each_end(status: RunStatus, expected: int) -> None:
    """A script tells a failed run from one that was cut short, with each command and format."""
    codes = [
        command("wait", "run_1", answers=[ended(status)])[0],
        command("wait", "run_1", "--json", answers=[ended(status)])[0],
        command("results", "run_1", answers=[answer(a_report(status=status))])[0],
        command("results", "run_1", "--json", answers=[answer(a_report(status=status))])[0],
    ]
    assert [expected] * 4 == codes


def test_wait_names_the_reason_of_a_failure() -> None:
    """The end of a run is printed with its reason."""
    failed = ended(RunStatus.FAILED, error="too_many_failures")
    _, out, _, _ = command("wait", "run_1", answers=[failed])
    assert "run_1 failed: too_many_failures\n" == out


def test_wait_gives_up_in_time() -> None:
    """A wait that ends before the run is an error of its own, not a failed run."""
    code, out, err, _ = command("wait", "run_1", "--timeout", "0", answers=[answer(a_run())])
    assert (1, "") == (code, out)
    assert "error: run 'run_1' is queued after 0 s" in err


def test_refusals_are_printed_with_what_to_mend() -> None:
    """Expected errors show their message, never a traceback."""
    refusal = problem(422, "invalid", errors=[{"pointer": "/depth", "message": "0 is too small"}])
    code, out, err, _ = command("run", "docs", SEARCH, "--depth", "0", answers=[refusal])
    assert (1, "") == (code, out)
    assert err.startswith("error: POST /v1/runs: 422 invalid: Refused: Something is wrong.")
    assert "\n  /depth: 0 is too small\n" in err


def test_results_that_are_no_report() -> None:
    """A page of something else is an error in the JSON view too."""
    page = httpx.Response(200, html="<p>welcome</p>")
    code, out, err, _ = command("results", "run_1", "--json", answers=[page])
    assert (1, "") == (code, out)
    assert "error: what came is no report of 'run_1'" in err


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (("upload",), "write either FILE"),
        (("upload", "absent.json"), "absent.json"),
        (("run", "docs"), "no endpoint"),
        (("run", SEARCH), "no test set: write its id or name"),
        (("run",), "no test set: write its id or name"),
        (("wait", ""), "no id or name"),
        (("--url", "here", "wait", "run_1"), "no address of a service"),
    ],
)
def test_wrong_command_lines(argv: tuple[str, ...], said: str) -> None:
    """What cannot be sent is told with exit code 2."""
    code, out, err, service = command(*argv, answers=[])
    assert (2, "", []) == (code, out, service.requests)
    assert said in err


def test_words_that_cannot_be_parsed(capsys: pytest.CaptureFixture[str]) -> None:
    """The parser itself answers 2, too."""
    with pytest.raises(SystemExit) as caught:
        main(["wait"])
    assert 2 == caught.value.code
    assert "RUN" in capsys.readouterr().err


def test_interrupt_says_that_the_run_goes_on() -> None:
    """Ctrl-C ends the command, not the run, and says so."""

    def interrupt(_: httpx.Request) -> httpx.Response:
        raise KeyboardInterrupt

    code, _, err, _ = command("wait", "run_1", answers=[answer(a_run()), interrupt])
    assert 130 == code
    assert err.endswith("interrupted; a run that was started goes on\n")


class Full(io.StringIO):
    """A stream on a full disk."""

    def write(self, _: str) -> int:
        """Fail as the system does."""
        raise OSError(28, "No space left on device")


def test_output_that_cannot_be_written() -> None:
    """A full disk is no usage error."""
    http = httpx.Client(transport=httpx.MockTransport(Script([answer(a_report())])))
    err = io.StringIO()
    code = main(
        ["results", "run_1"],
        connect=lambda _, key: Client(URL, key, http=http),
        stdout=Full(),
        stderr=err,
    )
    assert (1, "error: [Errno 28] No space left on device\n") == (code, err.getvalue())


def test_output_that_nobody_reads() -> None:
    """`reteval results … | head` ends quietly."""
    program = f"""
import os, sys, httpx
from reteval import Client
from reteval.cli import main
page = httpx.Response(200, content={msgspec.json.encode(a_report())!r} + b" " * 200_000)
http = httpx.Client(transport=httpx.MockTransport(lambda request: page))
sys.stdin.read()
sys.exit(main(["results", "run_1", "--json"], connect=lambda *_: Client({URL!r}, http=http)))
"""
    process = subprocess.Popen(
        [sys.executable, "-c", program],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    process.stdout.close()
    process.stdout = None
    _, err = process.communicate(timeout=60)
    assert (1, b"") == (process.returncode, err)


def test_main_writes_to_the_real_streams(capsys: pytest.CaptureFixture[str]) -> None:
    """Without streams passed in, the process's own are used."""
    http = httpx.Client(transport=httpx.MockTransport(Script([ended(RunStatus.COMPLETED)])))
    assert 0 == main(["wait", "run_1"], connect=lambda _, key: Client(URL, key, http=http))
    captured = capsys.readouterr()
    assert "run_1 completed\n" == captured.out
    assert "run_1 completed 0/10\nnext: reteval results run_1\n" == captured.err


def test_second_run_is_compared_with_the_first() -> None:
    """After a run the hint names the newest other one of the same test set."""
    part = a_run(id="run_9", split=SplitShare(name="tune", outside=5))
    found = RunPage(items=(a_run(), part, a_run(id="run_0")))
    answers = [answer(a_run(), 202), ended(RunStatus.COMPLETED), answer(a_report()), answer(found)]
    _, _, err, service = command("run", "docs", SEARCH, "--wait", answers=answers)
    assert err.endswith("\nnext: reteval compare run_0 run_1\n")
    assert dict(service.requests[-1].url.params) == {
        "test_set": "ts_1",
        "status": "completed",
        "limit": "20",
    }


def test_hint_that_cannot_be_found_is_left_out() -> None:
    """A report that is printed is no failure for want of a hint."""
    answers = [answer(a_run(), 202), ended(RunStatus.COMPLETED), answer(a_report())]
    refusal = problem(403, "forbidden")
    code, _, err, _ = command("run", "docs", SEARCH, "--wait", answers=[*answers, refusal])
    assert (code, "next" in err) == (0, False)


def test_key_is_in_no_hint() -> None:
    """A command line that holds a key is not repeated."""
    answers = [answer(a_run(), 202), ended(RunStatus.COMPLETED), answer(a_report())]
    words = ("run", "docs", SEARCH, "--wait", "--api-key", "s3cret")
    _, _, err, _ = command(*words, answers=[*answers, answer(RunPage(items=()))])
    assert "s3cret" not in err
    assert "next" not in err


def test_failed_run_leads_to_the_doctor() -> None:
    """The hint names the same test set and endpoint, and a cancelled run has none."""
    for status, expected in (
        (RunStatus.FAILED, f"next: reteval --url http://s.example doctor docs {SEARCH}\n"),
        (RunStatus.CANCELLED, ""),
    ):
        answers = [answer(a_run(), 202), ended(status), answer(a_report(status=status))]
        words = ("--url", "http://s.example", "run", "docs", SEARCH, "--wait")
        _, _, err, _ = command(*words, answers=answers)
        assert err[err.find("next") :] == expected if expected else "next" not in err


def test_hints_carry_what_was_chosen(tmp_path: Path) -> None:
    """Profile and address are repeated, quoted for a shell; a key is not."""
    (tmp_path / "reteval.toml").write_text('[profiles."my own"]\nurl = "http://p.example"\n')
    words = ("--profile", "my own", "--api-key", "s3cret", "run", "docs", SEARCH)
    place = a_place(folder=tmp_path)
    _, _, err, service = command(*words, answers=[answer(a_run(), 202)], place=place)
    assert err == "next (with the same --api-key): reteval --profile 'my own' wait run_1\n"
    assert service.requests[0].url.host == "p.example"
    assert service.requests[0].headers["authorization"] == "Bearer s3cret"


def test_upload_leads_to_a_run(tmp_path: Path) -> None:
    """With an endpoint in the profile the next command is complete; the set named if it differs."""
    (tmp_path / "a.csv").write_text("query,docid,rating\nx,1,1\n")
    place = a_place(folder=tmp_path)
    for own, named in (("docs", ""), ("other", "docs ")):
        (tmp_path / "reteval.toml").write_text(
            f'profile = "p"\n[profiles.p]\nendpoint = "{SEARCH}"\ntest_set = "{own}"\n'
        )
        words = ("upload", str(tmp_path / "a.csv"), "--name", "docs")
        _, _, err, _ = command(*words, answers=[answer(a_test_set())], place=place)
        assert err == f"next: reteval run {named}--label baseline --wait\n"


def test_hostile_text_on_a_terminal() -> None:
    """What a test set or label holds cannot move the cursor of who reads it."""
    screen = Terminal()
    report = answer(a_report(label="\x1b[2J\x1b]0;owned\x07"))
    command("results", "run_1", answers=[report], stdout=screen)
    shown = screen.getvalue()
    assert "\\x1b[2J\\x1b]0;owned\\x07" in shown
    assert "\x1b[2J" not in shown
