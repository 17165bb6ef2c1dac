"""Kinds of the character family: one slip of the keys inside a word.

The operators (delete, insert, substitute by any letter or by a neighbour, transpose) are those of
Zhuang & Zuccon (EMNLP 2021; with CharacterBERT, SIGIR 2022); a severity hits one, two or every
content word with one slip each, an optimal string alignment distance of 1.
"""

from collections.abc import Callable
from typing import Final

from msgspec import Struct

from worker.adversarial.edits import Edit, apply_edit, hit_words
from worker.adversarial.keyboard import neighbours
from worker.adversarial.variant import Made, Subject
from worker.adversarial.words import Word, fold

OPERATOR_SHARES: Final = {"delete": 33, "insert": 28, "substitute": 20, "transpose": 19}
"""How often people make each slip, of 100; counted over a large list of real misspellings."""
FIRST_LETTER_CHANCE: Final = 0.024
ATTEMPTS: Final = 40
ALPHABETS: Final = (
    "abcdefghijklmnopqrstuvwxyz",
    "абвгдежзийклмнопрстуфхцчшщъыьэюя",
    "αβγδεζηθικλμνξοπρστυφχψω",
    "אבגדהוזחטיכלמנסעפצקרשת",
    "ابتثجحخدذرزسشصضطظعغفقكلمنهوي",
)


class Operator(Struct, frozen=True):
    """A way to slip: what it does at a place, and how many places more than letters it has."""

    edit: Callable[[Word, int, Subject], Edit | None]
    extra_places: int = 0
    inner_only: bool = False


def delete(subject: Subject) -> Made:
    """`typo.delete`: one inner letter left out."""
    return _slip_words(subject, _DELETE)


def insert(subject: Subject) -> Made:
    """`typo.insert`: a key beside the one that was meant, pressed as well."""
    return _slip_words(subject, _INSERT)


def substitute_adjacent(subject: Subject) -> Made:
    """`typo.substitute_adjacent`: a key beside the one that was meant, on the set's layout."""
    return _slip_words(subject, _SUBSTITUTE)


def substitute_random(subject: Subject) -> Made:
    """`typo.substitute_random`: one letter replaced by any other of its alphabet."""
    return _slip_words(subject, _SUBSTITUTE_ANY)


def transpose(subject: Subject) -> Made:
    """`typo.transpose`: two neighbouring inner letters that differ, swapped."""
    return _slip_words(subject, _TRANSPOSE)


def double(subject: Subject) -> Made:
    """`typo.double`: a letter written twice, or one of a double letter left out."""
    return _slip_words(subject, _DOUBLE)


def misspell(subject: Subject) -> Made:
    """`typo.mixed`: a slip by the shares in which people make them.

    The first letter is hit as rarely as they hit it. A slip that makes another word is drawn
    again.
    """

    def attempt(word: Word) -> Edit | None:
        operator = _MIXED[subject.draws.weighted(OPERATOR_SHARES)]
        first = subject.draws.chance(FIRST_LETTER_CHANCE)
        places = len(word.text) + operator.extra_places
        at = 0 if first else 1 + subject.draws.index(places - 1)
        return operator.edit(word, at, subject)

    return hit_words(subject, lambda word: _insist(word, attempt, subject), refused="real_word")


def _slip_words(subject: Subject, operator: Operator) -> Made:
    """Slip in one way, never at the first letter, and never into another word."""

    def attempt(word: Word) -> Edit | None:
        places = len(word.text) + operator.extra_places - 1 - operator.inner_only
        return operator.edit(word, 1 + subject.draws.index(places), subject)

    return hit_words(subject, lambda word: _insist(word, attempt, subject), refused="real_word")


def _insist(word: Word, attempt: Callable[[Word], Edit | None], subject: Subject) -> Edit | None:
    """Draw until a slip makes no known word; None when none was found in many attempts."""
    for _ in range(ATTEMPTS):
        edit = attempt(word)
        if edit is None:
            continue
        slipped = apply_edit(word, edit)
        if fold(slipped) != fold(word.text) and not subject.vocabulary.is_word(slipped):
            return edit
    return None


def _delete(word: Word, at: int, subject: Subject) -> Edit:
    del subject
    return Edit("delete", word.start + at, word.text[at], "")


def _insert(word: Word, at: int, subject: Subject) -> Edit | None:
    """Press a key beside the one that was meant, before its letter or after it."""
    meant = word.text[max(at - 1, 0) : at + 1]
    near = _near(subject.draws.pick(meant), subject)
    return Edit("insert", word.start + at, "", subject.draws.pick(near)) if near else None


def _substitute(word: Word, at: int, subject: Subject) -> Edit | None:
    near = _near(word.text[at], subject)
    if not near:
        return None
    return Edit("substitute", word.start + at, word.text[at], subject.draws.pick(near))


def _substitute_any(word: Word, at: int, subject: Subject) -> Edit | None:
    letter = word.text[at]
    alphabet = next((each for each in ALPHABETS if fold(letter)[:1] in each), "")
    others = [other for other in alphabet if other != letter.lower()]
    if not others:
        return None
    other = subject.draws.pick(others)
    return Edit("substitute", word.start + at, letter, other.upper() if letter.isupper() else other)


def _transpose(word: Word, at: int, subject: Subject) -> Edit | None:
    del subject
    one, two = word.text[at], word.text[at + 1]
    if fold(one) == fold(two):
        return None
    return Edit("transpose", word.start + at, one + two, two + one)


def _double(word: Word, at: int, subject: Subject) -> Edit:
    del subject
    letter = word.text[at]
    if letter in (word.text[at - 1], word.text[at + 1 : at + 2]):
        return Edit("undouble", word.start + at, letter, "")
    return Edit("double", word.start + at, "", letter)


def _near(letter: str, subject: Subject) -> tuple[str, ...]:
    return neighbours(letter, subject.vocabulary.language.layout)


_DELETE: Final = Operator(_delete, inner_only=True)
_INSERT: Final = Operator(_insert, extra_places=1)
_SUBSTITUTE: Final = Operator(_substitute)
_SUBSTITUTE_ANY: Final = Operator(_substitute_any)
_TRANSPOSE: Final = Operator(_transpose, extra_places=-1, inner_only=True)
_DOUBLE: Final = Operator(_double)
_MIXED: Final = {
    "delete": _DELETE,
    "insert": _INSERT,
    "substitute": _SUBSTITUTE,
    "transpose": _TRANSPOSE,
}
