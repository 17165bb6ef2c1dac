"""Kinds of the character family: misspellings inside single words."""

from collections.abc import Callable, Iterable
from typing import Final

from msgspec import Struct

from worker.adversarial.draws import Draws
from worker.adversarial.keyboard import neighbours
from worker.adversarial.variant import NotApplicable, Variant
from worker.adversarial.vocabulary import Vocabulary
from worker.adversarial.words import Word, content_words, fold

OPERATOR_SHARES: Final = {"delete": 33, "insert": 28, "substitute": 20, "transpose": 19}
"""How often people make each slip, of 100; counted over a large list of real misspellings."""
FIRST_LETTER_CHANCE: Final = 0.024
ATTEMPTS: Final = 40
WORDS_BY_SEVERITY: Final = {1: 1, 2: 2}
"""Words that are misspelled; a severity that is not listed misspells every content word."""


class Edit(Struct, frozen=True):
    """Replace `before` at an offset of the query with `after`."""

    name: str
    start: int
    before: str
    after: str

    def __str__(self) -> str:
        """Name the edit, such as `delete 3: t`, `insert 3: r` or `transpose 3: ie -> ei`."""
        change = " -> ".join(part for part in (self.before, self.after) if part)
        return f"{self.name} {self.start}: {change}"


def misspell(
    text: str, severity: int, draws: Draws, vocabulary: Vocabulary
) -> Variant | NotApplicable:
    """`typo.mixed`: one slip in one, two or every content word (severity 1, 2, 3).

    The operator follows the shares in which people make them, and the first letter is hit as
    rarely as they hit it. A slip that makes another word is drawn again.
    """
    words = content_words(text)
    if not words:
        return NotApplicable("no_content_word")
    wanted = WORDS_BY_SEVERITY.get(severity, len(words))
    if len(words) < wanted:
        return NotApplicable("too_few_content_words")
    edits: list[Edit] = []
    for word in draws.shuffle(words):
        edit = _slip(word, draws, vocabulary)
        if edit is not None:
            edits.append(edit)
        if len(edits) == wanted:
            return _apply(text, edits)
    return NotApplicable("real_word")


def _slip(word: Word, draws: Draws, vocabulary: Vocabulary) -> Edit | None:
    """Return an edit that makes no known word; None when none was found in many attempts."""
    for _ in range(ATTEMPTS):
        operator = _OPERATORS[draws.weighted(OPERATOR_SHARES)]
        first = draws.chance(FIRST_LETTER_CHANCE)
        places = len(word.text) + operator.extra_places
        at = 0 if first else 1 + draws.index(places - 1)
        edit = operator.edit(word, at, draws)
        if edit is None:
            continue
        slipped = _replace(word.text, edit, word.start)
        if fold(slipped) != fold(word.text) and not vocabulary.is_word(slipped):
            return edit
    return None


def _delete(word: Word, at: int, draws: Draws) -> Edit:
    del draws
    return Edit("delete", word.start + at, word.text[at], "")


def _insert(word: Word, at: int, draws: Draws) -> Edit | None:
    """Press a key beside the one that was meant, before its letter or after it."""
    meant = word.text[max(at - 1, 0) : at + 1]
    near = neighbours(draws.pick(meant))
    return Edit("insert", word.start + at, "", draws.pick(near)) if near else None


def _substitute(word: Word, at: int, draws: Draws) -> Edit | None:
    near = neighbours(word.text[at])
    return Edit("substitute", word.start + at, word.text[at], draws.pick(near)) if near else None


def _transpose(word: Word, at: int, draws: Draws) -> Edit | None:
    del draws
    one, two = word.text[at], word.text[at + 1]
    if fold(one) == fold(two):
        return None
    return Edit("transpose", word.start + at, one + two, two + one)


class Operator(Struct, frozen=True):
    """A way to slip, and how many more places in a word it has than the word has letters."""

    edit: Callable[[Word, int, Draws], Edit | None]
    extra_places: int = 0


_OPERATORS: Final = {
    "delete": Operator(_delete),
    "insert": Operator(_insert, extra_places=1),
    "substitute": Operator(_substitute),
    "transpose": Operator(_transpose, extra_places=-1),
}


def _apply(text: str, edits: Iterable[Edit]) -> Variant:
    """Make all edits in place; offsets stay those of the original text."""
    ordered = sorted(edits, key=lambda edit: edit.start)
    changed = text
    for edit in reversed(ordered):
        changed = _replace(changed, edit, 0)
    return Variant(text=changed, ops=tuple(map(str, ordered)))


def _replace(text: str, edit: Edit, origin: int) -> str:
    start = edit.start - origin
    return text[:start] + edit.after + text[start + len(edit.before) :]
