"""What a generator is given, and what it answers: a changed query, or why there is none."""

from collections.abc import Callable, Sequence

from msgspec import Struct

from worker.adversarial.draws import Draws
from worker.adversarial.vocabulary import Vocabulary
from worker.adversarial.words import Word


class Variant(Struct, frozen=True, kw_only=True):
    """A changed query text.

    `ops` are the edits in words, each with its offset in code points of the original text,
    such as `transpose 7: ie -> ei`.
    """

    text: str
    ops: tuple[str, ...] = ()


class NotApplicable(Struct, frozen=True):
    """The query offers nothing to change in this way; `reason` is counted in the report."""

    reason: str


Made = Variant | NotApplicable


class Subject(Struct, frozen=True, kw_only=True, eq=False):
    """A query that is to be varied: its text and content words, how hard, and by which draws.

    `given` is what a model made of it, for the kind that makes nothing itself.
    """

    text: str
    words: Sequence[Word]
    draws: Draws
    vocabulary: Vocabulary
    severity: int = 1
    given: Made = NotApplicable("model_not_asked")


Generator = Callable[[Subject], Made]
"""Makes one variant of a subject; pure, raises nothing."""
