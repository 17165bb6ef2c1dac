"""Reads JSON by its layout: an array, a member of a document, or an object a line."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, Final

import msgspec

from service.core.ingest.formats.format import Format, Likeness, Opened, certain
from service.core.ingest.formats.layout import Layout, Paths, Shape
from service.core.ingest.formats.layouts import SHAPES
from service.core.ingest.formats.rows import Asked, Misfit, Raw, Row, Vote
from service.core.ingest.formats.sample import Sample

_RECORD: Final = msgspec.json.Decoder(dict[str, Any])
_SUCCESS: Final = ("ok", "success", "succeeded", "completed", "parsed", None)
_FIX: Final = "Send the file as its tool wrote it."


def find_record_shape(sample: Sample) -> tuple[Shape, str] | None:
    """The shape whose layout the first record has, and where the records stand."""
    if not sample.is_json:
        return None
    for shape in SHAPES:
        for layout in shape.layouts:
            for under in ("", *layout.under):
                if (record := sample.first_of(under)) and layout.fits(record):
                    return shape, under
    return None


def _detect(shape: Shape, sample: Sample) -> Likeness | None:
    found = find_record_shape(sample)
    if found is None or found[0] is not shape:
        return None
    where = f"the records under {found[1]!r}" if found[1] else "its records"
    fitting = next(one for one in shape.layouts if one.fits(sample.first_of(found[1])))
    return certain(f"{where} have {', '.join(sorted(fitting.keys))}")


def _read(shape: Shape, opened: Opened) -> Iterator[Row]:
    for under, raws in lists_of(opened.sample, opened, shape.layouts):
        layout: Layout | None = None
        for at, raw in raws:
            record = _decode(raw)
            if isinstance(record, str):
                yield Misfit(at, "bad_record", record, _FIX)
                continue
            if layout is None or not layout.fits(record):
                layout = next((one for one in shape.layouts if one.fits(record)), layout)
            if layout is None or not layout.fits(record):
                lacks = sorted((layout or shape.layouts[0]).keys - set(record))
                message = f"the record lacks {', '.join(lacks) or 'what its format needs'}"
                yield Misfit(at, "bad_record", message, _FIX)
                continue
            opened.pointer = _pointer(under, layout) if not opened.sample.is_lines else ""
            yield from read_record(layout, record, at)


def _pointer(under: str, layout: Layout) -> str:
    inside = f"/{layout.judgments}/{{member}}" if layout.judgments else ""
    return (f"/{under}" if under else "") + "/{at}" + inside


def lists_of(
    sample: Sample, opened: Opened, layouts: tuple[Layout, ...]
) -> Iterator[tuple[str, Iterable[tuple[int, bytes | msgspec.Raw]]]]:
    """Yield each list of records, under its name."""
    if sample.is_lines:
        yield "", lines_of(opened)
    elif isinstance(sample.document, list):
        yield "", enumerate(sample.document, 1)
    else:
        found = False
        for under in dict.fromkeys(name for layout in layouts for name in layout.under):
            raw = sample.document.get(under)
            if raw is not None and sample.first_of(under):
                found = True
                yield under, enumerate(msgspec.json.decode(raw, type=list[msgspec.Raw]), 1)
        if not found:
            yield "", [(1, opened.file.read(1 << 30).removeprefix(b"\xef\xbb\xbf"))]


def lines_of(opened: Opened) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of a file that are not blank."""
    with opened.file.open() as stream:
        for at, line in enumerate(stream, 1):
            clean = line.removeprefix(b"\xef\xbb\xbf") if at == 1 else line
            if clean.strip():
                yield at, clean


def _decode(raw: bytes | msgspec.Raw) -> dict[str, Any] | str:
    try:
        return _RECORD.decode(raw)
    except msgspec.ValidationError:
        return "the record is no object"
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as exc:
        return f"the record is no JSON: {exc}"


def read_record(layout: Layout, record: dict[str, Any], at: int) -> Iterator[Row]:
    """Yield the query and the votes of a record."""
    text, name = _text(record, layout.query), _text(record, layout.id)
    if not (text or name):
        yield Misfit(at, "not_a_query", "the record has no text of a query", _FIX)
        return
    need = _text(record, layout.need)
    if layout.query:
        yield Asked(
            name,
            text,
            at,
            need=need,
            split=_text(record, layout.split),
            source=_text(record, layout.source),
            tags=tuple(flatten(find(record, layout.tags))),
        )
    if layout.documents:
        for document in flatten(find(record, layout.documents)):
            yield Vote(name, text, document, 1, at)
    elif layout.judgments:
        yield from _votes(layout, record, (name, text), at)
    elif layout.document:
        known = text if layout.query else None
        yield _vote(layout, record, record, (name, known), at, 0)


def _votes(
    layout: Layout, record: dict[str, Any], query: tuple[str, str | None], at: int
) -> Iterator[Row]:
    judgments = record.get(layout.judgments)
    if judgments is None:
        judgments = record.get("scores", [])
    if isinstance(judgments, dict):
        yield from _rated(judgments, query, at)
        return
    if not isinstance(judgments, list):
        message = f"{layout.judgments} is no list"
        yield Misfit(at, "bad_record", message, _FIX)
        return
    for member, judgment in enumerate(judgments, 1):
        if isinstance(judgment, dict):
            yield _vote(layout, judgment, record, query, at, member)
        else:
            yield Misfit(at, "bad_record", "the judgment is no object", _FIX, member)
    failures = record.get(layout.failed) if layout.failed else None
    for failure in failures if isinstance(failures, list) else ():
        if isinstance(failure, dict):
            yield Vote(*query, _text(failure, layout.document), None, at)


def _rated(grades: dict[str, Any], query: tuple[str, str | None], at: int) -> Iterator[Row]:
    """Read `{document: grade}`."""
    for document, grade in grades.items():
        if isinstance(grade, (dict, list, bool)):
            message = f"the grade of {document[:200]!r} is no number"
            yield Misfit(at, "not_a_judgment", message, _FIX)
        else:
            yield Vote(*query, document, _raw(grade), at)


def _vote(
    layout: Layout,
    judgment: dict[str, Any],
    record: dict[str, Any],
    query: tuple[str, str | None],
    at: int,
    member: int,
) -> Row:
    document = _text(judgment, layout.document) or _text(record, layout.document)
    if not document:
        return Misfit(at, "not_a_judgment", "the judgment names no document", _FIX, member)
    grade = find(judgment, layout.grade)
    if isinstance(grade, (dict, list, bool)):
        return Misfit(at, "not_a_judgment", "the grade is no number", _FIX, member)
    if judgment.get("result_status") not in _SUCCESS:
        grade = None
    rater = _text(judgment, layout.rater)
    return Vote(*query, document, _raw(grade), at, member, rater)


def _raw(grade: Any) -> Raw:
    return grade if isinstance(grade, (str, int, float)) else None


def find(record: Any, paths: Paths) -> Any:
    """What the first path leads to that leads to something."""
    for path in paths:
        found: Any = record
        for step in path.split("."):
            found = found.get(step) if isinstance(found, dict) else None
        if found is not None:
            return found
    return None


def _text(record: Any, paths: Paths) -> str:
    for path in paths:
        found = find(record, (path,))
        if isinstance(found, str):
            return found
        if isinstance(found, int) and not isinstance(found, bool):
            return str(found)
    return ""


def flatten(value: Any) -> Iterator[str]:
    """Yield the texts of a value, of nested lists, or the ids of objects in them."""
    pending = [value]
    while pending:
        one = pending.pop(0)
        if isinstance(one, list):
            pending[:0] = one
        elif isinstance(one, dict):
            pending[:0] = [one.get("id", one.get("doc_id"))]
        elif isinstance(one, (str, int)) and not isinstance(one, bool) and one != "":
            yield str(one)


def _format(shape: Shape) -> Format:
    detect: Callable[[Sample], Likeness | None] = partial(_detect, shape)
    return Format(
        name=shape.name,
        holds=shape.holds,
        about=shape.about,
        example=shape.example,
        detect=detect,
        read=partial(_read, shape),
    )


FORMATS: Final = tuple(map(_format, SHAPES))
