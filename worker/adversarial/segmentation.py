"""Kinds of wrong spaces: one inside a word, or none between two."""

from itertools import pairwise
from typing import Final

from worker.adversarial.edits import WORDS_BY_SEVERITY, Edit, apply_edits, hit_words
from worker.adversarial.variant import Made, NotApplicable, Subject
from worker.adversarial.words import Word, tokens

MIN_PART: Final = 3
"""Letters on each side of a space that is put inside a word."""
MIN_MERGED: Final = 2


def split(subject: Subject) -> Made:
    """`segment.split`: a space inside a word, three letters or more on each side."""

    def edit(word: Word) -> Edit | None:
        places = len(word.text) - 2 * MIN_PART + 1
        if places < 1:
            return None
        return Edit("split", word.start + MIN_PART + subject.draws.index(places), "", " ")

    return hit_words(subject, edit, refused="no_long_word")


def merge(subject: Subject) -> Made:
    """`segment.merge`: two neighbouring words written as one that is no word."""
    pairs = subject.draws.shuffle(_list_pairs(subject))
    if not pairs:
        return NotApplicable("no_word_pair")
    if WORDS_BY_SEVERITY[subject.severity] == 1:
        return apply_edits(subject.text, [_join(pairs[0])])
    for one in pairs:
        for other in pairs:
            if one[1].start < other[0].start or other[1].start < one[0].start:
                return apply_edits(subject.text, [_join(one), _join(other)])
    return NotApplicable("too_few_word_pairs")


def _join(pair: tuple[Word, Word]) -> Edit:
    return Edit("merge", pair[0].end, " ", "")


def _list_pairs(subject: Subject) -> list[tuple[Word, Word]]:
    """Return neighbours one space apart, at least one of which carries content."""
    words = tokens(subject.text)
    content = {word.start for word in subject.words}
    return [
        (left, right)
        for left, right in pairwise(words)
        if subject.text[left.end : right.start] == " "
        and (left.start in content or right.start in content)
        and _can_merge(left)
        and _can_merge(right)
        and not subject.vocabulary.is_word(left.text + right.text)
    ]


def _can_merge(word: Word) -> bool:
    return len(word.text) >= MIN_MERGED and word.text.isalpha()
