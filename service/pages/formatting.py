"""Numbers and moments as people read them; rounding happens here and nowhere before."""

from collections.abc import Callable, Sequence
from typing import Any, Final

import msgspec

UNDEFINED: Final = "\N{EN DASH}"
"""In the place of a number that is not there; the reason stands beside it."""


def score(value: float | None) -> str:
    """Write a value of a metric to three places."""
    return UNDEFINED if value is None else f"{value:.3f}"


def signed(value: float | None) -> str:
    """Write a difference with its sign; a minus is a minus, not a hyphen."""
    return UNDEFINED if value is None else f"{value:+.3f}".replace("-", "\N{MINUS SIGN}")


def interval(ends: Sequence[float] | None) -> str:
    """Write an interval."""
    return UNDEFINED if ends is None else f"[{ends[0]:.3f}, {ends[1]:.3f}]"


def signed_interval(ends: Sequence[float] | None) -> str:
    """Write the interval of a difference."""
    return UNDEFINED if ends is None else f"[{signed(ends[0])}, {signed(ends[1])}]"


def percent(value: float | None) -> str:
    """Write a share."""
    return UNDEFINED if value is None else f"{100 * value:.1f} %"


def count(value: float | None) -> str:
    """Write a whole number in groups of three."""
    return UNDEFINED if value is None else f"{value:,.0f}".replace(",", "\N{NARROW NO-BREAK SPACE}")


def milliseconds(value: float | None) -> str:
    """Write a time that was measured."""
    if value is None:
        return UNDEFINED
    return f"{value:.0f} ms" if value >= 10 else f"{value:.1f} ms"  # noqa: PLR2004 - two digits


def moment(text: str | None) -> str:
    """Write a moment of the API to the minute."""
    return UNDEFINED if not text else f"{text[:10]} {text[11:16]} UTC"


def words(name: str) -> str:
    """Write a name of the API as words."""
    return name.replace("_", " ")


def json(value: Any) -> str:
    """Write a value as JSON to be read and copied."""
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode()


FILTERS: Final[dict[str, Callable[..., Any]]] = {
    "score": score,
    "signed": signed,
    "interval": interval,
    "json": json,
    "signed_interval": signed_interval,
    "percent": percent,
    "count": count,
    "milliseconds": milliseconds,
    "moment": moment,
    "words": words,
}
