"""Kinds in which a letter becomes one of like shape, or one more that cannot be seen.

Misreading is the visual error of QE-RAG (arXiv 2504.04062); look-alikes and characters without
width are those of Unicode's security considerations.
"""

import re
import unicodedata
from collections.abc import Mapping
from typing import Final

from worker.adversarial.edits import Edit, apply_edits, hit_words
from worker.adversarial.variant import Made, NotApplicable, Subject
from worker.adversarial.words import Word

MISREAD_CHANCE: Final = {1: 0.05, 2: 0.1, 3: 0.3}
"""By severity: how likely each letter that can be misread is."""
MISREAD: Final = {
    "a": "o",
    "b": "h",
    "c": "e",
    "d": "cl",
    "e": "c",
    "f": "t",
    "g": "9",
    "h": "b",
    "i": "l",
    "l": "1",
    "m": "rn",
    "n": "ri",
    "o": "0",
    "q": "g",
    "s": "5",
    "u": "ii",
    "v": "y",
    "w": "vv",
    "z": "2",
    "B": "8",
    "D": "O",
    "I": "l",
    "O": "0",
    "S": "5",
    "Z": "2",
}
LATIN_TO_LOOKALIKE: Final = {
    "a": "\u0430",
    "c": "\u0441",
    "e": "\u0435",
    "i": "\u0456",
    "j": "\u0458",
    "o": "\u043e",
    "p": "\u0440",
    "s": "\u0455",
    "x": "\u0445",
    "y": "\u0443",
    "A": "\u0410",
    "B": "\u0412",
    "C": "\u0421",
    "E": "\u0415",
    "H": "\u041d",
    "I": "\u0406",
    "K": "\u041a",
    "M": "\u041c",
    "N": "\u039d",
    "O": "\u041e",
    "P": "\u0420",
    "T": "\u0422",
    "X": "\u0425",
    "Y": "\u03a5",
    "Z": "\u0396",
}
LOOKALIKES: Final[Mapping[str, str]] = {
    **LATIN_TO_LOOKALIKE,
    **{other: latin for latin, other in LATIN_TO_LOOKALIKE.items()},
}
UNSEEN: Final = ("\u200b", "\u200c", "\u00ad", "\u2060", "\ufeff", "\u200e")
NO_BREAK_SPACE: Final = "\u00a0"
ACCENTS: Final = ("\u0301", "\u0300", "\u0302", "\u0308")
_INSIDE: Final = re.compile(r"(?<=[^\W\d_])(?=[^\W\d_])")
_VOWELS: Final = frozenset("aeiouAEIOU")
_BASES: Final = re.compile(r"[A-Za-z\u0391-\u03c9]")
_SPELLED_OUT: Final = str.maketrans(
    {
        "ß": "ss",
        "æ": "ae",
        "Æ": "Ae",
        "œ": "oe",
        "Œ": "Oe",
        "ø": "o",
        "Ø": "O",
        "ł": "l",
        "Ł": "L",
        "\u0451": "\u0435",
        "\u0401": "\u0415",
    }
)


def misread(subject: Subject) -> Made:
    """`ocr`: letters read as what they look like; at least one."""
    places = [at for at, letter in enumerate(subject.text) if letter in MISREAD]
    if not places:
        return NotApplicable("no_letter_to_misread")
    chance = MISREAD_CHANCE[subject.severity]
    hit = [at for at in places if subject.draws.chance(chance)]
    return apply_edits(
        subject.text,
        [
            Edit("misread", at, subject.text[at], MISREAD[subject.text[at]])
            for at in hit or [subject.draws.pick(places)]
        ],
    )


def look_alike(subject: Subject) -> Made:
    """`homoglyph`: one letter of a word replaced by its Cyrillic, Greek or Latin double."""

    def edit(word: Word) -> Edit | None:
        places = [at for at, letter in enumerate(word.text) if letter in LOOKALIKES]
        if not places:
            return None
        at = subject.draws.pick(places)
        letter = word.text[at]
        return Edit("homoglyph", word.start + at, letter, LOOKALIKES[letter])

    return hit_words(subject, edit, refused="no_letter_to_replace")


def hide(subject: Subject) -> Made:
    """`invisible`: a character without width inside a word, or a space that does not break.

    Where no word has an alphabet, it comes between any two letters.
    """
    draws, text = subject.draws, subject.text
    sign = draws.pick((*UNSEEN, NO_BREAK_SPACE))
    spaces = [at for at, character in enumerate(text) if character == " "]
    if sign == NO_BREAK_SPACE and spaces and subject.severity == 1:
        at = draws.pick(spaces)
        return apply_edits(text, [Edit("space", at, " ", NO_BREAK_SPACE)])
    if sign == NO_BREAK_SPACE:
        sign = UNSEEN[0]
    name = unicodedata.name(sign).lower().replace(" ", "_")
    if subject.words:

        def edit(word: Word) -> Edit:
            at = 1 + draws.index(len(word.text) - 1)
            return Edit(name, word.start + at, "", sign)

        return hit_words(subject, edit, refused="no_content_word")
    places = [match.start() for match in _INSIDE.finditer(text)]
    if not places or subject.severity > 1:
        return NotApplicable("no_content_word")
    return apply_edits(text, [Edit(name, draws.pick(places), "", sign)])


def strip_accents(subject: Subject) -> Made:
    """`diacritics.strip`: no accents on Latin and Greek letters, and ligatures spelled out."""
    edits = [
        Edit("strip", at, letter, bare)
        for at, letter in enumerate(subject.text)
        for bare in (_bare(letter),)
        if bare != letter
    ]
    return apply_edits(subject.text, edits) if edits else NotApplicable("no_diacritic")


def add_accent(subject: Subject) -> Made:
    """`diacritics.add`: an accent on one vowel of a word."""

    def edit(word: Word) -> Edit | None:
        places = [at for at, letter in enumerate(word.text) if letter in _VOWELS]
        if not places:
            return None
        at = subject.draws.pick(places)
        accented = unicodedata.normalize("NFC", word.text[at] + subject.draws.pick(ACCENTS))
        return Edit("accent", word.start + at, word.text[at], accented)

    return hit_words(subject, edit, refused="no_vowel")


def _bare(letter: str) -> str:
    if letter.isascii():
        return letter
    if unicodedata.category(letter) == "Mn":
        return ""
    base = unicodedata.normalize("NFD", letter)[0]
    return base if _BASES.match(base) else letter.translate(_SPELLED_OUT)
