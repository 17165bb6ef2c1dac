"""How a query can be known before it is asked."""

from enum import StrEnum

from msgspec import Struct


class LeakKind(StrEnum):
    """How alike two queries are, or a query and the text of a document; gravest first.

    `possible_paraphrase`: other words, but the same few relevant documents.
    """

    EXACT = "exact"
    REORDERED = "reordered"
    DUPLICATE = "duplicate"
    NEAR = "near"
    VERBATIM = "verbatim"
    LIFTED = "lifted"
    POSSIBLE_PARAPHRASE = "possible_paraphrase"


class Lift(Struct, frozen=True, kw_only=True):
    """A query that stands in the text of a hit, or of a document.

    `run` of the query's `length` words stand there in a row; `containment` is the share of its
    rows of three words that do, `recall` that of its words. `rank` is the hit's, 0 for a document
    that was given. `excerpt` is all that is kept of the text.
    """

    kind: LeakKind
    run: int
    length: int
    containment: float
    recall: float
    excerpt: str
    rank: int = 0
