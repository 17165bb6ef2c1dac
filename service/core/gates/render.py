"""A verdict in the form asked for. Every form says the same: all are made from one object."""

from collections.abc import Callable
from typing import Final

import msgspec

from reteval.contract.gates import GateFormat, GateVerdict
from service.core.gates.render_junit import render_junit
from service.core.gates.render_markdown import render_markdown
from service.core.gates.render_text import render_text

RENDERERS: Final[dict[GateFormat, Callable[[GateVerdict], bytes]]] = {
    GateFormat.JSON: msgspec.json.encode,
    GateFormat.TEXT: render_text,
    GateFormat.JUNIT: render_junit,
    GateFormat.MARKDOWN: render_markdown,
}
