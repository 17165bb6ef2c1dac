"""A format: its name, what a file of it holds, how it is recognised and how it is read."""

from collections.abc import Callable, Iterator
from enum import StrEnum

from msgspec import Struct

from reteval.contract.imports import ImportOptions, Sureness
from service.core.ingest.formats.files import File
from service.core.ingest.formats.rows import Misfit, Row
from service.core.ingest.formats.sample import Sample


class Holds(StrEnum):
    """What a file is to a test set."""

    SET = "a test set of our own"
    BOTH = "queries and judgments"
    QUERIES = "queries"
    JUDGMENTS = "judgments"
    CORPUS = "documents"
    RUN = "rankings"


class Likeness(Struct, frozen=True):
    """How sure it is that a file has a format, and what shows it."""

    sure: Sureness
    why: str


class Opened(Struct):
    """A file that is about to be read. `pointer` is set by readers of JSON documents.

    It is a template over `at` and `member`, counted from zero: `/queries/{at}/ratings/{member}`.
    """

    file: File
    sample: Sample
    options: ImportOptions
    pointer: str = ""


class Format(Struct, frozen=True, kw_only=True):
    """A format of files; our own have no reader of rows, since they hold more than rows."""

    name: str
    holds: Holds
    about: str
    example: str
    detect: Callable[[Sample], Likeness | None]
    read: Callable[[Opened], Iterator[Row]] | None = None


def certain(why: str) -> Likeness:
    """A likeness that nothing else has."""
    return Likeness(Sureness.CERTAIN, why)


def likely(why: str) -> Likeness:
    """A likeness that some lines contradict, or that is also another's."""
    return Likeness(Sureness.LIKELY, why)


def grade_lines(share: float, why: str) -> Likeness | None:
    """Judge by the share of lines that fit: all, most, or too few."""
    if share == 1:
        return certain(why)
    return likely(f"{why} on {share:.0%} of the first lines") if share >= 0.5 else None  # noqa: PLR2004


def refuse_run(_: Opened) -> Iterator[Row]:
    """Read nothing of a file of rankings, and say where it belongs."""
    message = "the file holds rankings, not judgments"
    yield Misfit(1, "is_a_run", message, "Send it to POST /v1/rankings.")
