"""How one test set differs from another: what was counted, and each difference as a row."""

from enum import StrEnum

from msgspec import Struct


class Change(StrEnum):
    """What became of a query or a judgment."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"


class Subject(StrEnum):
    """What a difference is about."""

    QUERY = "query"
    JUDGMENT = "judgment"


class ChangeCounts(Struct, frozen=True, kw_only=True):
    """How many were added, removed and changed."""

    added: int = 0
    removed: int = 0
    changed: int = 0


class Changes(Struct, frozen=True, kw_only=True):
    """Counts of a whole difference.

    `head` names the fields of the set itself that differ. Judgments of queries that came or went
    are counted, so that the numbers of judgments differ by `added` less `removed`; a changed one
    has another grade. A query whose judgments alone differ is not a changed one. `reordered`:
    queries that both sets have stand in another order.
    """

    queries: ChangeCounts = ChangeCounts()
    judgments: ChangeCounts = ChangeCounts()
    head: tuple[str, ...] = ()
    reordered: bool = False


class DiffRow(Struct, frozen=True, kw_only=True):
    """A query that was added, removed or changed (in `fields`), or a judgment of one.

    `query` is its text, the newer one where it changed. For a judgment, `document_id` says of
    what; `before` and `after` are its grades, null where there is none.
    """

    subject: Subject
    change: Change
    query_id: str
    query: str
    fields: tuple[str, ...] = ()
    document_id: str | None = None
    before: int | None = None
    after: int | None = None
