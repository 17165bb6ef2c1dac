"""What a generator answers: a changed query, or why there is none."""

from msgspec import Struct


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
