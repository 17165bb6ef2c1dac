"""Reads the files of one import: finds what each is, and takes them in the order that helps."""

import io
import re
from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import Struct

from reteval.contract.diagnostics import Diagnostic
from reteval.contract.imports import ImportedFile, ImportOptions
from reteval.contract.problems import ProblemItem
from reteval.contract.testsets import TestSetHead
from service.core.ingest.formats.documents import Documents
from service.core.ingest.formats.files import Encoding, File, find_encoding
from service.core.ingest.formats.format import Format, Holds, Likeness, Opened
from service.core.ingest.formats.gathering import Gathering
from service.core.ingest.formats.packed import unpack
from service.core.ingest.formats.registry import find_format, likenesses
from service.core.ingest.formats.rows import Known
from service.core.ingest.formats.sample import Sample
from service.core.ingest.formats.suspicions import suspect
from service.core.ingest.located import Located
from service.errors import InvalidError, ServiceError

_ORDER: Final = (Holds.QUERIES, Holds.BOTH, Holds.JUDGMENTS, Holds.RUN, Holds.CORPUS)
_NOTES: Final = re.compile(
    r"(^|/)(readme|licen[cs]e|notice|changelog)[^/]*$|\.(md|pdf|html?)$", re.IGNORECASE
)
JSON_PART: Final = "json"
"""The part of a file that was said to be JSON."""
_SPLITS: Final = ("train", "dev", "test", "validation", "val")


class _Found(Struct):
    format: Format
    likeness: Likeness
    opened: Opened
    encoding: Encoding


class Import:
    """Files that were read; `located` gives their queries, then `warnings` is complete."""

    def __init__(
        self,
        gathering: Gathering,
        files: tuple[ImportedFile, ...],
        corpora: Sequence[_Found],
        own: tuple[File, str] | None = None,
    ) -> None:
        self.gathering = gathering
        self.files = files
        self.own = own
        self._corpora = corpora
        self._documents = Documents(gathering.scratch if corpora else None)
        self._warnings: tuple[Diagnostic, ...] | None = None

    def settle(self) -> None:
        """Refuse an upload at once of which rows were refused while they were read.

        Raises:
            InvalidError: rows cannot be taken, and none may be skipped.
        """
        self.gathering.ledger.settle()

    def located(self, *, strict: bool = True) -> Iterator[Located]:
        """Give the queries, once; those whose rows were all refused are not among them.

        Raises:
            InvalidError: rows were refused, at the end; if `strict`.
        """
        for item in self.gathering.located():
            if item.query.relevant:
                self._documents.see([str(one.id) for one in item.query.relevant])
            yield item
        if strict:
            self.settle()

    def warnings(self) -> tuple[Diagnostic, ...]:
        """What looks wrong; reads the corpus, if there is one."""
        if self._warnings is None:
            if self._corpora:
                self._documents.check(lambda: _known(self._corpora))
            self._warnings = suspect(self.gathering, self.files, self._documents)
        return self._warnings


def read_import(files: Sequence[File], options: ImportOptions, head: TestSetHead) -> Import:
    """Read all files but the corpus; queries first, since judgments refer to them.

    Raises:
        MalformedTextError, MalformedJsonError, TooLargeError: a file cannot be read.
        InvalidError: the format of a file is not found, or an option cannot be used.
    """
    found = [_find(file, options) for file in unpack(files) if not _NOTES.search(file.name)]
    if not found:
        raise _refusal("there is no file in it", "Send a file with queries and judgments.")
    gathering = Gathering(options, head)
    own = [one for one in found if one.format.read is None]
    if own and len(found) > 1:
        raise _refusal(
            f"{own[0].opened.file.name} is a whole test set of our own form",
            "Send it alone: it holds its judgments.",
        )
    found.sort(key=lambda one: _ORDER.index(one.format.holds) if not own else 0)
    judging = sum(one.format.holds is Holds.JUDGMENTS for one in found)
    described = [_take(one, gathering, judging=judging) for one in found]
    corpora = [one for one in found if one.format.holds is Holds.CORPUS]
    whole = (own[0].opened.file, own[0].format.name) if own else None
    return Import(gathering, tuple(described), corpora, whole)


def _find(file: File, options: ImportOptions) -> _Found:
    encoding = _first_encoding(file)
    sample = Sample(file, encoding.name)
    if file.part == JSON_PART and not sample.is_json:
        _ = sample.document  # says on which line it is none
    if not (sample.is_json or sample.is_parquet):
        encoding = find_encoding(file)
        sample = Sample(file, encoding.name)
    found, likeness = find_format(sample, options)
    return _Found(found, likeness, Opened(file, sample, options), encoding)


def _first_encoding(file: File) -> Encoding:
    start = file.read(2)
    return Encoding("utf-16" if start in (b"\xff\xfe", b"\xfe\xff") else "utf-8")


def _take(found: _Found, gathering: Gathering, *, judging: int) -> ImportedFile:
    before = gathering.ledger.read
    one, opened = found.format, found.opened
    if one.read is not None and one.holds is not Holds.CORPUS:
        split = _split_of(opened.file.name) if judging > 1 else ""
        gathering.take(opened, one.holds, one.read(opened), split)
    return ImportedFile(
        name=opened.file.name,
        format=one.name,
        holds=one.holds,
        sure=found.likeness.sure,
        why=found.likeness.why,
        encoding="utf-8" if found.encoding.name == "utf-8-sig" else found.encoding.name,
        rows=gathering.ledger.read - before,
    )


def _split_of(name: str) -> str:
    stem = name.rpartition("/")[2].partition(".")[0].lower()
    return stem if stem in _SPLITS else ""


def _known(corpora: Sequence[_Found]) -> Iterator[str]:
    for one in corpora:
        for row in one.format.read(one.opened) if one.format.read else ():
            if isinstance(row, Known):
                yield row.id


def _refusal(message: str, fix: str) -> InvalidError:
    item = ProblemItem(pointer="", message=message, fix=fix)
    return InvalidError(f"{message[:1].upper()}{message[1:]}. {fix}", errors=[item])


def are_own_lines(start: bytes) -> bool:
    """Whether lines that begin so are queries of our own form, or of no other."""
    line = start.lstrip().partition(b"\n")[0]
    file = File("lines", lambda: io.BytesIO(line))
    try:
        found = likenesses(Sample(file, "utf-8"))
    except ServiceError:
        return True  # what is wrong with it is told by the reader of our own
    return not found or found[0][0].name == "reteval_jsonl"
