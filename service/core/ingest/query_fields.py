"""What the fields of a query may hold; an endpoint's description names them."""

import re
from collections.abc import Iterator
from typing import Final

from reteval.contract import limits
from reteval.contract.problems import ProblemItem
from service.core.decoding import escape
from service.core.ingest.located import Located

_NAME: Final = re.compile(r"[A-Za-z0-9_.-]{1,64}")


def check_fields(item: Located) -> Iterator[ProblemItem]:
    """Find flaws of a query's fields: how many, their names, their size."""
    fields = item.query.fields
    if len(fields) > limits.MAX_FIELDS:
        message = f"{len(fields)} fields, over the {limits.MAX_FIELDS} that a query may have"
        yield item.problem(message, "Keep those that the request needs.", part="/fields")
        return
    for name, value in fields.items():
        flaw = _find_flaw(name, value)
        if flaw:
            yield item.problem(flaw[0], flaw[1], part=f"/fields/{escape(name)}")


def _find_flaw(name: str, value: str | float | list[float]) -> tuple[str, str] | None:
    if not _NAME.fullmatch(name):
        return (
            f"the name of field {name[:64]!r} is none that a placeholder can hold",
            "Use 1 to 64 letters, digits, dots, hyphens and underscores.",
        )
    if isinstance(value, str):
        if "\x00" in value:
            return f"field {name!r} holds U+0000", "Remove the character."
        if len(value.encode()) > limits.MAX_FIELD_BYTES:
            return f"field {name!r} is over {limits.MAX_FIELD_BYTES:,} bytes", "Shorten it."
    if isinstance(value, list) and len(value) > limits.MAX_FIELD_NUMBERS:
        return (
            f"field {name!r} has {len(value):,} numbers, over {limits.MAX_FIELD_NUMBERS:,}",
            "Send a shorter list.",
        )
    return None
