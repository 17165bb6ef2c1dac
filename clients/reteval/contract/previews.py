"""Previews: what variants a run would send, with each change marked, before any is sent."""

from enum import StrEnum
from typing import Annotated, Final

from msgspec import UNSET, Meta, Struct, UnsetType, field

from reteval.contract import limits
from reteval.contract.runs import AdversarialRequest, RunStatus

MAX_PREVIEWED: Final = 50
"""Queries in one preview."""
Text = Annotated[str, Meta(min_length=1, max_length=limits.MAX_QUERY_BYTES)]


class PreviewRequest(Struct, kw_only=True, forbid_unknown_fields=True):
    """The body of `POST /v1/adversarial/preview`: texts, or the first queries of a test set.

    `sample` of `adversarial` is how many of the set's queries are shown. `language` is that of
    the texts; a test set has its own.
    """

    queries: Annotated[list[Text], Meta(max_length=MAX_PREVIEWED)] = field(default_factory=list)
    test_set: Annotated[str, Meta(max_length=limits.MAX_NAME_BYTES)] | None = None
    language: Annotated[str, Meta(max_length=35)] = ""
    adversarial: AdversarialRequest = field(default_factory=AdversarialRequest)


class Mark(StrEnum):
    """What became of a piece of text."""

    SAME = "same"
    ADDED = "added"
    REMOVED = "removed"


class Piece(Struct, frozen=True):
    """A piece of text. `same` and `removed` make up the query, `same` and `added` the variant."""

    text: str
    mark: Mark


class PreviewedVariant(Struct, frozen=True, kw_only=True):
    """One variant of one query; without a text where the kind is not applicable, and why."""

    query_id: str
    query: str
    kind: str
    severity: int
    replicate: int
    labels: str
    text: str | None
    ops: tuple[str, ...] = ()
    pieces: tuple[Piece, ...] = ()
    reason: str | UnsetType = UNSET


class PreviewReport(Struct, frozen=True, kw_only=True):
    """What a request for variants makes of some queries; `fingerprint` names the experiment."""

    suite: str
    seed: int
    fingerprint: str
    language: str
    variants: tuple[PreviewedVariant, ...]


class Preview(Struct, frozen=True, kw_only=True):
    """State of a preview; `report` is there once it has ended well. Kept for a day."""

    id: str
    status: RunStatus
    created_at: str
    links: dict[str, str] = field(default_factory=dict)
    error: str | None = None
    poll_after_s: float | None = None
    report: PreviewReport | None = None
