"""What readers of all formats give: queries, votes, and rows that are neither."""

from typing import NamedTuple

from msgspec import Struct

Raw = str | int | float | None
"""A grade as it is written; None where there is none."""


class Asked(Struct, gc=False):
    """A query, found in the line or record `at`, counted from one."""

    id: str
    text: str
    at: int
    need: str = ""
    split: str = ""
    source: str = ""
    tags: tuple[str, ...] = ()


class Vote(NamedTuple):
    """What one rater, if named, says of one document; a plain tuple, since there are millions.

    `text` is None where the file names queries by id only; `member` counts from one inside the
    record, and is 0 for a record that is itself a vote.
    """

    query: str
    text: str | None
    document: str
    grade: Raw
    at: int
    member: int = 0
    rater: str = ""
    need: str = ""


class Misfit(Struct, gc=False):
    """A line or record that is nothing of what its file holds."""

    at: int
    reason: str
    message: str
    fix: str
    member: int = 0


class Known(Struct, gc=False):
    """The id of a document that there is."""

    id: str


Row = Asked | Vote | Misfit | Known
