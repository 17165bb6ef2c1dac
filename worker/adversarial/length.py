"""Kinds of the length family: queries that say less, or the same at greater length.

Length shifts are one of the three of MS-Shift; a long text whose end is never read is a known
failure of embedding models with a fixed window.
"""

import re
from typing import Final

from worker.adversarial.phrasing import leave_out
from worker.adversarial.variant import Made, NotApplicable, Subject, Variant
from worker.adversarial.verbosity import take_asides
from worker.adversarial.words import Word, fold

PREFIX_LETTERS: Final = 3
MIN_TYPED: Final = 2
MIN_DROPPED_FROM: Final = 3
"""Content words a query has to have before one of them is left out."""
REPEATS: Final = 20
PREAMBLE_WORDS: Final = {1: 600, 2: 2_000}
MAX_CHARACTERS: Final = 32_768


def keep_one(subject: Subject) -> Made:
    """`short.k1`: only the content word that fewest queries of the test set have."""
    return _keep_rarest(subject, 1)


def keep_two(subject: Subject) -> Made:
    """`short.k2`: only the two content words that fewest queries of the test set have."""
    return _keep_rarest(subject, 2)


def keep_three(subject: Subject) -> Made:
    """`short.k3`: only the three content words that fewest queries of the test set have."""
    return _keep_rarest(subject, 3)


def _keep_rarest(subject: Subject, count: int) -> Made:
    """Keep the rarest words in order: of equally rare ones the longer, then the earlier."""
    words = _distinct(subject)
    if len(words) <= count:
        return NotApplicable("too_few_content_words")

    def rarity(folded: str) -> tuple[int, int, int]:
        frequency = subject.vocabulary.frequency.get(folded, 0)
        return frequency, -len(folded), words[folded].start

    kept = sorted((words[folded] for folded in sorted(words, key=rarity)[:count]), key=_start)
    return Variant(
        text=" ".join(word.text for word in kept),
        ops=tuple(f"keep {word.start}: {word.text}" for word in kept),
    )


def type_ahead(subject: Subject) -> Made:
    """`short.prefix`: what stands in the box after three letters of the second content word."""
    if len(subject.words) < MIN_TYPED:
        return NotApplicable("too_few_content_words")
    end = subject.words[1].start + PREFIX_LETTERS
    return Variant(text=subject.text[:end], ops=(f"cut {end}",))


def drop_word(subject: Subject) -> Made:
    """`drop.content`: one content word left out everywhere it stands."""
    words = _distinct(subject)
    if len(words) < MIN_DROPPED_FROM:
        return NotApplicable("too_few_content_words")
    dropped = subject.draws.pick(list(words))
    return leave_out(subject.text, [w for w in subject.words if fold(w.text) == dropped])


def put_preamble(subject: Subject) -> Made:
    """`length.preamble`: 600 or 2,000 words of neutral sentences, then the query."""
    sentences = take_asides(subject, 1)
    if isinstance(sentences, NotApplicable):
        return sentences
    wanted = PREAMBLE_WORDS[subject.severity]
    pool = subject.draws.shuffle(subject.vocabulary.asides)
    block = " ".join(pool)
    blocks = -(-wanted // len(re.findall(r"\S+", block)))
    text = f"{' '.join([block] * blocks)} {subject.text}"
    return Variant(text=text, ops=(f"preamble 0: {wanted} words",))


def repeat(subject: Subject) -> Made:
    """`length.repeat`: the query twenty times, which says no more than once."""
    if not subject.text.strip():
        return NotApplicable("no_word")
    text = " ".join([subject.text] * REPEATS)
    if len(text) > MAX_CHARACTERS:
        return NotApplicable("too_long")
    return Variant(text=text, ops=(f"repeat 0: {REPEATS} times",))


def _distinct(subject: Subject) -> dict[str, Word]:
    words: dict[str, Word] = {}
    for word in subject.words:
        words.setdefault(fold(word.text), word)
    return words


def _start(word: Word) -> int:
    return word.start
