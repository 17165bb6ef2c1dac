"""An example of every body and answer, as they were once sent and received."""

import json
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def read_examples() -> dict[str, Any]:
    """Return the examples: by the name of their struct, texts by operation and media type."""
    text = (files("service.api") / "examples.json").read_text("utf-8")
    found: dict[str, Any] = json.loads(text)
    return found
