"""A query whose judgments are scattered over the lines of a table, held compactly until known."""

from array import array
from itertools import pairwise

from msgspec import Struct, field

from reteval.contract.testsets import Judgment, Query
from service.core.ingest.located import Located


class Grouped(Struct):
    """A query found on line `row`, and its judgments as parallel columns.

    A table names documents by the hundred thousand: as text objects they would take several
    times the table. Annotations are quoted since Python 3.11 cannot subscript an array.
    """

    id: str
    text: str
    row: int
    names: bytearray = field(default_factory=bytearray)
    ends: "array[int]" = field(default_factory=lambda: array("I", [0]))
    grades: "array[int]" = field(default_factory=lambda: array("i"))
    rows: "array[int]" = field(default_factory=lambda: array("I"))

    def add(self, document: str, grade: int, row: int) -> None:
        """Take a judgment found on line `row`."""
        self.names += document.encode()
        self.ends.append(len(self.names))
        self.grades.append(grade)
        self.rows.append(row)

    def share(self, other: "Grouped") -> None:
        """Have the judgments of `other`, those to come too."""
        self.names, self.ends, self.grades, self.rows = (
            other.names,
            other.ends,
            other.grades,
            other.rows,
        )

    def locate(self) -> Located:
        """The query with all judgments taken so far."""
        relevant = [
            Judgment(self.names[start:end].decode(), grade)
            for (start, end), grade in zip(pairwise(self.ends), self.grades, strict=True)
        ]
        query = Query(id=self.id, query=self.text, relevant=relevant)
        return Located(query=query, row=self.row, judgment_rows=self.rows)
