"""The container files: what they copy exists, what they run works, nothing runs as root."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
DOCKERFILE = (ROOT / "Dockerfile").read_text().replace("\\\n", " ").splitlines()
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text())
PARTS = ("api", "worker", "worker-interactive")


def instructions(name: str) -> list[str]:
    """The arguments of each such instruction, in order."""
    return [line.partition(" ")[2].strip() for line in DOCKERFILE if line.startswith(f"{name} ")]


def commands() -> list[list[str]]:
    """Every command line that a container of ours runs."""
    return [
        json.loads(instructions("CMD")[-1]),
        *(COMPOSE["services"][part]["command"] for part in PARTS),
    ]


def copied() -> list[str]:
    """Every path that is copied from the project."""
    lines = [line.split() for line in instructions("COPY") if not line.startswith("--from")]
    return [source for words in lines for source in words[:-1]]


def test_copied_paths_exist() -> None:
    """The image can be built from a fresh clone."""
    assert [path for path in copied() if not (ROOT / path).exists()] == []


def test_copied_paths_are_in_the_context() -> None:
    """What is copied is not held back by the ignore file."""
    kept = {
        line[1:] for line in (ROOT / ".dockerignore").read_text().split() if line.startswith("!")
    }
    assert {path.partition("/")[0] for path in copied()} <= kept


@pytest.mark.parametrize("command", commands(), ids=" ".join)
def test_command_resolves(command: list[str]) -> None:
    """Each command is a program of ours that knows its arguments."""
    assert command[0] == "python"
    environ = {name: value for name, value in os.environ.items() if "RETEVAL" not in name}
    done = subprocess.run(
        [sys.executable, *command[1:], "--help"],
        cwd=ROOT,
        env=environ,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "usage: " in done.stdout


def test_image_does_not_run_as_root() -> None:
    """The last user is an unprivileged one, given as a number that an orchestrator can check."""
    assert int(instructions("USER")[-1]) > 0


def test_image_is_built_in_stages() -> None:
    """The image that ships starts from a clean base and takes the installed files only."""
    assert len(instructions("FROM")) == 2
    assert instructions("COPY")[-1] == "--from=build /opt/reteval /opt/reteval"


def test_image_installs_pinned_hashes() -> None:
    """Nothing is installed that the pins do not name."""
    installs = [line for line in instructions("RUN") if "pip install" in line]
    assert all("--require-hashes" in line or "--no-deps" in line for line in installs)


@pytest.mark.parametrize("part", PARTS)
def test_parts_share_image_and_secrets(part: str) -> None:
    """API and workers are one image, reach one store, and refuse to start without the keys."""
    service = COMPOSE["services"][part]
    assert service["image"] == "reteval"
    assert service["environment"]["RETEVAL_REDIS_URL"] == "redis://valkey:6379/0"
    for name in ("RETEVAL_API_KEY", "RETEVAL_SECRET_KEY"):
        assert service["environment"][name].startswith(f"${{{name}:?")
    assert service["depends_on"]["valkey"]["condition"] == "service_healthy"


def test_store_is_durable_and_never_evicts() -> None:
    """The store keeps every write on a volume and drops nothing."""
    valkey = COMPOSE["services"]["valkey"]
    flags = dict(zip(valkey["command"][1::2], valkey["command"][2::2], strict=True))
    assert flags["--appendonly"] == "yes"
    assert flags["--appendfsync"] == "always"
    assert flags["--maxmemory-policy"] == "noeviction"
    assert valkey["volumes"] == ["valkey:/data"]
    assert "ports" not in valkey


def test_servers_have_health_checks() -> None:
    """Compose can wait for the store, and tell when the API does not serve."""
    assert "/readyz" in COMPOSE["services"]["api"]["healthcheck"]["test"][-1]
    assert COMPOSE["services"]["valkey"]["healthcheck"]["test"] == ["CMD", "valkey-cli", "ping"]
