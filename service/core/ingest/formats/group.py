"""Queries whose votes are scattered over files, held compactly until all are known."""

from array import array
from collections.abc import Iterator

from msgspec import Struct


class Group(Struct):
    """A query found at `at` of the file `origin`; `first` and `last` of its votes, -1 for none.

    `text` is None as long as only its id is known.
    """

    id: str
    text: str | None
    at: int
    origin: int
    need: str = ""
    split: str = ""
    source: str = ""
    tags: tuple[str, ...] = ()
    first: int = -1
    last: int = -1


class Votes:
    """All votes as parallel columns, those of a query linked by `following`.

    Files name documents by the million: as text objects they would take several times the file.
    """

    def __init__(self) -> None:
        self._names = bytearray()
        self._ends = array("I", [0])
        self.grades = array("h")
        self.rows = array("I")
        self.origins = array("H")
        self._following = array("i")
        self._members: dict[int, int] = {}

    def __len__(self) -> int:
        return len(self.grades)

    def add(
        self, group: Group, document: str, grade: int, at: int, member: int, origin: int
    ) -> None:
        """Take a vote on a query."""
        n = len(self.grades)
        self._names += document.encode()
        self._ends.append(len(self._names))
        self.grades.append(grade)
        self.rows.append(at)
        self.origins.append(origin)
        self._following.append(-1)
        if member:
            self._members[n] = member
        if group.last >= 0:
            self._following[group.last] = n
        else:
            group.first = n
        group.last = n

    def of(self, group: Group) -> Iterator[int]:
        """The votes on a query, in their order."""
        n, following = group.first, self._following
        while n >= 0:
            yield n
            n = following[n]

    def document(self, n: int) -> str:
        """The document of a vote."""
        return self._names[self._ends[n] : self._ends[n + 1]].decode()

    def member(self, n: int) -> int:
        """Where inside its record a vote stands."""
        return self._members.get(n, 0)
