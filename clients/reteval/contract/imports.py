"""Imports: how files of other tools are to be read, and what a dry run tells about them."""

from enum import StrEnum
from typing import Annotated, Any

from msgspec import Meta, Struct, field

from reteval.contract.diagnostics import Diagnostic
from reteval.contract.problems import ProblemItem
from reteval.contract.testsets import Query, TestSetStats


class Negatives(StrEnum):
    """What a negative grade means: `keep` is judged and worth nothing; `unjudged` leaves it out."""

    KEEP = "keep"
    UNJUDGED = "unjudged"


class Consensus(StrEnum):
    """Which grade counts where raters differ.

    `median` of an even number is the lower one; `majority_then_min` takes the least grade where
    none has more than half the votes; `mean_rounded` rounds halves up; `human_last` is the last
    one in the file by a rater who is not among `models`.
    """

    MEDIAN = "median"
    MAJORITY_THEN_MIN = "majority_then_min"
    MEAN_ROUNDED = "mean_rounded"
    HUMAN_LAST = "human_last"


class QueryIds(StrEnum):
    """How judgments name queries.

    By the ids of the `file`; by `ordinal`, 1 the first query; or by `number`, where leading zeros
    do not count.
    """

    FILE = "file"
    ORDINAL = "ordinal"
    NUMBER = "number"


class Texts(StrEnum):
    """Where the texts of queries are: `given` in a file, or nowhere, so that `ids` stand there."""

    GIVEN = "given"
    IDS = "ids"


class Unlabelled(StrEnum):
    """What becomes of queries that nobody judged."""

    KEEP = "keep"
    DROP = "drop"


class OnError(StrEnum):
    """What becomes of an upload with rows that cannot be read."""

    REFUSE = "refuse"
    SKIP = "skip"


Listed = Annotated[str, Meta(max_length=2_000)]


class ImportOptions(Struct, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """How files are read. Without any, everything that must not be guessed is refused.

    `format` is found by content. `columns` names those of a table, `query:Query Text,docid:Doc
    ID,rating:Rating`. `grades` maps labels, `E:3,S:2,C:1,I:0`, or cuts numbers,
    `>=0.75:3,>=0.5:2,>=0.25:1` (0 below all cuts). `reverse` names the best and the worst grade
    of a scale that runs backwards, `1-4`. `models` are raters, by comma, who are no people.
    """

    format: Annotated[str, Meta(max_length=64)] = ""
    columns: Listed = ""
    grades: Listed = ""
    reverse: Annotated[str, Meta(pattern=r"^(-?\d{1,3}-\d{1,3})?$")] = ""
    negatives: Negatives | None = None
    consensus: Consensus | None = None
    models: Listed = ""
    query_ids: QueryIds = QueryIds.FILE
    texts: Texts = Texts.GIVEN
    unlabelled: Unlabelled = Unlabelled.KEEP
    on_error: OnError = OnError.REFUSE


class Sureness(StrEnum):
    """How a format was found."""

    TOLD = "told"
    CERTAIN = "certain"
    LIKELY = "likely"


class ImportedFile(Struct, frozen=True, kw_only=True):
    """A file of an upload, or of a zip in it, and what it was taken for."""

    name: str
    format: str
    holds: str
    sure: Sureness
    why: str
    encoding: str = ""
    rows: int = 0


class RefusedRow(Struct, frozen=True, kw_only=True):
    """A row that cannot be taken, where it stands and why."""

    file: str
    row: int | None
    reason: str
    message: str
    fix: str
    pointer: str = ""


class ImportRows(Struct, frozen=True, kw_only=True):
    """Rows by what became of them; `duplicates` and `conflicts` are among the accepted and refused.

    `unrated` rows name a document without a grade.
    """

    read: int = 0
    accepted: int = 0
    refused: int = 0
    unrated: int = 0
    duplicates: int = 0
    conflicts: int = 0


class ImportPreview(Struct, frozen=True, kw_only=True):
    """What an upload would become; nothing was stored.

    `storable` says whether the same upload without `dry_run` would be stored. `refused` holds the
    first 20 rows and `reasons` counts all; `problems` are rules that the set as a whole breaks.
    `grades` counts the grades as written. `stats` and `hash` are those of the set that would be
    stored, `queries` its first few.
    """

    storable: bool
    files: tuple[ImportedFile, ...]
    rows: ImportRows
    refused: tuple[RefusedRow, ...] = ()
    reasons: dict[str, int] = field(default_factory=dict)
    problems: tuple[ProblemItem, ...] = ()
    grades: dict[str, int] = field(default_factory=dict)
    unjudged_queries: int = 0
    warnings: tuple[Diagnostic, ...] = ()
    stats: TestSetStats | None = None
    hash: str = ""
    queries: tuple[Query, ...] = ()


class FormatEntry(Struct, frozen=True, kw_only=True):
    """A format that uploads are read in: what a file of it holds, and how one looks."""

    name: str
    holds: str
    about: str
    example: Any = ""
