"""The two distributions and their pins agree with each other."""

import re
import tomllib
from importlib.metadata import requires
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
LIGHT = {
    "anyio",
    "certifi",
    "h11",
    "httpcore",
    "httpx",
    "idna",
    "msgspec",
    "typing-extensions",
}
"""All that `pip install ./clients` brings; CI compares an environment that had nothing with it."""


def project(folder: str) -> dict[str, Any]:
    """The `[project]` table of a distribution."""
    table: dict[str, Any] = tomllib.loads((ROOT / folder / "pyproject.toml").read_text())["project"]
    return table


def name_of(requirement: str) -> str:
    """A requirement's normalised distribution name."""
    match = re.match(r"[A-Za-z0-9._-]+", requirement)
    assert match is not None, requirement
    return re.sub(r"[-_.]+", "-", match[0]).lower()


def pins(file: str) -> dict[str, str]:
    """Distribution and version of every pin in a requirements file."""
    text = (ROOT / "requirements" / file).read_text()
    found = re.findall(r"(?m)^([^\s=#]+)==(\S+)", text)
    return {name_of(name): version for name, version in found}


def test_versions_are_equal() -> None:
    """Service and client of one commit have one version and one Python floor."""
    assert project(".")["version"] == project("clients")["version"]
    assert project(".")["requires-python"] == project("clients")["requires-python"]


def test_client_requires_a_part_of_the_service() -> None:
    """Installing the service brings what the client needs, in the same bounds."""
    assert set(project("clients")["dependencies"]) <= set(project(".")["dependencies"])


def test_client_stays_light() -> None:
    """Other teams install two libraries and no more."""
    assert [name_of(text) for text in project("clients")["dependencies"]] == ["httpx", "msgspec"]


def brought_by(names: set[str]) -> set[str]:
    """Distributions with all that they require of their own, as this environment has them."""
    found = set(names)
    for name in names:
        for text in requires(name) or ():
            needed = Requirement(text)
            if needed.marker is None or needed.marker.evaluate({"extra": ""}):
                found |= brought_by({name_of(needed.name)})
    return found


def test_client_brings_only_light_packages() -> None:
    """What the two libraries require in turn is known, small, and nothing of the service."""
    assert brought_by({"httpx", "msgspec"}) == LIGHT


def test_command_is_the_same() -> None:
    """The `reteval` command comes with either distribution."""
    assert project(".")["scripts"] == project("clients")["scripts"]


@pytest.mark.parametrize(("file", "extra"), [("run.txt", ()), ("dev.txt", ("dev",))])
def test_every_requirement_is_pinned(file: str, extra: tuple[str, ...]) -> None:
    """Each direct requirement has its pin, and the tools that install the project, too."""
    own = project(".")
    wanted = [*own["dependencies"], "hatchling", "editables"]
    for name in extra:
        wanted += own["optional-dependencies"][name]
    assert [text for text in wanted if name_of(text) not in pins(file)] == []


def test_pins_agree() -> None:
    """The tests run with the versions that ship."""
    run, dev = pins("run.txt"), pins("dev.txt")
    assert {name: dev.get(name) for name in run} == run


def test_pins_of_the_documentation_agree() -> None:
    """What the documentation is built with goes into one environment with the rest."""
    docs, dev = pins("docs.txt"), pins("dev.txt")
    assert {name: docs[name] for name in docs.keys() & dev} == {
        name: dev[name] for name in docs.keys() & dev
    }


@pytest.mark.parametrize("file", ["run.txt", "dev.txt", "docs.txt"])
def test_pins_are_hashed_and_name_no_place(file: str) -> None:
    """Every pin has a hash, and none of them says where it was fetched from."""
    text = (ROOT / "requirements" / file).read_text()
    blocks = re.split(r"(?m)^(?=[A-Za-z0-9])", re.sub(r"(?m)^\s*#.*\n", "", text))
    pinned = [block for block in blocks if "==" in block]
    assert len(pinned) == len(pins(file))
    assert [block.split("=")[0] for block in pinned if "--hash=sha256:" not in block] == []
    assert re.findall(r"://|--index|--find-links|--extra-index|\s/\S+", text) == []
