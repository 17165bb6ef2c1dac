"""What a struct shows of itself: as text, in a notebook, as data.

How it looks is the business of `reteval.views`, which knows the structs. They name it by string:
it is loaded when something is shown, and nothing goes round in a circle.
"""

from importlib import import_module
from typing import Any

import msgspec


class Shown:
    """A struct that a person looks at."""

    __slots__ = ()

    def format(self) -> str:
        """Return it as text, as the command line prints it."""
        text: str = import_module("reteval.views.text").render(self)
        return text

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain dicts, lists, strings and numbers: what its JSON says."""
        plain: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(self))
        return plain

    def _repr_html_(self) -> str:
        """Return it as notebooks show it; whatever users typed is text."""
        html: str = import_module("reteval.views.html").render(self)
        return html


class Tabular(Shown):
    """A struct whose core is a table."""

    __slots__ = ()

    def to_frame(self, library: str | None = None) -> Any:
        """Return its table as a data frame of `library`: pandas if it is there, else polars.

        Raises:
            ImportError: neither is installed.
        """
        return import_module("reteval.views.frames").render(self, library)
