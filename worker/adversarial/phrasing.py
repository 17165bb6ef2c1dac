"""Kinds that say the same in other grammar: fewer function words, a question, another order.

Naturality and ordering are two of the syntax-only categories of Penha, Camara & Hauff (ECIR 2022).
"""

from collections.abc import Iterable
from typing import Final

from worker.adversarial.edits import Edit, apply_edits
from worker.adversarial.variant import Made, NotApplicable, Subject, Variant
from worker.adversarial.words import Word, fold, speaks, tokens

MIN_SWAPPED: Final = 2
MIN_SHUFFLED: Final = 3
SHUFFLES: Final = 10
_QUESTION_MARKS: Final = "?\u00bf\u061f\uff1f"


def drop_grammar(subject: Subject) -> Made:
    """`naturality.stopwords`: function words left out, but for negation and direction."""
    if not subject.vocabulary.language.function_words:
        return NotApplicable("language")
    dropped = _find_grammar(subject)
    if not dropped:
        return NotApplicable("no_function_word")
    if not subject.words:
        return NotApplicable("no_content_word")
    return leave_out(subject.text, dropped)


def ask(subject: Subject) -> Made:
    """`naturality.question`: keywords made a question; a question made its keywords.

    Neural rankers prefer sentences (Dai & Callan, SIGIR 2019), exact matching does not.
    """
    language = subject.vocabulary.language
    if not language.questions:
        return NotApplicable("language")
    if not speaks(subject.text, language.script):
        return NotApplicable("script")
    if not subject.words:
        return NotApplicable("no_content_word")
    if _is_question(subject):
        made = leave_out(subject.text, _find_grammar(subject))
        return Variant(text=made.text.strip(f" {_QUESTION_MARKS}"), ops=(*made.ops, "keywords 0"))
    body = subject.text.strip(" .!,")
    frame = subject.draws.pick(language.questions)
    return Variant(text=frame.replace("{query}", body), ops=(f"question 0: {frame}",))


def swap(subject: Subject) -> Made:
    """`order.swap`: two words that differ, swapped; punctuation stays where it was."""
    words = tokens(subject.text)
    if len(words) < MIN_SWAPPED:
        return NotApplicable("too_few_words")
    one = subject.draws.pick(words)
    others = [word for word in words if fold(word.text) != fold(one.text)]
    if not others:
        return NotApplicable("no_two_words")
    other = subject.draws.pick(others)
    return apply_edits(
        subject.text,
        [
            Edit("swap", one.start, one.text, other.text),
            Edit("swap", other.start, other.text, one.text),
        ],
    )


def shuffle(subject: Subject) -> Made:
    """`order.shuffle`: three words or more in another order."""
    words = tokens(subject.text)
    if len(words) < MIN_SHUFFLED:
        return NotApplicable("too_few_words")
    before = [fold(word.text) for word in words]
    for _ in range(SHUFFLES):
        order = subject.draws.shuffle(words)
        if [fold(word.text) for word in order] != before:
            return apply_edits(
                subject.text,
                [
                    Edit("shuffle", word.start, word.text, other.text)
                    for word, other in zip(words, order, strict=True)
                    if word.text != other.text
                ],
            )
    return NotApplicable("no_two_words")


def leave_out(text: str, words: Iterable[Word]) -> Variant:
    """Return the text without these words and the white space behind them."""
    edits = []
    for word in words:
        end = word.end
        while end < len(text) and text[end].isspace():
            end += 1
        edits.append(Edit("drop", word.start, text[word.start : end], ""))
    made = apply_edits(text, edits)
    return Variant(text=made.text.strip(), ops=made.ops)


def _find_grammar(subject: Subject) -> list[Word]:
    language = subject.vocabulary.language
    return [
        token
        for token in tokens(subject.text)
        for folded in (fold(token.text),)
        if folded in language.function_words and folded not in language.kept
    ]


def _is_question(subject: Subject) -> bool:
    text = subject.text.rstrip()
    if text[-1:] in _QUESTION_MARKS:
        return True
    words = tokens(text)
    return bool(words) and fold(words[0].text) in subject.vocabulary.language.openers
