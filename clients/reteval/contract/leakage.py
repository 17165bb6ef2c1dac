"""Leakage checks: which queries of a test set are known before they are asked."""

from enum import StrEnum
from typing import Annotated, Final

from msgspec import UNSET, Meta, Struct, UnsetType, field

from reteval.contract import limits
from reteval.contract.diagnostics import Diagnostic
from reteval.contract.leaks import LeakKind, Lift
from reteval.contract.runs import RunStatus
from reteval.contract.testsets import DocId, Grade

MAX_TEXTS: Final = 20_000
"""Queries of a set that is checked, texts it is checked against, and documents."""
Text = Annotated[str, Meta(min_length=1, max_length=limits.MAX_QUERY_BYTES)]


class Against(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What was used for tuning or training: either texts, or another test set."""

    texts: Annotated[list[Text], Meta(max_length=MAX_TEXTS)] = field(default_factory=list)
    test_set: Annotated[str, Meta(min_length=1, max_length=limits.MAX_NAME_BYTES)] | None = None


class CorpusText(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A document, or its beginning, under the id that judgments have."""

    id: DocId
    text: Annotated[str, Meta(min_length=1)]


class LeakageRequest(Struct, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """The body of `POST /v1/leakage-checks`. `test_set` is an id, or a name (its newest version).

    `run` is an ended run over the set: what its hits had of the queries counts, and its metrics
    are told with and without leaked queries. `corpus` are documents that queries may have been
    written from.
    """

    test_set: Annotated[str, Meta(min_length=1, max_length=limits.MAX_NAME_BYTES)]
    against: Against | None = None
    run: Annotated[str, Meta(min_length=1, max_length=64)] | None = None
    corpus: Annotated[list[CorpusText], Meta(max_length=MAX_TEXTS)] = field(default_factory=list)


class LeakPlace(StrEnum):
    """Where the two halves of a pair are."""

    AGAINST = "against"
    BETWEEN = "between"
    WITHIN = "within"
    DOCUMENT = "document"


class PairSide(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Half of a pair: a query, a text of the list (by its place, from 1), or a document."""

    id: str
    text: str
    split: str = ""
    source: str = ""


class LeakedPair(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A query and what it is like. `similarity` is the Jaccard of character 3-grams.

    Queries of one `cluster` hang together by such pairs.
    """

    kind: LeakKind
    place: LeakPlace
    query: PairSide
    other: PairSide
    similarity: float | None = None
    cluster: int | None = None
    lift: Lift | None = None


class LeakCount(Struct, frozen=True, kw_only=True):
    """Pairs, the different queries in them, and their share of all queries."""

    pairs: int
    queries: int
    share: float


class SplitOverlap(Struct, frozen=True, kw_only=True):
    """What two splits have in common; `queries` and `shares` are of the one and the other."""

    splits: tuple[str, str]
    queries: tuple[int, int]
    shares: tuple[float, float]
    pairs: int
    kinds: dict[LeakKind, int]


class AgainstOverlap(Struct, frozen=True, kw_only=True):
    """What the set has in common with the list it was checked against."""

    texts: int
    queries: int
    share: float
    kinds: dict[LeakKind, LeakCount]


class DocumentOverlap(Struct, frozen=True, kw_only=True):
    """Queries that were compared with texts of documents, and those that were copied.

    `exempt` are too short to tell. Where nothing was compared, `reason` says why.
    """

    compared: int
    exempt: int
    queries: int
    share: float | None
    kinds: dict[LeakKind, LeakCount]
    reason: str | UnsetType = UNSET


class SourceLeaks(Struct, frozen=True, kw_only=True):
    """The queries of one source, those that leaked, and those copied from documents."""

    queries: int
    leaked: int
    lifted: int
    share: float


class Conflict(Struct, frozen=True, kw_only=True):
    """One text under several ids whose judgments differ: grades by document, null: not judged."""

    query_ids: tuple[str, ...]
    text: str
    documents: dict[str, tuple[Grade | None, ...]]


class DocumentMatch(Struct, frozen=True, kw_only=True):
    """A query whose text is that of a document."""

    query_id: str
    document_id: str
    text: str


class MetricWithout(Struct, frozen=True, kw_only=True):
    """A mean over all queries with a value, over those that did not leak, and over the rest."""

    n: int
    mean: float | None
    n_without: int
    mean_without: float | None
    mean_leaked: float | None


class LeakageReport(Struct, frozen=True, kw_only=True):
    """Everything a check found.

    `leaked` counts queries that stand in a list or split for tuning, too, or in a document.
    `metrics` are a run's, with and without them. `listed` is how many pairs of each kind
    `/pairs` has; `cut` says that there are more than were looked for.
    """

    test_set: str
    queries: int
    leaked: int
    share: float
    within: dict[LeakKind, LeakCount]
    clusters: int
    largest_cluster: int
    splits: tuple[SplitOverlap, ...]
    documents: DocumentOverlap
    sources: dict[str, SourceLeaks]
    conflicts: tuple[Conflict, ...]
    in_corpus: tuple[DocumentMatch, ...]
    ids_as_documents: tuple[str, ...]
    diagnostics: tuple[Diagnostic, ...]
    listed: dict[LeakKind, int]
    pairs: tuple[LeakedPair, ...]
    cut: bool = False
    against: AgainstOverlap | UnsetType = UNSET
    metrics: dict[str, MetricWithout] | UnsetType = UNSET


class LeakageCheck(Struct, frozen=True, kw_only=True):
    """State of a check; `report` is there once it has ended well. Kept for a day."""

    id: str
    status: RunStatus
    created_at: str
    links: dict[str, str] = field(default_factory=dict)
    error: str | None = None
    poll_after_s: float | None = None
    report: LeakageReport | None = None


class LeakedPairPage(Struct, frozen=True, kw_only=True):
    """A page of pairs, gravest kinds first, then most alike."""

    items: tuple[LeakedPair, ...]
    next_cursor: str | None = None
