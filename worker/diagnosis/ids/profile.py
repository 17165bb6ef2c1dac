"""What the ids of one side look like: lengths, shapes, common ends, traits."""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final

from reteval.contract.probes import IdProfile

_SHOWN_SHAPES: Final = 5
_MAX_SHAPE: Final = 60
_MAX_END: Final = 80
_LETTERS: Final = re.compile(r"[^\W\d_]+")
_DIGIT: Final = re.compile(r"\d")
_HEAD: Final = re.compile(r"\A(?:[^\W\d_]*[^\w\s]|[^\W\d_]+[-_]?)+", re.ASCII)
_TAIL: Final = re.compile(r"(?:[^\w\s][^\W\d_]*|_[^\W\d_]+)+\Z", re.ASCII)
_MOST: Final = 0.5
_MIN_BASE64: Final = 16

_UUID: Final = re.compile(r"\{?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\}?", re.IGNORECASE)
_HEX: Final = re.compile(r"[0-9a-f]{16,}", re.IGNORECASE)
_BASE64: Final = re.compile(r"[A-Za-z0-9+/_-]{16,}={0,2}")

TRAITS: Final[dict[str, Callable[[str], bool]]] = {
    "white_space": lambda text: text != text.strip() or " " in text,
    "digits_only": str.isdigit,
    "zero_padded": lambda text: bool(re.search(r"(?<!\d)0\d+", text)),
    "decimal": lambda text: bool(re.fullmatch(r"[+-]?\d+\.0+", text)),
    "upper_case": lambda text: text != text.lower(),
    "lower_case": lambda text: text != text.upper(),
    "uuid": lambda text: bool(_UUID.fullmatch(text)),
    "hex": lambda text: bool(_HEX.fullmatch(text)),
    "base64_like": lambda text: (
        bool(_BASE64.fullmatch(text))
        and bool(re.search(r"[a-z]", text))
        and bool(re.search(r"[A-Z]", text))
        and bool(re.search(r"\d", text))
    ),
    "url": lambda text: "://" in text,
    "path": lambda text: "/" in text or "\\" in text,
    "extension": lambda text: bool(re.search(r"\.[A-Za-z][A-Za-z0-9]{0,4}\Z", text)),
    "query_or_fragment": lambda text: "?" in text or "#" in text,
    "trailing_slash": lambda text: text.endswith("/"),
    "percent_escapes": lambda text: bool(re.search(r"%[0-9A-Fa-f]{2}", text)),
    "not_nfc": lambda text: not unicodedata.is_normalized("NFC", text),
}


def profile(ids: Sequence[str]) -> IdProfile | None:
    """Describe different ids; None where there are none."""
    if not ids:
        return None
    lengths = [len(text) for text in ids]
    traits = {name: sum(map(has, ids)) for name, has in TRAITS.items()}
    shapes = Counter(shape(text) for text in ids)
    return IdProfile(
        ids=len(ids),
        shortest=min(lengths),
        longest=max(lengths),
        prefix=common_prefix(ids)[:_MAX_END],
        suffix=common_suffix(ids)[-_MAX_END:],
        shapes=dict(shapes.most_common(_SHOWN_SHAPES)),
        traits={name: n for name, n in traits.items() if n},
    )


def shape(text: str) -> str:
    """Return the pattern of an id: `CACM-0756` is `A-9999`, `42#intro` is `99#a`."""
    letters = _LETTERS.sub(lambda found: "A" if found[0].isupper() else "a", text)
    return _DIGIT.sub("9", letters)[:_MAX_SHAPE]


def common_prefix(ids: Sequence[str]) -> str:
    """Return what every id begins with, not cutting a number in two; empty for a single id."""
    if len(ids) < 2:  # noqa: PLR2004 - one id has nothing in common with others
        return ""
    first, last = min(ids), max(ids)
    differing = (at for at, (a, b) in enumerate(zip(first, last, strict=False)) if a != b)
    shared = first[: next(differing, min(len(first), len(last)))]
    return re.sub(r"\d+\Z", "", shared) if any(text != shared for text in ids) else ""


def common_suffix(ids: Sequence[str]) -> str:
    """Return what every id ends with, not cutting a number in two; empty for a single id."""
    return common_prefix([text[::-1] for text in ids])[::-1]


def likely_prefixes(ids: Sequence[str]) -> list[str]:
    """Return texts that all or most ids begin with, longest common one first."""
    heads = Counter(found[0] for text in ids if (found := _HEAD.match(text)))
    return _ends(common_prefix(ids), heads, len(ids))


def likely_suffixes(ids: Sequence[str]) -> list[str]:
    """Return texts that all or most ids end with, longest common one first."""
    tails = Counter(found[0] for text in ids if (found := _TAIL.search(text)))
    return _ends(common_suffix(ids), tails, len(ids))


def _ends(common: str, counted: Counter[str], total: int) -> list[str]:
    frequent = [end for end, n in counted.most_common(2) if n >= _MOST * total]
    return list(dict.fromkeys(end for end in (common, *frequent) if end and len(end) <= _MAX_END))
