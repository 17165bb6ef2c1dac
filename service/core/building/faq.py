"""Questions with the documents that answer them, as queries that are known to be answerable."""

import hashlib
from collections import Counter
from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from reteval.contract.problems import ProblemItem
from reteval.contract.testsets import Judgment, Query
from service.core.building.cleaning import clean
from service.core.building.rows import Cells, Row, find_cell
from service.core.ingest.located import Located
from service.core.ingest.problems import Problems
from service.core.ingest.texts import fold

QUESTION_NAMES: Final = ("question", "query")
_ANSWER: Final = "answer"
DOCUMENT_NAMES: Final = ("document", "document_id", "docid", "doc_id", "url", "id")
_SOURCE: Final = "faq"
_HEX: Final = 12


class _Question(Struct):
    # A question with all its rows: documents, and the row of each.
    row: int
    answer: str
    documents: list[str]
    rows: list[int]


def read_faq(rows: Iterator[Row], *, grade: int) -> Iterator[Located]:
    """Read rows of question, answer and document; the document is judged with `grade`.

    A question that stands on several rows has several documents. Questions with one answer are
    one need: they share a `cluster_id`. The answers themselves are not kept.

    Raises:
        InvalidError: rows without question or document, once all were read.
        MalformedTextError: as the rows' reader.
    """
    problems = Problems()
    questions: dict[str, _Question] = {}
    for row in rows:
        if item := _take(row, questions):
            problems.add([item])
        if problems.full:
            break
    problems.settle()
    shared = Counter(question.answer for question in questions.values())
    for text, question in questions.items():
        yield Located(
            query=Query(
                query=text,
                relevant=[Judgment(document, grade) for document in question.documents],
                source=_SOURCE,
                cluster_id=_name_answer(question.answer) if shared[question.answer] > 1 else "",
            ),
            row=question.row,
            judgment_rows=question.rows,
        )


def _take(row: Row, questions: dict[str, _Question]) -> ProblemItem | None:
    if row.cells is None:
        return _misfit(row, "cannot be read", "Write as many cells as columns, or an object.")
    text = clean(_read(row.cells, QUESTION_NAMES))
    document = _read(row.cells, DOCUMENT_NAMES).strip()
    if not text:
        return _misfit(row, "has no question", f"Fill in {' or '.join(QUESTION_NAMES)}.")
    if not document:
        names = ", ".join(DOCUMENT_NAMES)
        return _misfit(row, "has no document", f"Name what answers it in one of {names}.")
    answer = fold(_read(row.cells, (_ANSWER,)))
    question = questions.setdefault(text, _Question(row.number, answer, [], []))
    question.documents.append(document)
    question.rows.append(row.number)
    return None


def _read(cells: Cells, names: tuple[str, ...]) -> str:
    """Return a text, or a number as one; anything else is none."""
    found = find_cell(cells, names)
    return str(found) if isinstance(found, str | int) and not isinstance(found, bool) else ""


def _name_answer(answer: str) -> str:
    return f"answer_{hashlib.sha256(answer.encode()).hexdigest()[:_HEX]}" if answer else ""


def _misfit(row: Row, message: str, fix: str) -> ProblemItem:
    text = f"row {row.number} {message}"
    return ProblemItem(pointer="", row=row.number, message=text, fix=fix)
