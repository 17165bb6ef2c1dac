"""How a format is laid out: files, each written in one or more readings of the queries."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

import msgspec
from msgspec import UNSET, Struct

from reteval.contract.exports import Loss
from reteval.contract.testsets import Judgment, Query, TestSet

ZIP: Final = "zip"
LABELS: Final = frozenset(
    {
        Loss.PROVENANCE,
        Loss.TAGS,
        Loss.SPLIT,
        Loss.EXPECT,
        Loss.CLUSTER_ID,
        Loss.SOURCE,
        Loss.PARENT,
        Loss.KIND,
        Loss.FIELDS,
    }
)
"""What most formats have no place for: all but ids, texts and grades."""
HEAD: Final = frozenset({Loss.SCALE, Loss.RELEVANT_FROM, Loss.LANGUAGE, Loss.ID_RULE})
"""What is said of a whole set."""


class Stretch(Struct, frozen=True, kw_only=True):
    """Queries of a set that follow each other, the first at place `start`."""

    queries: Sequence[Query]
    start: int
    test_set: TestSet
    index: str


class Reading(Struct, frozen=True, kw_only=True):
    """One reading of all queries: a piece for each of those that have a place in the file."""

    write: Callable[[Stretch], Iterable[bytes]]
    before: Callable[[TestSet], bytes] = lambda _: b""
    between: bytes = b""
    after: bytes = b""


class File(Struct, frozen=True, kw_only=True):
    """A file of a format; `name` and `about` are told where there are several, in a zip."""

    readings: tuple[Reading, ...]
    name: str = ""
    about: str = ""


class Layout(Struct, frozen=True, kw_only=True):
    """A format. `losses` are what it cannot hold; a zip says in its README what it left out."""

    media: str
    ending: str
    files: tuple[File, ...]
    losses: frozenset[Loss] = frozenset()


def judgments(query: Query) -> Sequence[Judgment]:
    """Return the judgments of a stored query."""
    return () if query.relevant is UNSET else query.relevant


def relevant_ids(query: Query, test_set: TestSet) -> list[str]:
    """Return the documents that count as relevant, for formats that know no grades."""
    least = test_set.relevant_from
    return [str(judgment.id) for judgment in judgments(query) if judgment.grade >= least]


def encode(value: Any) -> bytes:
    """Write a value as JSON."""
    return msgspec.json.encode(value)
