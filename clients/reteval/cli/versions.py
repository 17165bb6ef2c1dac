"""The commands about versions of test sets: make one, list them, tell two apart."""

from collections.abc import Iterable, Iterator
from typing import Final, cast

from reteval._version_calls import RatingOptions
from reteval.cli.report import diagnostic_lines
from reteval.cli.session import Exit, Session
from reteval.cli.tables import NOTHING, table
from reteval.contract.differences import ChangeCounts, Changes, DiffRow, Subject
from reteval.contract.versions import DiffPage, Version

_HEAD: Final = ("version", "id", "made", "by", "from", "queries", "judgments", "note")
_PROSE: Final = ("id", "made", "by", "from", "queries", "judgments", "note")
_TO_SECONDS: Final = 19
"""Characters of a timestamp without its fractions."""


def version(session: Session) -> int:
    """Change a test set into a new version."""
    options = session.options
    given = {name: getattr(options, name) for name in RatingOptions.__optional_keys__}
    stated = cast("RatingOptions", {name: text for name, text in given.items() if text is not None})
    made = session.client.create_version(options.test_set, options.file, **stated)
    if session.options.json:
        session.print_json(made)
        return Exit.DONE
    lines = [f"{made.id} {made.name} version {made.version}"]
    lines += [] if made.changes is None else _change_lines(made.changes)
    session.print("\n".join([*lines, *diagnostic_lines(made.warnings)]) + "\n")
    return Exit.DONE


def versions(session: Session) -> int:
    """Print the versions of a name, newest first."""
    found = list(session.client.versions(session.options.test_set))
    if session.options.json:
        for one in found:
            session.print_json(one)
    else:
        rows = [_cells(one) for one in found]
        session.print("\n".join(table(_HEAD, rows, prose=_PROSE)) + "\n")
    return Exit.DONE


def diff(session: Session) -> int:
    """Print how two test sets differ."""
    options = session.options
    found = session.client.diff(options.test_set, options.against)
    rows = session.client.diff_rows(options.test_set, options.against) if options.rows else ()
    if options.json:
        session.print_json(found)
        for row in rows:
            session.print_json(row)
    else:
        session.print("\n".join(_diff_lines(found, rows)) + "\n")
    return Exit.DONE


def _diff_lines(found: DiffPage, rows: Iterable[DiffRow]) -> Iterator[str]:
    after, before = found.test_set, found.against
    yield (
        f"{after.name} version {after.version} ({after.id}) against "
        f"{before.name} version {before.version} ({before.id})"
    )
    yield from _change_lines(found.changes)
    for row in rows:
        yield _row_line(row)


def _change_lines(changes: Changes) -> Iterator[str]:
    yield f"queries    {_count(changes.queries)}"
    yield f"judgments  {_count(changes.judgments)}"
    if changes.head:
        yield f"of the set {', '.join(changes.head)}"
    if changes.reordered:
        yield "queries stand in another order"


def _row_line(row: DiffRow) -> str:
    if row.subject is Subject.QUERY:
        fields = f" ({', '.join(row.fields)})" if row.fields else ""
        return f"{row.change.value:<8} query {row.query_id}{fields}: {row.query}"
    before, after = (NOTHING if grade is None else grade for grade in (row.before, row.after))
    pair = f"{row.document_id} for {row.query_id}"
    return f"{row.change.value:<8} judgment of {pair}: {before} > {after}"


def _count(counts: ChangeCounts) -> str:
    return f"{counts.added:,} added, {counts.removed:,} removed, {counts.changed:,} changed"


def _cells(one: Version) -> tuple[str, ...]:
    changes = one.changes
    return (
        str(one.version),
        one.id,
        one.created_at[:_TO_SECONDS],
        one.created_by,
        one.parent or "",
        _brief(one.queries, None if changes is None else changes.queries),
        _brief(one.judgments, None if changes is None else changes.judgments),
        one.note,
    )


def _brief(total: int, counts: ChangeCounts | None) -> str:
    if counts is None:
        return f"{total:,}"
    return f"{total:,} (+{counts.added:,} -{counts.removed:,} ~{counts.changed:,})"
