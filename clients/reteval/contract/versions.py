"""Versions of a test set: a change set makes one, and each says what it was made from."""

from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType, field

from reteval.contract import limits
from reteval.contract.differences import Changes, DiffRow
from reteval.contract.runs import TestSetRef
from reteval.contract.testsets import DocId, Grade, JudgmentSource, Moment, Query, Rater

MAX_NOTE_BYTES = 1_000
QueryId = Annotated[str, Meta(min_length=1, max_length=limits.MAX_ID_BYTES)]


class JudgmentChange(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A judgment to add, or to put in the place of the one there is; grade null: to remove."""

    query_id: QueryId
    id: DocId
    grade: Grade | None
    rater: Rater | UnsetType = UNSET
    at: Moment | UnsetType = UNSET
    source: JudgmentSource | UnsetType = UNSET


class ChangeSet(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The body of `POST /v1/test-sets/{test_set}/versions`: what is to be different.

    A query takes the place of the one with its id, judgments and all, or is added at the end. A
    change of a judgment applies to the queries as they then are.
    """

    note: Annotated[str, Meta(max_length=MAX_NOTE_BYTES)] = ""
    queries: list[Query] = field(default_factory=list)
    remove: list[QueryId] = field(default_factory=list)
    judgments: list[JudgmentChange] = field(default_factory=list)


class Version(Struct, frozen=True, kw_only=True):
    """A version of a name in its lineage: who made it, when, from what, and what it changed.

    `changes` are counted against `parent`; null where it was uploaded whole. `queries` counts
    variants, too.
    """

    id: str
    version: int
    hash: str
    created_at: str
    created_by: str
    parent: str | None
    note: str
    changes: Changes | None
    queries: int
    judgments: int


class VersionPage(Struct, frozen=True, kw_only=True):
    """A page of the versions of a name, newest first."""

    items: tuple[Version, ...]
    next_cursor: str | None = None


class DiffPage(Struct, frozen=True, kw_only=True):
    """A page of what `test_set` has that `against` has not, and the other way round.

    Rows stand in the order of the newer set, queries that are gone last; `changes` counts all.
    """

    test_set: TestSetRef
    against: TestSetRef
    changes: Changes
    items: tuple[DiffRow, ...]
    next_cursor: str | None = None
