"""What GitHub and GitLab do with the files in `clients/ci`: read them, and run what they say."""

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml
from msgspec import Struct

from tests.service_process import ROOT, clean_environment

FOLDER = ROOT / "clients" / "ci"
_INPUT = re.compile(r"\$\{\{ inputs\.(?P<name>[\w-]+) \}\}")
_CONDITION = re.compile(r"inputs\.(?P<name>[\w-]+) == '(?P<value>\w+)'")
_PIPELINES = ("GITHUB_", "GITLAB_", "CI_", "JENKINS_")


class Ended(Struct, frozen=True):
    """A job that has ended: its exit code, what it printed, and the folder it worked in."""

    code: int
    log: str
    errors: str
    place: Path

    @property
    def summary(self) -> str:
        """The summary of the job."""
        return (self.place / "summary.md").read_text(encoding="utf-8")

    @property
    def outputs(self) -> dict[str, str]:
        """The outputs of the step."""
        lines = (self.place / "outputs").read_text(encoding="utf-8").splitlines()
        return dict(line.split("=", 1) for line in lines)


def read_action() -> Any:
    """Return the action as GitHub reads it."""
    return yaml.safe_load((FOLDER / "action.yml").read_text(encoding="utf-8"))


def read_template() -> Any:
    """Return the job that the GitLab template offers."""
    return yaml.safe_load((FOLDER / "gitlab.yml").read_text(encoding="utf-8"))[".reteval"]


def run_action(place: Path, inputs: Mapping[str, str], **environ: str) -> Ended:
    """Run the steps of the action, one after the other until one fails."""
    action = read_action()
    given = {name: str(known.get("default", "")) for name, known in action["inputs"].items()}
    given |= inputs
    assert given.keys() == action["inputs"].keys()
    told = {
        "GITHUB_ACTIONS": "true",
        "GITHUB_ACTION_PATH": str(FOLDER),
        "GITHUB_STEP_SUMMARY": str(place / "summary.md"),
        "GITHUB_OUTPUT": str(place / "outputs"),
        "GITHUB_PATH": str(place / "path"),
        "RUNNER_TEMP": str(place),
        **environ,
    }
    for name in ("summary.md", "outputs", "path"):
        (place / name).write_text("")
    log, errors, code = "", "", 0
    for step in action["runs"]["steps"]:
        if not _holds(step.get("if", ""), given):
            continue
        own = {name: _fill(text, given) for name, text in step.get("env", {}).items()}
        shell = ["bash", "--noprofile", "--norc", "-eo", "pipefail"]
        ended = _run([*shell, "-c", step["run"]], place, {**told, **own})
        log, errors, code = log + ended.log, errors + ended.errors, ended.code
        if code:
            break
    return Ended(code, log, errors, place)


def run_template(place: Path, variables: Mapping[str, str], **environ: str) -> Ended:
    """Run the lines of the GitLab template in one shell, as a runner does."""
    job = read_template()
    assert variables.keys() <= job["variables"].keys()
    known = {name: text for name, text in job["variables"].items() if not text.startswith("$")}
    script = "\n".join([*job["before_script"], *job["script"]])
    told = {"GITLAB_CI": "true", **known, **variables, **environ}
    return _run(["sh", "-ec", script], place, told)


def _holds(condition: str, given: Mapping[str, str]) -> bool:
    if not condition:
        return True
    match = _CONDITION.fullmatch(condition)
    assert match is not None, condition
    return given[match["name"]] == match["value"]


def _fill(text: str, given: Mapping[str, str]) -> str:
    filled = _INPUT.sub(lambda match: given[match["name"]], text)
    assert "${{" not in filled, text
    return filled


def _run(command: list[str], place: Path, environ: Mapping[str, str]) -> Ended:
    clean = {
        name: text for name, text in clean_environment().items() if not name.startswith(_PIPELINES)
    }
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    ended = subprocess.run(
        command,
        cwd=place,
        env={**clean, "PATH": path, **environ},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return Ended(ended.returncode, ended.stdout, ended.stderr, place)
