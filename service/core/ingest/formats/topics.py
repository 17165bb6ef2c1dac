"""Queries in the layouts of retrieval experiments: lines, `<top>` and `<DOC>` blocks, SMART."""

import re
from collections.abc import Callable, Iterator
from typing import Final

from service.core.ingest.formats.format import Format, Holds, Likeness, Opened, certain, likely
from service.core.ingest.formats.lines import fits_qrels, fits_rel, fits_run
from service.core.ingest.formats.rows import Asked, Misfit, Row
from service.core.ingest.formats.sample import Sample
from service.core.ingest.formats.tables import find_table

_TAG: Final = re.compile(r"</?[a-z]+>", re.IGNORECASE)
_END: Final = re.compile(r"</(?:top|doc)>", re.IGNORECASE)
_HALF: Final = 0.5
_BLOCK_BYTES: Final = 1_000_000


def _begins(mark: str, why: str) -> Callable[[Sample], Likeness | None]:
    def detect(sample: Sample) -> Likeness | None:
        return certain(why) if sample.text.lstrip().lower().startswith(mark) else None

    return detect


def _detect_lines(sample: Sample) -> Likeness | None:
    if sample.is_json or sample.is_parquet or not sample.lines or find_table(sample.header):
        return None
    told = sample.part in ("topics", "queries")
    if not told and any(sample.share(fits) >= _HALF for fits in (fits_qrels, fits_rel, fits_run)):
        return None
    fitting = sum(_fits(line) for line in sample.lines) / len(sample.lines)
    if fitting == 1:
        return certain("lines are id, tab and text")
    if fitting >= _HALF:
        return likely(f"id, tab and text on {fitting:.0%} of the first lines")
    return None


def _fits(line: str) -> bool:
    name, tab, _ = line.partition("\t")
    return (
        bool(tab)
        and len(name.split()) == 1
        and not name.lstrip().startswith(("<top", "<doc", ".I "))
    )


def _read_lines(opened: Opened) -> Iterator[Row]:
    with opened.file.text(opened.sample.encoding) as stream:
        for at, line in enumerate(stream, 1):
            name, tab, query = line.rstrip("\r\n").partition("\t")
            if tab and name.strip():
                yield Asked(name.strip(), query, at)
            elif line.strip():
                yield Misfit(at, "not_a_query", "no id, tab and text", "Write `id<TAB>text`.")


def _read_blocks(opened: Opened) -> Iterator[Row]:
    with opened.file.text(opened.sample.encoding) as stream:
        start, block = 1, ""
        for at, line in enumerate(stream, 1):
            if not block.strip():
                start, block = at, ""
            block += line
            *whole, block = _END.split(block)
            for one in whole:
                yield _read_block(one, start)
                start = at
            if len(block) > _BLOCK_BYTES:
                break
        if block.strip():
            message, fix = "a block that does not end", "End it as it begins."
            yield Misfit(start, "not_a_query", message, fix)


def _read_block(block: str, at: int) -> Row:
    name = _content(block, "<num>", "Number:") or _content(block, "<docno>", "")
    query = _content(block, "<title>", "Topic:") or _content(block, "</docno>", "")
    if not (name and query):
        fix = "Give each <top> a <num> and a <title>, or each <DOC> a <DOCNO> and a text."
        return Misfit(at, "not_a_query", "a block without number or title", fix)
    need = _content(block, "<desc>", "Description:")
    return Asked(name, query, at, need=need)


def _content(block: str, tag: str, label: str) -> str:
    begin = re.search(tag, block, re.IGNORECASE)
    if begin is None:
        return ""
    end = _TAG.search(block, begin.end())
    content = block[begin.end() : end.start() if end else len(block)].strip()
    return " ".join(content.removeprefix(label).split())


def _detect_smart(sample: Sample) -> Likeness | None:
    marks = [line[:2] for line in sample.lines if line.startswith(".")]
    if marks[:1] != [".I"] or not sample.lines[0].startswith(".I"):
        return None
    if marks[1:2] != [".W"] or sample.part == "corpus":
        return None
    return certain("records begin with .I, and their texts with .W")


def read_records(opened: Opened) -> Iterator[tuple[int, str, str]]:
    """Yield line, number and text (`.W`) of each record of a SMART file."""
    with opened.file.text(opened.sample.encoding) as stream:
        start, name, mark = 0, "", ""
        text: list[str] = []
        for at, line in enumerate(stream, 1):
            if line.startswith(".I"):
                if start:
                    yield start, name, " ".join(" ".join(text).split())
                start, name, mark, text = at, line[2:].strip(), ".I", []
            elif line[:1] == "." and line[1:].strip() in ("T", "A", "W", "B", "X", "N", "K", "C"):
                mark = line[:2]
            elif mark == ".W":
                text.append(line)
        if start:
            yield start, name, " ".join(" ".join(text).split())


def _read_smart(opened: Opened) -> Iterator[Row]:
    for at, name, text in read_records(opened):
        if name and text:
            yield Asked(name, text, at)
        else:
            fix = "Write `.I number`, `.W`, then the text."
            yield Misfit(at, "not_a_query", "a record without number or text", fix)


FORMATS: Final = (
    Format(
        name="topics_tsv",
        holds=Holds.QUERIES,
        about="a query a line: id, tab, text",
        example="q1\tred shoes",
        detect=_detect_lines,
        read=_read_lines,
    ),
    Format(
        name="topics_trec",
        holds=Holds.QUERIES,
        about="TREC topics; the title is the query, the description its information need",
        example="<top>\n<num> Number: 1\n<title> red shoes\n</top>",
        detect=_begins("<top", "it begins with <top>"),
        read=_read_blocks,
    ),
    Format(
        name="topics_doc",
        holds=Holds.QUERIES,
        about="topics as documents, the whole text the query",
        example="<DOC>\n<DOCNO> 1 </DOCNO>\nred shoes\n</DOC>",
        detect=_begins("<doc>", "it begins with <DOC>"),
        read=_read_blocks,
    ),
    Format(
        name="topics_smart",
        holds=Holds.QUERIES,
        about="SMART queries, as Cranfield's cran.qry",
        example=".I 1\n.W\nred shoes",
        detect=_detect_smart,
        read=_read_smart,
    ),
)
