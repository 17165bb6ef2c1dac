"""Edits of single places in a text, and the rule by which they are spread over its words."""

from collections.abc import Callable, Iterable
from typing import Final

from msgspec import Struct

from worker.adversarial.variant import Made, NotApplicable, Subject, Variant
from worker.adversarial.words import Word

WORDS_BY_SEVERITY: Final = {1: 1, 2: 2}
"""Words that are hit; a severity that is not listed hits every content word that can be."""


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


def hit_words(subject: Subject, edit: Callable[[Word], Edit | None], *, refused: str) -> Made:
    """Edit one, two or every content word once, as the severity says.

    `edit` returns None for a word that it cannot change; `refused` is the reason given when
    too few words could be.
    """
    words = subject.words
    if not words:
        return NotApplicable("no_content_word")
    wanted = WORDS_BY_SEVERITY.get(subject.severity)
    if wanted is not None and len(words) < wanted:
        return NotApplicable("too_few_content_words")
    edits: list[Edit] = []
    for word in subject.draws.shuffle(words):
        made = edit(word)
        if made is not None:
            edits.append(made)
        if len(edits) == wanted:
            break
    if len(edits) < (wanted or 1):
        return NotApplicable(refused)
    return apply_edits(subject.text, edits)


def apply_edits(text: str, edits: Iterable[Edit]) -> Variant:
    """Make all edits in place; offsets stay those of the original text."""
    ordered = sorted(edits, key=lambda edit: edit.start)
    parts = []
    at = 0
    for edit in ordered:
        parts += [text[at : edit.start], edit.after]
        at = edit.start + len(edit.before)
    return Variant(text="".join([*parts, text[at:]]), ops=tuple(map(str, ordered)))


def apply_edit(word: Word, edit: Edit) -> str:
    """Return the word with an edit inside it."""
    at = edit.start - word.start
    return word.text[:at] + edit.after + word.text[at + len(edit.before) :]
