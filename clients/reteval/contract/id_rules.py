"""Rules that respell document ids, as data: what may be declared, and what it does to an id.

Nothing here looks at documents or decides which rule fits; a rule is only ever applied where
somebody declared it.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable
from enum import StrEnum
from typing import Annotated, Final
from urllib.parse import unquote

from msgspec import UNSET, Meta, Struct, UnsetType

MAX_OPS: Final = 8
MAX_TEXT: Final = 200
MAX_WIDTH: Final = 64

_BLANK: Final = "\ufeff\u200b\u200c\u200d\u2060"
_LAST_NUMBER: Final = re.compile(r"\d+(?=\D*\Z)", re.ASCII)
_INTEGRAL: Final = re.compile(r"([+-]?\d+)\.0+", re.ASCII)
_EXTENSION: Final = re.compile(r"(?<=[^/\\.])\.[A-Za-z][A-Za-z0-9]{0,4}\Z")
_SCHEME_HOST: Final = re.compile(r"\A(?:[A-Za-z][A-Za-z0-9+.-]*:)?//[^/?#]*")
_UUID: Final = re.compile(r"\{?(?:urn:uuid:)?([0-9a-f]{8}(?:-?[0-9a-f]{4}){3}-?[0-9a-f]{12})\}?")
_WRAPS: Final = {'"': '"', "'": "'", "`": "`", "[": "]", "(": ")", "{": "}", "<": ">"}


class OpName(StrEnum):
    """One way to respell an id; `docs/ids.md` shows an example of each."""

    STRIP = "strip"
    UNWRAP = "unwrap"
    CASEFOLD = "casefold"
    UPPER = "upper"
    NFC = "nfc"
    UNQUOTE = "unquote"
    INT_LIKE = "int_like"
    LSTRIP_ZEROS = "lstrip_zeros"
    ZFILL = "zfill"
    UUID_DASHES = "uuid_dashes"
    UUID_PLAIN = "uuid_plain"
    DROP_EXT = "drop_ext"
    BASENAME = "basename"
    DROP_SCHEME_HOST = "drop_scheme_host"
    DROP_QUERY_FRAGMENT = "drop_query_fragment"
    DROP_TRAILING_SLASH = "drop_trailing_slash"
    STRIP_PREFIX = "strip_prefix"
    STRIP_SUFFIX = "strip_suffix"
    ADD_PREFIX = "add_prefix"
    ADD_SUFFIX = "add_suffix"
    SPLIT = "split"
    BEFORE_LAST = "before_last"


TEXT_OPS: Final = frozenset(
    {
        OpName.STRIP_PREFIX,
        OpName.STRIP_SUFFIX,
        OpName.ADD_PREFIX,
        OpName.ADD_SUFFIX,
        OpName.SPLIT,
        OpName.BEFORE_LAST,
    }
)
"""Operations that take a `text`."""
NUMBER_OPS: Final = frozenset({OpName.ZFILL, OpName.SPLIT})
"""Operations that take an `n`."""
ROLL_UP_OPS: Final = frozenset({OpName.SPLIT, OpName.BEFORE_LAST, OpName.DROP_QUERY_FRAGMENT})
"""Operations that may turn parts of a document into one id."""


class IdOp(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """One step of a rule: `{"op": "zfill", "n": 4}`, `{"op": "split", "text": "#", "n": 0}`.

    `n` is the width of `zfill`, or which part `split` keeps: from 0, or from -1 for the last.
    """

    op: OpName
    text: Annotated[str, Meta(min_length=1, max_length=MAX_TEXT)] | UnsetType = UNSET
    n: Annotated[int, Meta(ge=-MAX_WIDTH, le=MAX_WIDTH)] | UnsetType = UNSET

    def __str__(self) -> str:
        """Return a short spelling for messages: `split('#', 0)`."""
        given = [repr(value) for value in (self.text, self.n) if value is not UNSET]
        return f"{self.op.value}({', '.join(given)})" if given else self.op.value


IdRule = Annotated[tuple[IdOp, ...], Meta(max_length=MAX_OPS)]
"""Operations in the order they are applied."""


def apply_ops(ops: Iterable[IdOp], doc_id: str) -> str:
    """Respell one id; an operation that does not fit the id, or would empty it, leaves it."""
    for op in ops:
        doc_id = _OPERATIONS[op.op](doc_id, op) or doc_id
    return doc_id


def check_op(op: IdOp) -> str:
    """Say what is wrong with an operation; empty where nothing is."""
    if (op.text is not UNSET) is not (op.op in TEXT_OPS):
        return f"{op.op.value!r} {'needs a' if op.op in TEXT_OPS else 'takes no'} `text`"
    if (op.n is not UNSET) is not (op.op in NUMBER_OPS):
        return f"{op.op.value!r} {'needs an' if op.op in NUMBER_OPS else 'takes no'} `n`"
    if op.op is OpName.ZFILL and _number(op) < 1:
        return "the width `n` of 'zfill' is at least 1"
    return ""


def _text(op: IdOp) -> str:
    return op.text or ""


def _number(op: IdOp) -> int:
    return op.n or 0


def _strip(doc_id: str, _op: IdOp) -> str:
    return doc_id.strip().strip(_BLANK).strip()


def _unwrap(doc_id: str, _op: IdOp) -> str:
    wrapped = len(doc_id) > 2 and _WRAPS.get(doc_id[0]) == doc_id[-1]  # noqa: PLR2004 - two marks
    return doc_id[1:-1] if wrapped else doc_id


def _pad(doc_id: str, op: IdOp) -> str:
    return _LAST_NUMBER.sub(lambda found: found[0].zfill(_number(op)), doc_id)


def _unpad(doc_id: str, _op: IdOp) -> str:
    return _LAST_NUMBER.sub(lambda found: found[0].lstrip("0") or "0", doc_id)


def _to_integer(doc_id: str, _op: IdOp) -> str:
    found = _INTEGRAL.fullmatch(doc_id)
    return found[1] if found else doc_id


def _plain_uuid(doc_id: str, _op: IdOp) -> str:
    found = _UUID.fullmatch(doc_id.lower())
    return found[1].replace("-", "") if found else doc_id


def _dashed_uuid(doc_id: str, op: IdOp) -> str:
    found = _UUID.fullmatch(doc_id.lower())
    if not found:
        return doc_id
    plain = _plain_uuid(doc_id, op)
    return "-".join((plain[:8], plain[8:12], plain[12:16], plain[16:20], plain[20:]))


def _basename(doc_id: str, _op: IdOp) -> str:
    return re.split(r"[/\\]", doc_id.rstrip("/\\"))[-1]


def _split(doc_id: str, op: IdOp) -> str:
    parts = doc_id.split(_text(op))
    fits = -len(parts) <= _number(op) < len(parts)
    return parts[_number(op)] if fits else doc_id


_OPERATIONS: Final[dict[OpName, Callable[[str, IdOp], str]]] = {
    OpName.STRIP: _strip,
    OpName.UNWRAP: _unwrap,
    OpName.CASEFOLD: lambda doc_id, _: doc_id.casefold(),
    OpName.UPPER: lambda doc_id, _: doc_id.upper(),
    OpName.NFC: lambda doc_id, _: unicodedata.normalize("NFC", doc_id),
    OpName.UNQUOTE: lambda doc_id, _: unquote(doc_id),
    OpName.INT_LIKE: _to_integer,
    OpName.LSTRIP_ZEROS: _unpad,
    OpName.ZFILL: _pad,
    OpName.UUID_DASHES: _dashed_uuid,
    OpName.UUID_PLAIN: _plain_uuid,
    OpName.DROP_EXT: lambda doc_id, _: _EXTENSION.sub("", doc_id),
    OpName.BASENAME: _basename,
    OpName.DROP_SCHEME_HOST: lambda doc_id, _: _SCHEME_HOST.sub("", doc_id),
    OpName.DROP_QUERY_FRAGMENT: lambda doc_id, _: re.split(r"[?#]", doc_id, maxsplit=1)[0],
    OpName.DROP_TRAILING_SLASH: lambda doc_id, _: doc_id.rstrip("/"),
    OpName.STRIP_PREFIX: lambda doc_id, op: doc_id.removeprefix(_text(op)),
    OpName.STRIP_SUFFIX: lambda doc_id, op: doc_id.removesuffix(_text(op)),
    OpName.ADD_PREFIX: lambda doc_id, op: _text(op) + doc_id,
    OpName.ADD_SUFFIX: lambda doc_id, op: doc_id + _text(op),
    OpName.SPLIT: _split,
    OpName.BEFORE_LAST: lambda doc_id, op: doc_id.rpartition(_text(op))[0],
}
