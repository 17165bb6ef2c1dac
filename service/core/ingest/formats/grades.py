"""Turns grades as they are written into ours: whole numbers, by a map where they are others."""

import math
import re
from typing import Final

from msgspec import Struct

from reteval.contract import limits
from reteval.contract.imports import ImportOptions, Negatives
from reteval.contract.problems import ProblemItem
from service.core.ingest.formats.rows import Raw
from service.errors import InvalidError

_WHOLE: Final = re.compile(r"[+-]?\d{1,9}(?:\.0+)?")
_ECHO: Final = 40
_FORM: Final = "Write label:grade by comma, E:3,S:2,C:1,I:0, or cuts, >=0.75:3,>=0.5:2,>=0.25:1."
UNRATED: Final = "unrated"
_BLANK: Final = ("", "null", "none", "nan", "na", "n/a")


class Flaw(Struct, frozen=True):
    """Why a grade cannot be taken."""

    reason: str
    message: str
    fix: str


class Grades:
    """Reads grades under the options of one import; each way of writing is worked out once."""

    def __init__(self, options: ImportOptions, most: int) -> None:
        self._labels, self._cuts = _read_map(options.grades)
        self._reverse = _read_reverse(options.reverse)
        self._negatives = options.negatives
        self._most = most
        self.known: dict[Raw, int | str | Flaw] = {}

    def read(self, raw: Raw) -> int | str | Flaw:
        """A grade, `UNRATED` where there is none, or what is wrong with it."""
        found = self.known.get(raw)
        if found is None:
            found = self._bounded(self._work_out(raw))
            if len(self.known) < 10_000:  # noqa: PLR2004 - of probabilities there are more
                self.known[raw] = found
        return found

    def _work_out(self, raw: Raw) -> int | str | Flaw:
        text = "" if raw is None else str(raw).strip()
        if text.lower() in _BLANK and text not in self._labels:
            return UNRATED
        if self._labels or self._cuts:
            return self._mapped(text)
        if not _WHOLE.fullmatch(text):
            fix = f"Say what it is worth with grades=…: {_FORM}"
            return Flaw("not_a_grade", f"rating {text[:_ECHO]!r} is no whole number", fix)
        return self._placed(int(float(text)))

    def _mapped(self, text: str) -> int | Flaw:
        number = _number(text)
        plain = str(int(number)) if number is not None and number.is_integer() else text
        for label in (text, plain):
            if label in self._labels:
                return self._labels[label]
        if self._cuts and number is not None:
            return next((grade for least, grade in self._cuts if number >= least), 0)
        return Flaw("unmapped_grade", f"grades has nothing for {text[:_ECHO]!r}", _FORM)

    def _placed(self, grade: int) -> int | str | Flaw:
        if self._reverse and min(self._reverse) <= grade <= max(self._reverse):
            return sum(self._reverse) - grade
        if grade >= 0:
            if self._reverse and grade > 0:
                fix = "Name the scale's best and worst grade."
                return Flaw("out_of_scale", f"grade {grade} is outside the reversed scale", fix)
            return grade
        if self._negatives is None:
            return Flaw(
                "negative_grade",
                f"grade {grade} is negative, and nothing says what that means",
                "Say negatives=keep (judged, worth nothing) or negatives=unjudged (left out).",
            )
        return grade if self._negatives is Negatives.KEEP else UNRATED

    def _bounded(self, grade: int | str | Flaw) -> int | str | Flaw:
        if isinstance(grade, int) and not limits.MIN_GRADE <= grade <= self._most:
            return Flaw(
                "over_scale",
                f"grade {grade} is outside {limits.MIN_GRADE} to scale_max {self._most}",
                "Correct the grade, or raise scale_max.",
            )
        return grade


def _number(text: str) -> float | None:
    try:
        found = float(text)
    except ValueError:
        return None
    return found if math.isfinite(found) else None


def _read_map(text: str) -> tuple[dict[str, int], list[tuple[float, int]]]:
    labels: dict[str, int] = {}
    cuts: list[tuple[float, int]] = []
    for pair in filter(None, (part.strip() for part in text.split(","))):
        label, mark, grade = pair.rpartition(":")
        if not mark or not re.fullmatch(r"-?\d{1,3}", grade.strip()):
            raise _wrong(f"{pair[:_ECHO]!r} gives no grade")
        if label.startswith(">="):
            least = _number(label[2:])
            if least is None:
                raise _wrong(f"{label[:_ECHO]!r} cuts at no number")
            cuts.append((least, int(grade)))
        elif label.strip() in labels:
            raise _wrong(f"{label.strip()[:_ECHO]!r} is given twice")
        else:
            labels[label.strip()] = int(grade)
    return labels, sorted(cuts, reverse=True)


def _read_reverse(text: str) -> tuple[int, int] | None:
    if not text:
        return None
    best, _, worst = text.rpartition("-")
    return int(best), int(worst)


def _wrong(message: str) -> InvalidError:
    item = ProblemItem(pointer="?grades", message=message, fix=_FORM)
    return InvalidError(f"{message}. {_FORM}", errors=[item])
