"""Reads a change set: one JSON object, or a table of ratings such as people fill in."""

from collections.abc import Iterator
from typing import Annotated, Final, TypeVar

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType, field

from reteval.contract.problems import ProblemItem
from reteval.contract.testsets import JudgmentSource, Moment, Query, Rater, TestSetHead
from reteval.contract.versions import MAX_NOTE_BYTES, JudgmentChange, QueryId
from service.core.cells import rearm
from service.core.ingest.csv_rows import read_table
from service.core.ingest.edits import Edit, Edits
from service.core.ingest.located import Located
from service.core.ingest.problems import Problems
from service.core.ingest.shape import BOM, decode
from service.core.ingest.text import read_grade
from service.core.texts import check_text
from service.errors import InvalidError

T = TypeVar("T")

_RATED: Final = frozenset({"query_id", "docid", "rating"})
_STATED: Final = frozenset({"rater", "at", "source"})
_SHOWN: Final = frozenset({"query", "value", "runs", "best_rank"})
"""Columns that our list of what to label has for the reader; nothing is read from them."""


class Stated(Struct, frozen=True, kw_only=True):
    """What holds for every row of a table that does not say otherwise."""

    rater: Rater | UnsetType = UNSET
    at: Moment | UnsetType = UNSET
    source: JudgmentSource | UnsetType = UNSET


class _Body(Struct, kw_only=True, forbid_unknown_fields=True):
    # Members stay undecoded until it is their turn, so that each can be told what is wrong.
    note: Annotated[str, Meta(max_length=MAX_NOTE_BYTES)] = ""
    queries: list[msgspec.Raw] = field(default_factory=list)
    remove: list[QueryId] = field(default_factory=list)
    judgments: list[msgspec.Raw] = field(default_factory=list)


def read_changes(body: bytes, head: TestSetHead) -> tuple[str, Edits]:
    """Read a change set of a set with this head: its note, and what is to be different.

    Raises:
        MalformedJsonError: syntax, encoding or depth.
        InvalidError: types, bounds, unknown fields, or changes that contradict each other.
    """
    sent = decode(body.removeprefix(BOM), msgspec.json.Decoder(_Body))
    if isinstance(sent, ProblemItem):
        raise InvalidError(sent.message, errors=[sent])
    edits, problems = Edits(head), Problems()
    problems.add(check_text(sent.note, pointer="/note", max_bytes=MAX_NOTE_BYTES))
    for pointer, query in _decode_all(sent.queries, Query, "/queries", problems):
        edits.put(Located(query=query, pointer=pointer))
    for n, query_id in enumerate(sent.remove):
        edits.remove(query_id, f"/remove/{n}")
    for pointer, change in _decode_all(sent.judgments, JudgmentChange, "/judgments", problems):
        edits.rate(Edit(change=change, pointer=pointer))
    problems.settle()
    edits.problems.settle()
    return sent.note, edits


def read_ratings(body: bytes, head: TestSetHead, stated: Stated) -> Edits:
    """Read rows of `query_id`, `docid` and `rating`, and where there are, `rater`, `at`, `source`.

    Rows without a rating are those nobody rated, and skipped. The list of what to label can be
    sent as it is when it was filled in: its other columns are for the reader, and the quote that
    it puts before what a spreadsheet would execute is taken off.

    Raises:
        MalformedTextError: not UTF-8, or quotes that do not match.
        InvalidError: a header or rows that do not fit.
    """
    names, rows = read_table(body, required=_RATED, known=_RATED | _STATED | _SHOWN)
    edits, problems = Edits(head), Problems()
    for row, cells in rows:
        if len(cells) != len(names):
            message = f"{len(cells)} cells under {len(names)} columns"
            problems.add([_misfit(row, message, "Quote cells that hold the delimiter.")])
        else:
            named = {name: cell.strip() for name, cell in zip(names, cells, strict=True)}
            problems.add(_take(edits, named, row, stated))
        if problems.full:
            break
    problems.settle()
    edits.problems.settle()
    return edits


def _decode_all(
    raws: list[msgspec.Raw], kind: type[T], pointer: str, problems: Problems
) -> Iterator[tuple[str, T]]:
    decoder = msgspec.json.Decoder(kind)
    for n, raw in enumerate(raws):
        found = decode(raw, decoder, pointer=f"{pointer}/{n}")
        if isinstance(found, ProblemItem):
            problems.add([found])
        else:
            yield f"{pointer}/{n}", found


def _take(edits: Edits, named: dict[str, str], row: int, stated: Stated) -> Iterator[ProblemItem]:
    rating = named["rating"]
    if not rating:
        return
    grade = read_grade(rating)
    if grade is None:
        message = f"rating {rating[:200]!r} is no grade"
        yield _misfit(row, message, "Give a whole number, or leave the cell empty.")
        return
    members = {
        "query_id": rearm(named["query_id"]),
        "id": rearm(named["docid"]),
        "grade": grade,
        **msgspec.to_builtins(stated),
        **{name: named[name] for name in _STATED if named.get(name)},
    }
    try:
        change = msgspec.convert(members, JudgmentChange)
    except msgspec.ValidationError as exc:
        yield _misfit(row, str(exc), "Correct the cell.")
    else:
        edits.rate(Edit(change=change, row=row))


def _misfit(row: int, message: str, fix: str) -> ProblemItem:
    return ProblemItem(pointer="", row=row, message=f"row {row}: {message}", fix=fix)
