"""`reteval completion`: scripts that shells can read, and what to do without their maker."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from reteval.cli.starting_words import SHELLS
from tests.unit.reteval.cli.places import a_place
from tests.unit.reteval.cli.test_command import command


@pytest.mark.parametrize("shell", SHELLS)
def test_script_knows_every_command(shell: str) -> None:
    """Commands, options and choices stand in the script of each shell."""
    code, out, err, _ = command("completion", shell, answers=[])
    assert (code, err) == (0, "")
    for word in ("doctor", "export-set", "max-error-rate", "rank_eval"):
        assert word in out


def test_bash_completes(tmp_path: Path) -> None:
    """Two letters and a tab are enough."""
    if shutil.which("bash") is None:
        pytest.skip("this machine has no bash")
    script = tmp_path / "reteval.bash"
    script.write_text(command("completion", "bash", answers=[])[1])
    ask = f"source {script}; COMP_WORDS=(reteval doc); COMP_CWORD=1; _shtab_reteval; "
    ended = subprocess.run(
        ["bash", "-c", ask + 'echo "${COMPREPLY[@]}"'], capture_output=True, text=True, check=True
    )
    assert (ended.stdout, ended.stderr) == ("doctor\n", "")


def test_missing_maker_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """The client is installed without shtab; the message says what to install."""
    monkeypatch.setitem(sys.modules, "shtab", None)
    code, out, err, _ = command("completion", "bash", answers=[])
    assert (code, out) == (1, "")
    assert err == (
        "error: completion scripts are made by shtab, which is not installed: pip install shtab\n"
    )


def test_broken_profile_is_no_obstacle(tmp_path: Path) -> None:
    """A shell that starts in any folder gets its script."""
    (tmp_path / "reteval.toml").write_text("broken")
    place = a_place(folder=tmp_path)
    assert command("completion", "fish", answers=[], place=place)[0] == 0
    assert command("usage", answers=[], place=place)[0] == 2
