"""The queue as a table for a spreadsheet, and the table with grades filled in as votes."""

import csv
import io
from collections.abc import AsyncIterator
from typing import Final

from reteval.contract.problems import ProblemItem
from reteval.contract.votes import MAX_HUMAN_VOTES, UNRATEABLE, HumanVote
from service.core.backend import Backend
from service.core.cells import rearm, write_rows
from service.core.ingest.text import read_grade, read_utf8
from service.core.judging.reviewing import Audit, list_review
from service.errors import InvalidError, MalformedTextError

COLUMNS: Final = ("query_id", "docid", "query", "text", "reason", "grade", "rater", "explanation")
_REQUIRED: Final = frozenset({"query_id", "docid", "grade"})
MAX_PROBLEMS: Final = 20


async def export_review(
    backend: Backend, judging_id: str, *, audit: Audit = "pairs"
) -> AsyncIterator[bytes]:
    """Return the whole queue, or the drawn queries, as CSV, a header first.

    `grade`, `rater` and `explanation` are empty, and no model's suggestion is in it. Text that a
    spreadsheet would execute gets a quote before it.

    Raises:
        NotFoundError: no such judging.
    """
    record = await backend.store.judgings.get(backend.tenant, judging_id)

    async def write() -> AsyncIterator[bytes]:
        yield f"{','.join(COLUMNS)}\r\n".encode()
        async for _, row in list_review(backend, record, audit=audit, suggest=False):
            cells = (row.query_id, row.doc_id, row.query, row.text, row.reason.value)
            yield write_rows([(*cells, None, None, None)]).encode()

    return write()


def read_votes(body: bytes) -> list[HumanVote]:
    """Read the rows of a table that have a grade, or `unrateable`; the others wait.

    Columns may stand in any order and be more than are read.

    Raises:
        MalformedTextError: not UTF-8, or quotes that do not match.
        InvalidError: columns are missing, or rows that do not fit.
    """
    read_utf8(body, "table")
    text = io.TextIOWrapper(io.BytesIO(body), encoding="utf-8-sig", newline="")
    reader = csv.DictReader(text, strict=True, restval="")
    if not _REQUIRED.issubset(reader.fieldnames or ()):
        raise InvalidError("The table needs the columns query_id, docid and grade.")
    votes: list[HumanVote] = []
    items: list[ProblemItem] = []
    try:
        for row in reader:
            grade = row["grade"].strip()
            if grade:
                found = _read_row(row, grade)
                if found is None:
                    items.append(_misfit(reader.line_num, grade))
                else:
                    votes.append(found)
    except csv.Error as exc:
        raise MalformedTextError(f"line {reader.line_num} cannot be read: {exc}.") from exc
    if items:
        raise InvalidError("The votes break a rule.", errors=items[:MAX_PROBLEMS])
    if not 0 < len(votes) <= MAX_HUMAN_VOTES:
        raise InvalidError(
            f"The table has {len(votes)} rows with a grade; send 1 to {MAX_HUMAN_VOTES} at once."
        )
    return votes


def _read_row(row: dict[str, str], grade: str) -> HumanVote | None:
    value = UNRATEABLE if grade.lower() == UNRATEABLE else read_grade(grade)
    if value is None or row.get(None):  # type: ignore[call-overload]  # cells without a column
        return None
    return HumanVote(
        query_id=rearm(row["query_id"]),
        doc_id=rearm(row["docid"]),
        grade=value,  # type: ignore[arg-type]  # the constant is the literal
        rater=row.get("rater", "").strip(),
        explanation=row.get("explanation", "").strip(),
    )


def _misfit(line: int, grade: str) -> ProblemItem:
    return ProblemItem(
        pointer="",
        row=line,
        message=f"row {line}: {grade[:200]!r} is no grade, or the row has cells too many",
        fix='Write a whole number, "unrateable", or nothing; quote cells with commas.',
    )
