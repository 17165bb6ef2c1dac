"""Kinds of the length family: queries that say less than the one they were made from."""

from worker.adversarial.draws import Draws
from worker.adversarial.variant import NotApplicable, Variant
from worker.adversarial.vocabulary import Vocabulary
from worker.adversarial.words import Word, content_words, fold


def keep_two_rarest(
    text: str, severity: int, draws: Draws, vocabulary: Vocabulary
) -> Variant | NotApplicable:
    """`short.k2`: only the two content words that fewest queries of the test set have.

    Of equally rare words the longer stays, then the earlier. Nothing is drawn.
    """
    del severity, draws
    return _keep_rarest(text, 2, vocabulary)


def _keep_rarest(text: str, count: int, vocabulary: Vocabulary) -> Variant | NotApplicable:
    words: dict[str, Word] = {}
    for word in content_words(text):
        words.setdefault(fold(word.text), word)
    if len(words) <= count:
        return NotApplicable("too_few_content_words")

    def rarity(folded: str) -> tuple[int, int, int]:
        return vocabulary.frequency.get(folded, 0), -len(folded), words[folded].start

    kept = sorted((words[folded] for folded in sorted(words, key=rarity)[:count]), key=_start)
    return Variant(
        text=" ".join(word.text for word in kept),
        ops=tuple(f"keep {word.start}: {word.text}" for word in kept),
    )


def _start(word: Word) -> int:
    return word.start
