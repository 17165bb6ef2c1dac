"""Kinds that ask for something else: a search that does not notice answers the wrong question.

Their labels change, so they are not scored with the set's judgments but by how far the ranking
moves. Negation after NevIR (Weller et al., EACL 2024) and ExcluIR; names after EntityQuestions
(Sciavolino et al., EMNLP 2021).
"""

from typing import Final

from worker.adversarial.edits import Edit, apply_edits
from worker.adversarial.variant import Made, NotApplicable, Subject, Variant
from worker.adversarial.vocabulary import find_names
from worker.adversarial.words import fold, speaks

MIN_NEGATED_FROM: Final = 2
_FINAL_MARKS: Final = " ?!.,;:\u2026"


def exclude(subject: Subject) -> Made:
    """`negation`: the query, but not about one of its own content words."""
    language = subject.vocabulary.language
    if not language.negations:
        return NotApplicable("language")
    if not speaks(subject.text, language.script):
        return NotApplicable("script")
    if len({fold(word.text) for word in subject.words}) < MIN_NEGATED_FROM:
        return NotApplicable("too_few_content_words")
    word = subject.draws.pick(subject.words).text
    frame = subject.draws.pick(language.negations)
    body = subject.text.rstrip(_FINAL_MARKS)
    text = frame.replace("{word}", word).replace("{query}", body)
    return Variant(text=text + subject.text[len(body) :], ops=(f"exclude {len(body)}: {word}",))


def swap_name(subject: Subject) -> Made:
    """`entity_swap`: a capitalised word replaced by another one of the test set.

    Where every noun has a capital, capitals name nothing, and the kind is not applicable.
    """
    vocabulary = subject.vocabulary
    if vocabulary.language.nouns_capitalised or not vocabulary.language.function_words:
        return NotApplicable("language")
    own = find_names(subject.text, vocabulary.language.function_words)
    used = {fold(word.text) for word in own}
    others = [name for name in vocabulary.names if fold(name) not in used]
    if not own or not others:
        return NotApplicable("no_name" if not own else "no_other_name")
    word = subject.draws.pick(own)
    edit = Edit("name", word.start, word.text, subject.draws.pick(others))
    return apply_edits(subject.text, [edit])
