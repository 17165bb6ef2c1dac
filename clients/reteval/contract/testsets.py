"""Test sets: queries with the documents that answer them, as sent, stored and returned."""

from enum import StrEnum
from typing import Annotated, Any

from msgspec import UNSET, Meta, Struct, UnsetType, field

from reteval.contract import limits
from reteval.contract.diagnostics import Diagnostic
from reteval.contract.differences import Changes
from reteval.contract.endpoints import Fields
from reteval.contract.shown import Shown

Name = Annotated[str, Meta(min_length=1, max_length=limits.MAX_NAME_BYTES)]
DocId = str | int
Grade = Annotated[int, Meta(ge=limits.MIN_GRADE, le=limits.MAX_GRADE)]


class Expect(StrEnum):
    """What a query without relevant documents is there for."""

    NOTHING = "nothing"


class JudgmentSource(StrEnum):
    """Whose word a judgment is: a person's, a model's, what users clicked, or another file's."""

    HUMAN = "human"
    LLM = "llm"
    CLICK = "click"
    IMPORT = "import"


Rater = Annotated[
    str,
    Meta(
        min_length=1, max_length=limits.MAX_NAME_BYTES, description="Who judged: a name or model."
    ),
]
Moment = Annotated[
    str, Meta(max_length=32, description="A moment in UTC, such as `2026-01-31T12:00:00Z`.")
]


class Judgment(Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """How relevant one document is. An integer id is stored as its decimal string.

    `rater`, `at` and `source` say who judged, when, and what kind of rater that was. They are
    kept and returned, and are no part of the content hash.
    """

    id: DocId
    grade: Grade = 1
    rater: Rater | UnsetType = UNSET
    at: Moment | UnsetType = UNSET
    source: JudgmentSource | UnsetType = UNSET


class Query(Struct, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """One query of a test set.

    Judgments come as `relevant`, or as `relevant_ids` with `grades` beside it; they are
    stored and returned as `relevant`. `parent` and `kind` mark a hand-made variant of
    another query of the set. `fields` are what else a request may need, such as a filter or an
    embedding; an endpoint's description names them `{{field.NAME}}`.
    """

    query: str
    id: str = ""
    relevant: list[Judgment] | UnsetType = UNSET
    relevant_ids: list[DocId] | UnsetType = UNSET
    grades: list[Grade] | UnsetType = UNSET
    tags: list[str] = field(default_factory=list)
    split: str = ""
    expect: Expect | None = None
    cluster_id: str = ""
    source: str = ""
    parent: str = ""
    kind: str = ""
    fields: Fields = field(default_factory=dict)


class Scale(Struct, frozen=True, forbid_unknown_fields=True):
    """The grades in use: integers up to `max`."""

    max: Annotated[int, Meta(ge=1, le=limits.MAX_GRADE)] = 3


class TestSetHead(Struct, kw_only=True, forbid_unknown_fields=True):
    """Everything of a test set but its queries; NDJSON takes these as query parameters."""

    __test__ = False  # not a pytest class, whatever its name says

    name: Name = "unnamed"
    scale: Scale = Scale()
    relevant_from: Annotated[int, Meta(ge=1, le=limits.MAX_GRADE)] = 1
    language: Annotated[str, Meta(max_length=35)] = ""
    id_rule: Annotated[str, Meta(max_length=64)] = ""
    allow_unscorable: bool = False


class TestSetUpload(TestSetHead, kw_only=True, forbid_unknown_fields=True):
    """The JSON body of an upload."""

    queries: list[Query]


class TestSetStats(Struct, frozen=True, kw_only=True):
    """Counts of a stored set. `scorable`: has a document of grade `relevant_from` or more.

    `variants` are queries with a `parent`; they are in none of the other query counts.
    `grades` maps each grade, as a string, to its number of judgments. `text_bytes` are those of
    texts and ids of queries, `id_bytes` those of judged ids; `slices` counts tags, splits and
    sources, up to 100.
    """

    __test__ = False

    queries: int
    scorable: int
    unscorable: int
    expect_nothing: int
    variants: int
    judgments: int
    grades: dict[str, int]
    tags: dict[str, int] = field(default_factory=dict)
    text_bytes: int = 0
    id_bytes: int = 0
    slices: int = 0


class TestSet(Shown, Struct, frozen=True, kw_only=True):
    """A stored test set without its queries; immutable. `bytes` is what the store keeps of it.

    One that was made by changing another, its `parent`, has `changes`, counted when it was made,
    and a `note`. `created_by` is the id of the key that made it; empty where no key was asked for.
    """

    __test__ = False

    id: str
    name: str
    version: int
    hash: str
    created_at: str
    scale: Scale
    relevant_from: int
    language: str
    id_rule: str
    allow_unscorable: bool
    stats: TestSetStats
    warnings: tuple[Diagnostic, ...] = field(default=())
    bytes: int = 0
    parent: str | None = None
    note: str = ""
    created_by: str = ""
    changes: Changes | None = None


class TestSetPage(Struct, frozen=True, kw_only=True):
    """A page of test sets, newest first."""

    __test__ = False

    items: tuple[TestSet, ...]
    next_cursor: str | None = None


class QueryPage(Struct, frozen=True, kw_only=True):
    """A page of a test set's queries, in upload order."""

    items: tuple[Query, ...]
    next_cursor: str | None = None


JsonObject = dict[str, Any]
