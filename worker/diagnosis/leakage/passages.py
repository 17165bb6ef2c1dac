"""How much of a query stands, word for word, in the text of a document."""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from reteval.contract.leaks import LeakKind, Lift
from worker.diagnosis.leakage.wording import normalise

EXEMPT: Final = 4
"""Words up to which a query may name a thing: titles, codes and names should be found."""
LONG_RUN: Final = 8
"""Words in a row that nobody writes twice by chance."""
MOST_OF: Final = 0.6
"""Share of a query in one row of words from which on it is copied."""
CONTAINED: Final = 0.5
RECALLED: Final = 0.9
RECALLED_WORDS: Final = 6
GRAM: Final = 3
MAX_CHARACTERS: Final = 20_000
"""Of a text that are read."""
_SHOWN: Final = 240
"""Characters of a text that are kept to be shown."""


class Passage(Struct, frozen=True):
    """A text to look in: its words between spaces, all of them, and as it was."""

    words: str
    known: frozenset[str]
    text: str

    @classmethod
    def read(cls, text: str) -> "Passage":
        """Read the first twenty thousand characters of a text."""
        normal = normalise(text[:MAX_CHARACTERS])
        return cls(f" {normal} ", frozenset(normal.split()), text)


class Overlap(Struct, frozen=True, kw_only=True):
    """What a text has of a query of `length` words.

    `run` is the longest row of its words, `containment` the share of its rows of three words,
    `recall` that of its words. `start` is where the row begins in the query.
    """

    length: int
    run: int
    containment: float
    recall: float
    start: int = 0

    @property
    def kind(self) -> LeakKind | None:
        """How the query is copied, None where it is not."""
        if self.length <= EXEMPT:
            return None
        if self.run >= LONG_RUN or self.run >= MOST_OF * self.length:
            return LeakKind.VERBATIM
        told = self.recall >= RECALLED and self.length >= RECALLED_WORDS
        return LeakKind.LIFTED if self.containment >= CONTAINED or told else None


def measure_overlap(words: Sequence[str], passage: Passage) -> Overlap:
    """Measure a query's words, there is at least one, against a text."""
    run, start = _find_run(words, passage.words)
    grams = {tuple(words[at : at + GRAM]) for at in range(len(words) - GRAM + 1)}
    held = sum(f" {' '.join(gram)} " in passage.words for gram in grams) if run >= GRAM else 0
    return Overlap(
        length=len(words),
        run=run,
        containment=held / len(grams) if grams else 0.0,
        recall=sum(word in passage.known for word in words) / len(words),
        start=start,
    )


def find_lift(words: Sequence[str], texts: Sequence[str | None]) -> Lift | None:
    """Return the gravest copy of a query among the texts of hits; None where there is none."""
    found: list[tuple[bool, int, float, Lift]] = []
    for rank, text in enumerate(texts, start=1):
        if not text:
            continue
        passage = Passage.read(text)
        overlap = measure_overlap(words, passage)
        if kind := overlap.kind:
            lift = describe_lift(kind, words, overlap, passage, rank=rank)
            found.append((kind is LeakKind.VERBATIM, overlap.run, overlap.containment, lift))
    return max(found, key=lambda row: row[:3])[3] if found else None


def describe_lift(
    kind: LeakKind, words: Sequence[str], overlap: Overlap, passage: Passage, *, rank: int = 0
) -> Lift:
    """Return a copy as it is kept, with the part of the text that shows it."""
    row = " ".join(words[overlap.start : overlap.start + overlap.run])
    return Lift(
        kind=kind,
        rank=rank,
        run=overlap.run,
        length=overlap.length,
        containment=round(overlap.containment, 4),
        recall=round(overlap.recall, 4),
        excerpt=_cut_out(passage, row),
    )


def _find_run(words: Sequence[str], text: str) -> tuple[int, int]:
    """Return the length of the longest row of words that the text has, and where it begins."""
    best, where = 0, 0
    for start in range(len(words)):
        while start + best < len(words) and _has(words[start : start + best + 1], text):
            best, where = best + 1, start
    return best, where


def _has(words: Sequence[str], text: str) -> bool:
    return f" {' '.join(words)} " in text


def _cut_out(passage: Passage, row: str) -> str:
    """Return the text around a row of words, about where it stands among all characters."""
    printable = (sign if sign.isprintable() else " " for sign in passage.text[:MAX_CHARACTERS])
    text = " ".join("".join(printable).split())
    at = max(passage.words.find(f" {row} "), 0)
    start = max(0, int(at / len(passage.words) * len(text)) - _SHOWN // 4)
    start = 0 if len(text) <= _SHOWN else min(start, len(text) - _SHOWN)
    return text[start : start + _SHOWN]
