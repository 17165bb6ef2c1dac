"""How often each query of a log was asked, once spelling, secrets and repeats are set aside."""

from collections import Counter
from collections.abc import Iterable
from typing import Final

from msgspec import Struct

from reteval.contract.limits import MAX_QUERY_BYTES
from reteval.contract.query_samples import MAX_LOG_TEXTS, Drop, SecretKind
from service.core.building.cleaning import clean
from service.core.building.redaction import redact
from service.core.building.rows import LINE, Cells, Row, find_cell
from service.core.ingest.texts import fold
from service.errors import TooLargeError

QUERY_NAMES: Final = ("user_query", LINE, "q")
COUNT_NAMES: Final = ("count", "frequency")
USER_NAMES: Final = ("user", "user_id", "client_id", "session_id")
_NOBODY: Final = ("", "-")
_MOST_DIGITS: Final = 12


class Asked(Struct, frozen=True):
    """A query in its commonest spelling, and how often it was asked in all of them."""

    text: str
    count: int


class Frequencies:
    """Counts what was asked; the texts are looked at once each, when all are known."""

    def __init__(self, *, once_per_user: bool = False) -> None:
        self.lines = 0
        self.dropped: Counter[Drop] = Counter()
        self.redacted: Counter[SecretKind] = Counter()
        self._once_per_user = once_per_user
        self._raw: dict[str, int] = {}
        self._seen: set[int] = set()

    def take(self, rows: Iterable[Row]) -> None:
        """Count rows.

        Raises:
            TooLargeError: too many different texts to hold.
        """
        for row in rows:
            self.lines += 1
            self._count(row.cells)

    def settle(self, *, least: int = 1) -> list[Asked]:
        """Return the queries that were asked `least` times or more, the most frequent first."""
        counts: dict[str, int] = {}
        while self._raw:  # what is looked at is let go
            raw, count = self._raw.popitem()
            if text := self._tidy(raw, count):
                counts[text] = counts.get(text, 0) + count
        asked = _join(counts)
        kept = [one for one in asked if one.count >= least]
        self.dropped[Drop.RARE] += sum(one.count for one in asked) - sum(one.count for one in kept)
        return sorted(kept, key=lambda one: (-one.count, one.text))

    def _count(self, cells: Cells | None) -> None:
        text = find_cell(cells, QUERY_NAMES) if cells is not None else None
        count = None if cells is None else _read_count(find_cell(cells, COUNT_NAMES))
        if cells is None or not isinstance(text, str) or count is None:
            self.dropped[Drop.UNREADABLE] += 1
        elif self._once_per_user and self._is_repeated(find_cell(cells, USER_NAMES), text):
            self.dropped[Drop.REPEATED_BY_USER] += count
        else:
            self._raw[text] = self._raw.get(text, 0) + count
            if len(self._raw) > MAX_LOG_TEXTS:
                raise _too_many("different lines")

    def _is_repeated(self, user: object, text: str) -> bool:
        if user is None or user in _NOBODY:
            return False
        mark = hash((str(user), fold(text)))
        if mark in self._seen:
            return True
        self._seen.add(mark)
        if len(self._seen) > MAX_LOG_TEXTS:
            raise _too_many("users with different queries")
        return False

    def _tidy(self, raw: str, count: int) -> str:
        """Return a text fit to be shown, or nothing, and count what was wrong with it."""
        if len(raw.encode(errors="replace")) > MAX_QUERY_BYTES:
            self.dropped[Drop.TOO_LONG] += count
            return ""
        text, secrets = redact(clean(raw))
        for kind, times in secrets.items():
            self.redacted[kind] += times * count
        if not text:
            self.dropped[Drop.EMPTY] += count
        elif secrets and not _has_words(text):
            self.dropped[Drop.ONLY_SECRETS] += count
            return ""
        return text


def _has_words(text: str) -> bool:
    for kind in SecretKind:
        text = text.replace(f"[{kind}]", " ")
    return bool(fold(text))


def _read_count(cell: object) -> int | None:
    """Read how often a line stands for a search; once, where nothing says more."""
    if cell is None:
        return 1
    text = str(cell).strip()
    return int(text) if text.isdecimal() and len(text) <= _MOST_DIGITS and int(text) else None


def _join(counts: dict[str, int]) -> list[Asked]:
    """Add up texts that differ in spelling only, under the commonest; of several, the first."""
    totals: dict[str, int] = {}
    shown: dict[str, str] = {}
    for text, count in counts.items():
        key = fold(text) or text
        totals[key] = totals.get(key, 0) + count
        before = shown.setdefault(key, text)
        if (-count, text) < (-counts[before], before):
            shown[key] = text
    return [Asked(shown[key], total) for key, total in totals.items()]


def _too_many(what: str) -> TooLargeError:
    return TooLargeError(
        f"The log has over {MAX_LOG_TEXTS:,} {what}: send a shorter stretch of it."
    )
