"""Formats whose every line is a judgment, cells apart by blanks: TREC, SMART and RankLib."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from service.core.ingest.formats.format import (
    Format,
    Holds,
    Likeness,
    Opened,
    grade_lines,
    likely,
    refuse_run,
)
from service.core.ingest.formats.rows import Misfit, Row, Vote
from service.core.ingest.formats.sample import Sample

_WHOLE: Final = re.compile(r"[+-]?\d{1,9}(?:\.0+)?")
_DECIMAL: Final = re.compile(r"[+-]?\d*\.\d+(?:[eE][+-]?\d+)?")
_NUMBER: Final = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_RANKLIB: Final = re.compile(
    r"(?P<grade>\S+)\s+qid:(?P<qid>\S+)(?:\s+\d+:\S+)*\s*#\s*(?P<doc>\S+)\s*(?P<text>.*)"
)
_BLANKS: Final = " \t\r\n\f\v"
_CELL: Final = re.compile(r"[^ \t\r\n\f\v]+")
_TREC_CELLS, _SMART_CELLS, _RUN_CELLS, _PREFERENCE_CELLS = 4, 3, 6, 5


def fits_qrels(cells: Sequence[str]) -> bool:
    """Whether a line is `query iteration document grade`."""
    return len(cells) == _TREC_CELLS and bool(_WHOLE.fullmatch(cells[3])) and not fits_rel(cells)


def fits_rel(cells: Sequence[str]) -> bool:
    """Whether a line is SMART's `query document 0 0.000000`."""
    return (
        len(cells) == _TREC_CELLS
        and cells[0].isdecimal()
        and cells[1].isdecimal()
        and cells[2] == "0"
        and bool(_DECIMAL.fullmatch(cells[3]))
    )


def fits_run(cells: Sequence[str]) -> bool:
    """Whether a line is `query Q0 document rank score tag`, also without its query."""
    if len(cells) == _RUN_CELLS - 1 and cells[0] == "Q0":
        cells = ("", *cells)
    return len(cells) == _RUN_CELLS and bool(
        _WHOLE.fullmatch(cells[3]) and _NUMBER.fullmatch(cells[4])
    )


def _detect_preferences(sample: Sample) -> Likeness | None:
    if sample.is_json or sample.is_parquet:
        return None
    fitting = sample.share(lambda cells: len(cells) == _PREFERENCE_CELLS and _is_number(cells[-1]))
    return likely(f"lines are `{_PREFERENCES_FORM}`") if fitting == 1 else None


def _is_number(cell: str) -> bool:
    return bool(_NUMBER.fullmatch(cell))


def _refuse_preferences(_: Opened) -> Iterator[Row]:
    message = "the file holds preferences, which order documents inside a group, not grades"
    fix = f"Send `{_FORM}`; where a query has one group, its preference may be the grade."
    yield Misfit(1, "is_preferences", message, fix)


def fits_smart(cells: Sequence[str]) -> bool:
    """Whether a line is `query document grade`, all numbers."""
    return len(cells) == _SMART_CELLS and all(_WHOLE.fullmatch(cell) for cell in cells)


def _detect(fits: Callable[[Sequence[str]], bool], why: str) -> Callable[[Sample], Likeness | None]:
    def detect(sample: Sample) -> Likeness | None:
        if sample.is_json or sample.is_parquet:
            return None
        return grade_lines(sample.share(fits), why)

    return detect


def _read(
    cells_wanted: int, place: Callable[[list[str]], tuple[str, str, str]], form: str
) -> Callable[[Opened], Iterator[Row]]:
    def read(opened: Opened) -> Iterator[Row]:
        with opened.file.text(opened.sample.encoding) as stream:
            for at, line in enumerate(stream, 1):
                cells = line.split() if line.isascii() else _CELL.findall(line)
                if len(cells) != cells_wanted or cells[0][0] == "#":
                    if cells and cells[0][0] != "#":
                        yield _not_cells(at, len(cells), cells_wanted, form)
                    continue
                query, document, grade = place(cells)
                yield Vote(query, None, document, grade, at)

    return read


def _not_cells(at: int, found: int, wanted: int, form: str) -> Misfit:
    return Misfit(at, "not_a_judgment", f"{found} cells instead of {wanted}", f"Write `{form}`.")


def _detect_ranklib(sample: Sample) -> Likeness | None:
    if sample.is_json:
        return None
    fitting = [line for line in sample.lines if _RANKLIB.match(line.strip())]
    return grade_lines(
        len(fitting) / max(1, len(sample.lines)), "lines are `grade qid:N … # document text`"
    )


def _read_ranklib(opened: Opened) -> Iterator[Row]:
    with opened.file.text(opened.sample.encoding) as stream:
        for at, line in enumerate(stream, 1):
            found = _RANKLIB.match(line.strip(_BLANKS))
            if found:
                yield Vote(found["qid"], found["text"] or None, found["doc"], found["grade"], at)
            elif line.strip() and not line.startswith("#"):
                message = "the line has no grade, qid: and `# document text`"
                yield Misfit(at, "not_a_judgment", message, "Write `3 qid:7 # doc1 red shoes`.")


_FORM: Final = "query iteration document grade"
_SMART_FORM: Final = "query document grade"
_PREFERENCES_FORM: Final = "query group subgroup document preference"

FORMATS: Final = (
    Format(
        name="trec_qrels",
        holds=Holds.JUDGMENTS,
        about="TREC qrels, as trec_eval, ir_measures and MS MARCO have them; any blanks, comments",
        example="q1 0 doc7 2",
        detect=_detect(fits_qrels, f"lines are `{_FORM}`"),
        read=_read(_TREC_CELLS, lambda cells: (cells[0], cells[2], cells[3]), _FORM),
    ),
    Format(
        name="smart_rel",
        holds=Holds.JUDGMENTS,
        about="SMART relevance pairs (CISI, ADI, CACM): each is grade 1",
        example="1 28 0 0.000000",
        detect=_detect(fits_rel, "lines are `query document 0 0.000000`"),
        read=_read(_TREC_CELLS, lambda cells: (cells[0], cells[1], "1"), "query document 0 0.0"),
    ),
    Format(
        name="smart_qrels",
        holds=Holds.JUDGMENTS,
        about="three columns of numbers, as Cranfield's cranqrel",
        example="1 184 2",
        detect=_detect(fits_smart, f"lines are `{_SMART_FORM}`, all numbers"),
        read=_read(_SMART_CELLS, lambda cells: (cells[0], cells[1], cells[2]), _SMART_FORM),
    ),
    Format(
        name="ranklib",
        holds=Holds.BOTH,
        about="learning to rank: `grade qid:N features # document text`; features are not read",
        example="3 qid:7 1:0.5 # doc1 red shoes",
        detect=_detect_ranklib,
        read=_read_ranklib,
    ),
    Format(
        name="trec_prefs",
        holds=Holds.JUDGMENTS,
        about="preferences of trec_eval, which are no grades, and are named as such here",
        example="q1 A A1 doc7 2",
        detect=_detect_preferences,
        read=_refuse_preferences,
    ),
    Format(
        name="trec_run",
        holds=Holds.RUN,
        about="a TREC run; goes to POST /v1/rankings, and is named as such here",
        example="q1 Q0 doc7 1 12.5 bm25",
        detect=_detect(fits_run, "lines are `query Q0 document rank score tag`"),
        read=refuse_run,
    ),
)
