"""A gate as its sender has it, and what is said beside it. Reads files; sends nothing."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypedDict

import msgspec
from msgspec import Struct

from reteval._requests import JSON
from reteval.contract.gates import Gate

YAML = "application/yaml"

GateSource = Gate | Mapping[str, Any] | str | os.PathLike[str]


class Held(TypedDict, total=False):
    """What a gate is held to; each goes before what the gate itself says."""

    run: str
    comparison: str
    baseline: str
    baseline_label: str
    baseline_branch: str
    require_conclusive: bool


class GateDocument(Struct, frozen=True):
    """A verdict in the form asked for, and the exit code it stands for."""

    body: bytes
    exit_code: int


def gate_body(source: GateSource) -> tuple[str, bytes]:
    """Return the media type and content of a gate; a file goes as it is, the service reads it.

    Raises:
        OSError: a file that cannot be read.
    """
    return document_body(source)


def document_body(source: Struct | Mapping[str, Any] | str | os.PathLike[str]) -> tuple[str, bytes]:
    """Return the media type and content of a gate, or of what has one in it.

    Raises:
        OSError: a file that cannot be read.
    """
    if isinstance(source, Struct | Mapping):
        return JSON, msgspec.json.encode(source)
    path = Path(source)
    media = YAML if path.suffix.lower() in (".yaml", ".yml") else JSON
    return media, path.read_bytes()


def held_to(held: Held, gate_format: str | None = None) -> dict[str, str]:
    """Return the query parameters of a gate."""
    said = {**held, "format": gate_format}
    return {name: "true" if value is True else str(value) for name, value in said.items() if value}
