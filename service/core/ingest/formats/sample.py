"""What a format is told by: the beginning of a file, as lines, as JSON and as a table's header."""

import codecs
import csv
import json
from functools import cached_property
from typing import Any, Final

import msgspec

from reteval.contract.limits import MAX_DOCUMENT_BYTES
from reteval.contract.problems import ProblemItem
from service.core.ingest.formats.files import File
from service.errors import InvalidError, MalformedJsonError, TooLargeError

_HEAD: Final = 65_536
_LINES: Final = 200
_DELIMITERS: Final = ",;\t|"
PARQUET: Final = b"PAR1"

Document = dict[str, msgspec.Raw] | list[msgspec.Raw]
_DOCUMENT: Final = msgspec.json.Decoder(Document)


class Sample:
    """The first 64 KB of a file in each reading; of JSON that is not lines, all of it."""

    def __init__(self, file: File, encoding: str) -> None:
        self.name = f"{file.part} {file.name}".lower()
        self.part = file.part
        self.encoding = encoding
        self._file = file
        self._start = file.read(_HEAD + 1)

    @property
    def is_parquet(self) -> bool:
        """Whether the file begins as Parquet does."""
        return self._start.startswith(PARQUET)

    @cached_property
    def text(self) -> str:
        """The beginning as text, without a character that the cut halved."""
        decoder = codecs.getincrementaldecoder(self.encoding)(errors="replace")
        return decoder.decode(self._start[:_HEAD]).removeprefix("\ufeff")

    @cached_property
    def lines(self) -> list[str]:
        """Whole lines that are neither blank nor a comment, up to 200."""
        found = self.text.splitlines() if len(self._start) <= _HEAD else self.text.splitlines()[:-1]
        kept = [line for line in found if line.strip() and not line.lstrip().startswith("#")]
        return kept[:_LINES]

    @cached_property
    def cells(self) -> list[list[str]]:
        """Those lines split at blanks."""
        return [line.split() for line in self.lines]

    def share(self, fits: Any) -> float:
        """Tell what share of the lines fits."""
        return sum(map(bool, map(fits, self.cells))) / len(self.cells) if self.cells else 0.0

    @cached_property
    def delimiter(self) -> str:
        """What most likely separates the cells of the first line."""
        first = self.lines[0] if self.lines else ""
        return max(_DELIMITERS, key=lambda one: (len(_split(first, one)), -_DELIMITERS.index(one)))

    @cached_property
    def header(self) -> list[str]:
        """The cells of the first line, in lower case."""
        if not self.lines or self.is_json:
            return []
        return [cell.strip().lower() for cell in _split(self.lines[0], self.delimiter)]

    @property
    def is_json(self) -> bool:
        """Whether it begins as an object or an array."""
        return self.text.lstrip()[:1] in ("{", "[") and not self.is_parquet

    @cached_property
    def is_lines(self) -> bool:
        """Whether its first line is a JSON object of its own, and another follows."""
        if not self.is_json or len(self.lines) < 2 or not self.lines[1].lstrip().startswith("{"):  # noqa: PLR2004
            return False
        return isinstance(_whole(self.lines[0]), dict)

    @cached_property
    def document(self) -> Document:
        """The whole file as one JSON value, its members undecoded.

        Raises:
            MalformedJsonError: it is none; the line is named.
            InvalidError: it is neither object nor array.
            TooLargeError: it is too long to be held whole.
        """
        body = self._file.read(MAX_DOCUMENT_BYTES + 1)
        if len(body) > MAX_DOCUMENT_BYTES:
            raise TooLargeError(
                f"{self._file.name} is one JSON value of over {MAX_DOCUMENT_BYTES:,} bytes: "
                "write an object a line."
            )
        body = body.removeprefix(codecs.BOM_UTF8)
        try:
            body.decode()  # what stays undecoded is not checked by the next line
            return _DOCUMENT.decode(body)
        except msgspec.ValidationError as exc:
            item = ProblemItem(
                pointer="",
                message=f"{self._file.name}: {exc}",
                fix="Send an object, or an array of objects.",
            )
            raise InvalidError(f"{item.message}. {item.fix}", errors=[item]) from exc
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as exc:
            raise MalformedJsonError(
                f"{self._file.name}{_line_of(body)}: {exc}. Send complete JSON in UTF-8."
            ) from exc

    @cached_property
    def record(self) -> dict[str, Any]:
        """The first object: of the lines, or of an array; else the whole object's own keys."""
        if not self.is_json:
            return {}
        if self.is_lines:
            return dict(_whole(self.lines[0]))
        if isinstance(self.document, dict):
            return self.first_of("")
        return _as_object(self.document[0]) if self.document else {}

    def first_of(self, path: str) -> dict[str, Any]:
        """The first object of the list under `path` in a document, or the document itself."""
        if self.is_lines or not isinstance(self.document, dict):
            return self.record if not path else {}
        if not path:
            return {
                name: _peek(raw) if len(memoryview(raw)) <= _HEAD else None
                for name, raw in self.document.items()
            }
        raw = self.document.get(path)
        rows = _as_list(raw) if raw is not None else []
        return _as_object(rows[0]) if rows else {}


def _split(line: str, delimiter: str) -> list[str]:
    try:
        return next(csv.reader([line], delimiter=delimiter), [])
    except csv.Error:
        return [line]


def _whole(line: str) -> Any:
    try:
        return msgspec.json.decode(line)
    except (msgspec.DecodeError, RecursionError, UnicodeError):
        return None


def _peek(raw: msgspec.Raw) -> Any:
    try:
        return msgspec.json.decode(raw)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return None


def _as_list(raw: msgspec.Raw) -> list[msgspec.Raw]:
    try:
        return msgspec.json.decode(raw, type=list[msgspec.Raw])
    except (msgspec.DecodeError, RecursionError):
        return []


def _as_object(raw: msgspec.Raw) -> dict[str, Any]:
    found = _peek(raw)
    return found if isinstance(found, dict) else {}


def _line_of(body: bytes) -> str:
    """Say on which line JSON ends to be JSON; the standard reader knows, ours does not."""
    try:
        json.loads(body)
    except json.JSONDecodeError as exc:
        return f" line {exc.lineno}"
    except (UnicodeDecodeError, RecursionError) as exc:
        start = exc.start if isinstance(exc, UnicodeDecodeError) else 0
        line = body.count(b"\n", 0, start) + 1
        return f" line {line}"
    return ""
