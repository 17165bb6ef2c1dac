"""A query whose votes are scattered over files, held compactly until all are known."""

from array import array
from itertools import pairwise

from msgspec import Struct, field


class Group(Struct):
    """A query found at `at` of the file `origin`, and its votes as parallel columns.

    `text` is None as long as only its id is known.

    Files name documents by the million: as text objects they would take several times the file.
    Annotations are quoted since Python 3.11 cannot subscript an array.
    """

    id: str
    text: str | None
    at: int
    origin: int
    need: str = ""
    split: str = ""
    source: str = ""
    tags: tuple[str, ...] = ()
    names: bytearray = field(default_factory=bytearray)
    ends: "array[int]" = field(default_factory=lambda: array("I", [0]))
    grades: "array[int]" = field(default_factory=lambda: array("h"))
    rows: "array[int]" = field(default_factory=lambda: array("I"))
    members: "array[int]" = field(default_factory=lambda: array("I"))
    origins: "array[int]" = field(default_factory=lambda: array("I"))

    def documents(self) -> list[str]:
        """The documents of the votes, in their order."""
        names = self.names
        return [names[start:end].decode() for start, end in pairwise(self.ends)]
