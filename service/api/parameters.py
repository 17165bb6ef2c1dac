"""Query parameters by route. Each struct's fields are what the route accepts, and no more."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from reteval.contract import limits
from reteval.contract.api_keys import DEFAULT_OVERLAP_HOURS, MAX_OVERLAP_HOURS
from reteval.contract.audit import AuditLog
from reteval.contract.history import DEFAULT_TREND, MAX_TREND
from reteval.contract.imports import ImportOptions
from reteval.contract.leaks import LeakKind
from reteval.contract.outcomes import OutcomeStatus
from reteval.contract.runs import RunStatus
from reteval.contract.schedules import DEFAULT_TIMES, MAX_TIMES, Cron, Zone
from reteval.contract.testsets import JudgmentSource, Moment, Rater
from reteval.contract.versions import MAX_NOTE_BYTES
from reteval.contract.votes import PairStatus

Limit = Annotated[
    int, Meta(ge=1, le=limits.MAX_PAGE, description="Items on a page; the last may have fewer.")
]
Cursor = Annotated[str, Meta(description="`next_cursor` of the page before; empty: begin.")]
Ref = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=limits.MAX_NAME_BYTES,
        description="Id of a test set, or its name (the newest version).",
    ),
]


Branch = Annotated[
    str, Meta(max_length=limits.MAX_NAME_BYTES, description="What `meta.branch` of the run says.")
]


class PageParameters(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A page of a list."""

    limit: Limit = limits.DEFAULT_PAGE
    cursor: Cursor = ""


class TestSetListParameters(PageParameters, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which test sets to list."""

    __test__ = False

    name: Annotated[
        str,
        Meta(
            max_length=limits.MAX_NAME_BYTES,
            description="Only the versions of a name, which may hold what a path cannot.",
        ),
    ] = ""


class DiffParameters(PageParameters, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What to compare a test set with."""

    against: Annotated[
        str,
        Meta(
            max_length=limits.MAX_NAME_BYTES,
            description="Id or name of the set before; empty: the one it was made from.",
        ),
    ] = ""


class RatingParameters(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a JSON change set has beside its judgments, for a table of ratings.

    `rater`, `at` and `source` hold for the rows that do not say it themselves.
    """

    note: Annotated[str, Meta(max_length=MAX_NOTE_BYTES)] = ""
    rater: Rater | UnsetType = UNSET
    at: Moment | UnsetType = UNSET
    source: JudgmentSource | UnsetType = UNSET


class UploadParameters(ImportOptions, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a JSON upload has beside its queries, for formats that hold only queries.

    And how files of other tools are read.
    """

    name: Annotated[str, Meta(min_length=1, max_length=limits.MAX_NAME_BYTES)] = "unnamed"
    scale_max: Annotated[int, Meta(ge=1, le=limits.MAX_GRADE)] = 3
    relevant_from: Annotated[int, Meta(ge=1, le=limits.MAX_GRADE)] = 1
    language: Annotated[str, Meta(max_length=35)] = ""
    id_rule: Annotated[str, Meta(max_length=64)] = ""
    allow_unscorable: bool = False
    dry_run: Annotated[
        bool, Meta(description="Answer 200 with what the upload would become; store nothing.")
    ] = False


class RunListParameters(PageParameters, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which runs to list; an absent filter fits all."""

    test_set: Annotated[str, Meta(max_length=limits.MAX_NAME_BYTES, description="Id or name.")] = ""
    label: Annotated[str, Meta(max_length=limits.MAX_NAME_BYTES)] = ""
    status: RunStatus | None = None
    schedule: Annotated[str, Meta(max_length=64, description="Id of what started them.")] = ""


class TimesParameters(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which times to tell."""

    cron: Annotated[Cron, Meta(description="Minute, hour, day of month, month, day of week.")]
    zone: Annotated[Zone, Meta(description="An IANA time zone.")] = "UTC"
    count: Annotated[int, Meta(ge=1, le=MAX_TIMES)] = DEFAULT_TIMES


class WaitParameters(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How long to hold the answer back."""

    wait: Annotated[
        float,
        Meta(
            ge=0,
            le=limits.MAX_WAIT_S,
            description="Seconds to wait for the run's end before answering with its progress.",
        ),
    ] = 0.0


class RowParameters(PageParameters, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which queries of a run, and in what order."""

    sort: Annotated[
        str, Meta(max_length=64, description="A metric, worst first, or `-metric`, best first.")
    ] = ""
    status: OutcomeStatus | None = None
    slice: Annotated[
        str, Meta(max_length=600, description="A slice of the run, such as `tag:faq`.")
    ] = ""


class LeakedPairParameters(PageParameters, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which pairs of a leakage check; without a kind, all."""

    kind: LeakKind | None = None


class VariantParameters(PageParameters, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which variants of a run."""

    kind: Annotated[str, Meta(max_length=200, description="Such as `typo.mixed`.")] = ""


class HistoryParameters(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Whose history."""

    test_set: Ref


class TrendParameters(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Whose trend, and of what."""

    test_set: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=limits.MAX_NAME_BYTES,
            description="Id of a test set, or a name for all its versions.",
        ),
    ]
    metric: Annotated[
        str,
        Meta(max_length=64, description="Empty: the first metric of the newest run with numbers."),
    ] = ""
    label: Annotated[str, Meta(max_length=limits.MAX_NAME_BYTES)] = ""
    limit: Annotated[
        int, Meta(ge=1, le=MAX_TREND, description="Newest ended runs of each version.")
    ] = DEFAULT_TREND


class UnjudgedParameters(PageParameters, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A page of the list, or all of it as CSV, which has no pages."""

    format: Literal["json", "csv"] = "json"


class JudgedPairParameters(PageParameters, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which pairs of a judging; without a status, all."""

    status: PairStatus | None = None


class ReviewParameters(PageParameters, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A page of the queue, or all of it as CSV, which has no pages and no suggestions."""

    format: Literal["json", "csv"] = "json"
    audit: Annotated[
        Literal["pairs", "queries"],
        Meta(description="`queries`: not the queue, but every pair of queries drawn at random."),
    ] = "pairs"
    suggest: Annotated[bool, Meta(description="Show what a model says, which sways.")] = False


class RaterParameters(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Whose votes a table holds, where its rows do not say."""

    rater: Annotated[str, Meta(max_length=limits.MAX_NAME_BYTES)] = ""


class KeyListParameters(PageParameters, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Whose keys to list."""

    team: Annotated[str, Meta(max_length=63, description="Of another team: for admins.")] = ""


class RotateParameters(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How long the old key goes on."""

    overlap_hours: Annotated[
        int,
        Meta(ge=0, le=MAX_OVERLAP_HOURS, description="Hours the old key still opens."),
    ] = DEFAULT_OVERLAP_HOURS


class GrantListParameters(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which grants to list."""

    received: Annotated[bool, Meta(description="Those of others to this team.")] = False


class LatestParameters(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which runs are looked among; one of the two must be given."""

    test_set: Annotated[
        str,
        Meta(
            max_length=limits.MAX_NAME_BYTES,
            description="Id of a test set, or a name for all its versions.",
        ),
    ] = ""
    label: Annotated[str, Meta(max_length=limits.MAX_NAME_BYTES)] = ""
    branch: Branch = ""
    team: Annotated[str, Meta(max_length=63, description="Whose runs; empty: anyone's.")] = ""


class AuditParameters(PageParameters, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which log: what was changed, or who was let in by a grant and who was refused."""

    log: AuditLog = AuditLog.CHANGES
