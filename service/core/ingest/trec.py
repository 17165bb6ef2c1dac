"""Reads a test set from TREC files: topics (texts) and qrels (judgments)."""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from reteval.contract.problems import ProblemItem
from service.core.ingest.grouped import Grouped
from service.core.ingest.located import Located
from service.core.ingest.problems import Problems
from service.core.ingest.shape import BOM
from service.core.ingest.text import read_grade, read_lines, read_utf8

_END: Final = re.compile(r"</(?:top|doc)>", re.IGNORECASE)
_TAG: Final = re.compile(r"</?[a-z]+>", re.IGNORECASE)
_CELL: Final = re.compile(r"[^ \t\r\f\v]+")
_QREL_CELLS: Final = 4


def read_trec(topics: bytes, qrels: bytes) -> Iterator[Located]:
    """Read topics as `id<TAB>text` lines, `<top>` blocks or `<DOC>` blocks, and their qrels.

    Of a block the number and the title are read (the whole text of a `<DOC>`), with runs of
    white space as one space. Qrels are `topic iteration document grade`, separated by any
    blanks; blank lines and lines that begin with `#` are skipped. Topics without judgments
    become queries without judgments. `row` is a line of the topics, `judgment_rows` of the qrels.

    Raises:
        MalformedTextError: a file is not UTF-8.
        InvalidError: lines that do not fit, or that judge an unknown topic.
    """
    problems = Problems()
    found: list[Grouped] = []
    for topic in _topics(topics):
        if isinstance(topic, ProblemItem):
            problems.add([topic])
        else:
            found.append(topic)
    problems.settle()
    _judge(_by_id(found), read_lines(qrels, "qrels"), problems)
    problems.settle()
    for topic in found:
        yield topic.locate()


def _topics(topics: bytes) -> Iterator[Grouped | ProblemItem]:
    if topics.removeprefix(BOM).lstrip().startswith(b"<"):
        return _blocks(read_utf8(topics, "topics"))
    return _lines(topics)


def _lines(topics: bytes) -> Iterator[Grouped | ProblemItem]:
    for row, line in read_lines(topics, "topics"):
        if not line.strip():
            continue
        name, tab, query = line.partition("\t")
        if tab and name.strip():
            yield Grouped(name.strip(), query, row)
        else:
            yield _misfit("topics", row, "no id, tab and text", "Write `id<TAB>text`.")


def _blocks(text: str) -> Iterator[Grouped | ProblemItem]:
    row = 1
    *blocks, rest = _END.split(text)
    for block in blocks:
        start = row + _blank_lines(block)
        row += block.count("\n")
        name = _content(block, "<num>", "Number:") or _content(block, "<docno>", "")
        query = _content(block, "<title>", "Topic:") or _content(block, "</docno>", "")
        if name and query:
            yield Grouped(name, query, start)
        else:
            fix = "Give each <top> a <num> and a <title>, or each <DOC> a <DOCNO> and a text."
            yield _misfit("topics", start, "a block without number or title", fix)
    if rest.strip():
        start = row + _blank_lines(rest)
        yield _misfit("topics", start, "a block that does not end", "End it as it begins.")


def _blank_lines(block: str) -> int:
    return block[: len(block) - len(block.lstrip())].count("\n")


def _content(block: str, tag: str, label: str) -> str:
    begin = re.search(tag, block, re.IGNORECASE)
    if begin is None:
        return ""
    end = _TAG.search(block, begin.end())
    content = block[begin.end() : end.start() if end else len(block)].strip()
    return " ".join(content.removeprefix(label).split())


def _by_id(found: list[Grouped]) -> dict[str, Grouped]:
    # A repeated topic shares the judgments of the first: that it is repeated is its only fault.
    topics: dict[str, Grouped] = {}
    for topic in found:
        topic.share(topics.setdefault(topic.id, topic))
    return topics


def _judge(
    topics: dict[str, Grouped], lines: Iterable[tuple[int, str]], problems: Problems
) -> None:
    for row, line in lines:
        cells = _CELL.findall(line)
        if not cells or cells[0].startswith("#"):
            continue
        grade = read_grade(cells[-1])
        topic = topics.get(cells[0])
        if len(cells) != _QREL_CELLS or grade is None:
            fix = "Write `topic iteration document grade`, the grade a whole number."
            problems.add([_misfit("qrels", row, "not four cells that end in a grade", fix)])
        elif topic is None:
            fix = "Add the topic, or remove its judgments."
            problems.add([_misfit("qrels", row, f"topic {cells[0][:200]!r} is unknown", fix)])
        else:
            topic.add(cells[2], grade, row)
        if problems.full:
            return


def _misfit(file: str, row: int, message: str, fix: str) -> ProblemItem:
    return ProblemItem(pointer="", row=row, message=f"{file} row {row}: {message}", fix=fix)
