"""What ids, names and tags may hold, for a head and for a query."""

import re
from collections.abc import Iterator
from typing import Final

from reteval.contract import limits
from reteval.contract.problems import ProblemItem
from reteval.contract.testsets import Query, TestSetHead
from service.core.ingest.located import Located
from service.core.ingest.query_fields import check_fields

_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f]")
LABELS: Final = (
    ("id", limits.MAX_ID_BYTES),
    ("cluster_id", limits.MAX_ID_BYTES),
    ("source", limits.MAX_ID_BYTES),
    ("parent", limits.MAX_ID_BYTES),
    ("kind", limits.MAX_NAME_BYTES),
    ("split", limits.MAX_NAME_BYTES),
)
"""Labels of a query, and the bytes that each may have."""
_HEAD_LABELS: Final = ("name", "language", "id_rule")


def find_flaw(value: str, most: int, *, blank: str = "") -> tuple[str, str] | None:
    """Say what is wrong with an id, name or tag of at most `most` bytes, and how to mend it.

    `blank` is the advice for an empty value; without it, empty is allowed.
    """
    if not value:
        return ("is empty", blank) if blank else None
    if not value.isprintable() and (control := _CONTROL.search(value)):
        return (f"holds the control character U+{ord(control[0]):04X}", "Remove the character.")
    if len(value) * 4 > most and len(value.encode()) > most:
        return (f"is over {most} bytes in UTF-8", "Shorten it.")
    return None


def check_head(head: TestSetHead) -> Iterator[ProblemItem]:
    """Find flaws of everything but the queries."""
    for name in _HEAD_LABELS:
        flaw = find_flaw(getattr(head, name), limits.MAX_NAME_BYTES)
        if flaw:
            yield ProblemItem(pointer=f"/{name}", message=f"{name} {flaw[0]}", fix=flaw[1])
    if head.relevant_from > head.scale.max:
        yield ProblemItem(
            pointer="/relevant_from",
            message=f"relevant_from {head.relevant_from} is above scale.max {head.scale.max}",
            fix="No grade could be relevant: lower it, or raise scale.max.",
        )


def check_query(item: Located) -> Iterator[ProblemItem]:
    """Find flaws of a query's text, labels and tags.

    A text may be empty and may hold anything but U+0000: odd queries are worth testing.
    """
    yield from _check_text(item)
    query = item.query
    for name, most in LABELS:
        value = getattr(query, name)
        if value and (flaw := find_flaw(value, most)):
            yield item.problem(f"{name} {flaw[0]}", flaw[1], part=f"/{name}")
    if query.tags:
        yield from _check_tags(item, query)
    if query.fields:
        yield from check_fields(item)


def _check_text(item: Located) -> Iterator[ProblemItem]:
    text = item.query.query
    if "\x00" in text:
        yield item.problem("query holds U+0000", "Remove the character.", part="/query")
    if len(text) * 4 > limits.MAX_QUERY_BYTES and len(text.encode()) > limits.MAX_QUERY_BYTES:
        message = f"query is over {limits.MAX_QUERY_BYTES:,} bytes in UTF-8"
        yield item.problem(message, "Shorten it.", part="/query")


def _check_tags(item: Located, query: Query) -> Iterator[ProblemItem]:
    if len(query.tags) > limits.MAX_TAGS:
        message = f"{len(query.tags)} tags, over the {limits.MAX_TAGS} that a query may have"
        yield item.problem(message, "Keep those that make slices.", part="/tags")
    for n, tag in enumerate(query.tags[: limits.MAX_TAGS]):
        flaw = find_flaw(tag, limits.MAX_NAME_BYTES, blank="Remove it.")
        if flaw:
            yield item.problem(f"tag {flaw[0]}", flaw[1], part=f"/tags/{n}")
