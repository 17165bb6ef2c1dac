"""The command line of the service: what it prints, and how it refuses."""

import os
import signal
import socket
from argparse import Namespace
from pathlib import Path

import pytest

from reteval.contract.tokens import read_token
from service.__main__ import main, run
from service.embedded import EmbeddedServer
from service.settings import TABLE


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """The caller's own settings have no part in these tests."""
    for variable in [name for name in os.environ if name.startswith("RETEVAL_")]:
        monkeypatch.delenv(variable)


@pytest.mark.parametrize("command", ["up", "serve", "bootstrap", "openapi", "settings"])
def test_help_shows_an_example(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Each command's help ends with a line that can be pasted."""
    with pytest.raises(SystemExit) as ended:
        main([command, "--help"])
    assert ended.value.code == 0
    assert f"python -m service {command}" in capsys.readouterr().out.partition("example: ")[2]


def test_help_lists_the_commands(capsys: pytest.CaptureFixture[str]) -> None:
    """The bare help names every command."""
    with pytest.raises(SystemExit):
        main(["--help"])
    printed = capsys.readouterr().out
    assert [
        name for name in ("up", "serve", "bootstrap", "openapi", "settings") if name not in printed
    ] == []


def test_settings_prints_every_variable(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The table has a line for each setting, marks those set and shows no value."""
    monkeypatch.setenv("RETEVAL_API_KEY", "s3cret")
    assert main(["settings"]) == 0
    printed = capsys.readouterr().out
    assert [row.variable for row in TABLE if f" {row.variable} " not in printed] == []
    assert "* RETEVAL_API_KEY" in printed
    assert "s3cret" not in printed


def test_openapi_is_stable(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The description is the same at every call, whatever the environment says."""
    assert main(["openapi"]) == 0
    first = capsys.readouterr().out
    monkeypatch.setenv("RETEVAL_PORT", "9999")
    assert main(["openapi"]) == 0
    assert capsys.readouterr().out == first
    assert "openapi: 3." in first


def test_up_with_auth_off_beyond_loopback(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A key does not excuse auth that is switched off; the store started for it is stopped."""
    monkeypatch.setenv("RETEVAL_API_KEY", "key")
    monkeypatch.setenv("RETEVAL_AUTH", "off")
    assert main(["up", "--host", "0.0.0.0", "--port", "0", "--data", str(tmp_path)]) == 2  # noqa: S104 - the case under test
    assert "RETEVAL_AUTH='off' is refused" in capsys.readouterr().err
    assert not EmbeddedServer(tmp_path).running()


def test_up_on_a_taken_port(capsys: pytest.CaptureFixture[str]) -> None:
    """A port in use ends with exit 1 and the way out, before anything is started."""
    with socket.create_server(("127.0.0.1", 0)) as holder:
        port = holder.getsockname()[1]
        assert main(["up", "--port", str(port)]) == 1
    assert "--port" in capsys.readouterr().err


def test_up_in_an_unusable_directory(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A data directory that cannot be used ends with exit 1 and the ways out."""
    (tmp_path / "file").write_text("")
    assert main(["up", "--port", "0", "--data", str(tmp_path / "file")]) == 1
    assert "RETEVAL_REDIS_URL" in capsys.readouterr().err


@pytest.mark.parametrize(
    "argv", [["up", "--port", "many"], ["up", "--port", "70000"], ["up", "--workers", "0"]]
)
def test_up_with_a_bad_number(argv: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Numbers out of range are refused with exit 2, wherever they are checked."""
    try:
        code = main(argv)
    except SystemExit as ended:
        code = int(ended.code or 0)
    assert code == 2
    assert "use" in capsys.readouterr().err or argv[2] == "many"


def test_bootstrap_prints_the_first_key_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Standard output has the key alone; the second time is refused, `--again` makes another."""
    data = ["bootstrap", "--data", str(tmp_path / "data")]
    assert main([*data, "--days", "7"]) == 0
    first = capsys.readouterr()
    token = read_token(first.out.removesuffix("\n"))
    assert token is not None
    assert f"key_{token.id} opens everything until" in first.err
    assert main(data) == 1
    refused = capsys.readouterr()
    assert (refused.out, f"key_{token.id}" in refused.err) == ("", True)
    assert main([*data, "--again"]) == 0
    assert capsys.readouterr().out != first.out
    assert not EmbeddedServer(tmp_path / "data").running()


def test_bootstrap_uses_the_store_of_the_settings(
    redis_url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With RETEVAL_REDIS_URL no server is started; one that is away is an error in a line."""
    monkeypatch.setenv("RETEVAL_REDIS_URL", redis_url)
    assert main(["bootstrap"]) == 0
    assert read_token(capsys.readouterr().out.strip()) is not None
    monkeypatch.setenv("RETEVAL_REDIS_URL", "redis://127.0.0.1:1/0")
    assert main(["bootstrap"]) == 1
    assert capsys.readouterr().err.startswith("error: ")


@pytest.mark.parametrize("days", ["0", "366", "many"])
def test_bootstrap_with_a_bad_number_of_days(days: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A first key that lives for ever, or not at all, is not made."""
    with pytest.raises(SystemExit) as ended:
        main(["bootstrap", "--days", days])
    assert ended.value.code == 2
    assert "--days" in capsys.readouterr().err


def test_interrupt_ends_quietly() -> None:
    """A Ctrl-C before the supervisor listens ends with the shell's code, not a traceback."""
    # Where the tests run as a shell's background job, the signal would be ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        assert run(Namespace(command=lambda _args: signal.raise_signal(signal.SIGINT))) == 130
    finally:
        signal.signal(signal.SIGINT, before)
