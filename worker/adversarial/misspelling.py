"""Kinds of misspelling that follow what people write rather than where their fingers slip."""

import re
from collections.abc import Iterator
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any, Final

import snowballstemmer

from worker.adversarial.character import ALPHABETS
from worker.adversarial.edits import Edit, apply_edit, apply_edits, hit_words
from worker.adversarial.keyboard import neighbours
from worker.adversarial.languages.en import ENGLISH
from worker.adversarial.variant import Made, NotApplicable, Subject
from worker.adversarial.words import Word, fold, match_case

ATTESTED: Final = "misspelling.attested"
ATTESTED_PACKAGE: Final = "codespell"
ATTESTED_FILE: Final = "codespell_lib/data/dictionary.txt"


def write_attested(subject: Subject) -> Made:
    """`misspelling.attested`: a word as people were seen to write it.

    Drawn from a reverse map of known corrections, as in the studies of real query typos behind
    DL-Typo (Zhuang & Zuccon, SIGIR 2022).
    """
    vocabulary = subject.vocabulary
    if vocabulary.language.code != ENGLISH.code:
        return NotApplicable("language")
    if vocabulary.misspellings is None:
        return NotApplicable("data_missing")
    attested = vocabulary.misspellings

    def edit(word: Word) -> Edit | None:
        found = [each for each in attested.get(fold(word.text), ()) if not vocabulary.is_word(each)]
        if not found:
            return None
        written = match_case(subject.draws.pick(found), word.text)
        return Edit("misspell", word.start, word.text, written)

    return hit_words(subject, edit, refused="no_attested_misspelling")


def write_as_heard(subject: Subject) -> Made:
    """`misspelling.phonetic`: one part of a word as it sounds, never its first letter.

    The kind that Zhuang, Mao & Zuccon (ADCS 2022) name as untested.
    """
    rules = subject.vocabulary.language.sounds
    if not rules:
        return NotApplicable("language")

    def edit(word: Word) -> Edit | None:
        for made in subject.draws.shuffle(list(_list_sounds(word, rules))):
            heard = apply_edit(word, made)
            if fold(heard) != fold(word.text) and not subject.vocabulary.is_word(heard):
                return made
        return None

    return hit_words(subject, edit, refused="no_rule")


def _list_sounds(word: Word, rules: tuple[tuple[str, str], ...]) -> Iterator[Edit]:
    lower = word.text.lower()
    if len(lower) != len(word.text):
        return
    for pattern, replacement in _compile(rules):
        for match in pattern.finditer(lower, 1):
            before = word.text[match.start() : match.end()]
            after = match.expand(replacement)
            if word.text.isupper():
                after = after.upper()
            yield Edit("sound", word.start + match.start(), before, after)


@cache
def _compile(rules: tuple[tuple[str, str], ...]) -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple((re.compile(pattern), replacement) for pattern, replacement in rules)


def slip_into_word(subject: Subject) -> Made:
    """`typo.real_word`: one slip that gives another common word of another stem.

    A spelling check does not see these; 10 of the 60 typos of DL-Typo are such words.
    """
    if not subject.vocabulary.common:
        return NotApplicable("language")
    if not subject.words:
        return NotApplicable("no_content_word")
    for word in subject.draws.shuffle(subject.words):
        edits = [edit for edit in _list_slips(word, subject) if _is_other(word, edit, subject)]
        if edits:
            return apply_edits(subject.text, [subject.draws.pick(edits)])
    return NotApplicable("no_real_word")


def _list_slips(word: Word, subject: Subject) -> Iterator[Edit]:
    """Yield every slip of the character family behind the first letter, in a fixed order."""
    text, layout = word.text, subject.vocabulary.language.layout
    alphabet = next((each for each in ALPHABETS if fold(text[0])[:1] in each), "")
    for at in range(1, len(text)):
        here = word.start + at
        yield Edit("delete", here, text[at], "")
        if text[at - 1] != text[at] and at > 1:
            yield Edit("transpose", here - 1, text[at - 1 : at + 1], text[at] + text[at - 1])
        for near in neighbours(text[at], layout):
            yield Edit("substitute", here, text[at], near)
        for letter in alphabet:
            yield Edit("insert", here, "", letter)


def _is_other(word: Word, edit: Edit, subject: Subject) -> bool:
    slipped = fold(apply_edit(word, edit))
    if slipped not in subject.vocabulary.common or slipped == fold(word.text):
        return False
    stem = _stemmer(subject.vocabulary.language.stemmer).stemWord
    return bool(stem(slipped) != stem(fold(word.text)))


@cache
def _stemmer(name: str) -> Any:
    return snowballstemmer.stemmer(name)


@cache
def read_attested() -> dict[str, tuple[str, ...]] | None:
    """Return what people wrote for each English word, from codespell's list; None without it.

    The list is data of an installed package and read as such: nothing of it is imported.
    """
    try:
        found = Path(str(distribution(ATTESTED_PACKAGE).locate_file(ATTESTED_FILE)))
    except PackageNotFoundError:
        return None
    return parse_attested(found.read_text("utf-8")) if found.is_file() else None


def parse_attested(lines: str) -> dict[str, tuple[str, ...]]:
    """Turn lines `wrong->right` around; those with several corrections are left out."""
    found: dict[str, list[str]] = {}
    for line in lines.splitlines():
        wrong, _, right = line.partition("->")
        if wrong.isalpha() and right.isalpha():
            found.setdefault(fold(right), []).append(fold(wrong))
    return {right: tuple(wrong) for right, wrong in found.items()}
