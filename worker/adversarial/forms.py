"""Kinds that write the same word or spelling in another accepted form."""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Final

from worker.adversarial.edits import Edit, apply_edits, hit_words
from worker.adversarial.languages.language import Language
from worker.adversarial.variant import Made, NotApplicable, Subject
from worker.adversarial.words import Word, fold, match_case

_WORD: Final = re.compile(r"[^\W\d_]+")


def inflect(subject: Subject) -> Made:
    """`inflection`: singular for plural or back, by rule, where the other form is a listed word.

    The variation that stemming is for; engines without it lose most (Harman, JASIS 1991).
    """
    vocabulary = subject.vocabulary
    if not vocabulary.language.inflections or not vocabulary.listed:
        return NotApplicable("language")

    def edit(word: Word) -> Edit | None:
        other = _find_other_number(fold(word.text), vocabulary.language, vocabulary.listed)
        if other is None:
            return None
        return Edit("inflect", word.start, word.text, match_case(other, word.text))

    return hit_words(subject, edit, refused="no_other_form")


def _find_other_number(word: str, language: Language, listed: frozenset[str]) -> str | None:
    """Return the first other form that is listed, or a regular plural of a listed word."""
    for rules, trusted in ((language.inflections, False), (language.plurals, word in listed)):
        for pattern, replacement in rules:
            other, count = re.subn(pattern, replacement, word, count=1)
            if count and other != word and (trusted or other in listed):
                return other
    return None


def respell(subject: Subject) -> Made:
    """`variant_spelling`: one word or letter in another spelling that is right as well."""
    language = subject.vocabulary.language
    if not language.spellings:
        return NotApplicable("language")
    edits = [*_list_spellings(subject.text, language), *_list_letters(subject.text, language)]
    if not edits:
        return NotApplicable("no_other_spelling")
    return apply_edits(subject.text, [subject.draws.pick(edits)])


def _list_spellings(text: str, language: Language) -> Iterator[Edit]:
    pattern, others = _index_spellings(language.spellings)
    for match in pattern.finditer(text):
        other = others[match.group().lower()]
        yield Edit("respell", match.start(), match.group(), match_case(other, match.group()))


def _list_letters(text: str, language: Language) -> Iterator[Edit]:
    for word in _WORD.finditer(text):
        for letters, others in language.respellings:
            for match in re.finditer(letters, word.group(), re.IGNORECASE):
                yield Edit(
                    "respell",
                    word.start() + match.start(),
                    match.group(),
                    match_case(others, match.group()),
                )


@cache
def _index_spellings(
    spellings: tuple[tuple[str, str], ...],
) -> tuple[re.Pattern[str], Mapping[str, str]]:
    """Return a pattern for every spelling of a language, and what each may be replaced with."""
    others = {right: left for left, right in spellings} | dict(spellings)
    longest_first = sorted(others, key=lambda spelling: (-len(spelling), spelling))
    words = "|".join(map(re.escape, longest_first))
    return re.compile(rf"(?<![\w'])(?:{words})(?![\w'])", re.IGNORECASE), others
