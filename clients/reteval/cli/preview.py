"""The preview of an upload as text: files, rows, what is refused and why, first queries."""

from collections.abc import Iterable, Iterator
from typing import Final

from reteval._uploads import UploadOptions
from reteval.cli.report import diagnostic_lines
from reteval.cli.session import Exit, Session
from reteval.cli.tables import table
from reteval.contract.imports import ImportPreview

_FEW: Final = 3
"""Rows that are shown of those that are refused for one reason."""


def show_preview(session: Session, words: UploadOptions) -> int:
    """Print what an upload would become; refused if it would not be stored."""
    options = session.options
    files = options.files or [options.topics, options.qrels]
    preview = session.client.preview_upload(*files, **words)
    if options.json:
        session.print_json(preview)
    else:
        session.print("".join(line + "\n" for line in render_preview(preview)))
    return Exit.DONE if preview.storable else Exit.REFUSED


def render_preview(preview: ImportPreview) -> Iterator[str]:
    """Yield the lines of a preview."""
    rows = [
        (one.name, one.format, one.holds, one.sure.value, one.encoding, f"{one.rows:,}")
        for one in preview.files
    ]
    head = ("file", "format", "holds", "sure", "encoding", "rows")
    yield from table(head, rows, prose=("format", "holds", "sure", "encoding"))
    yield ""
    counts = preview.rows
    yield (
        f"rows      {counts.read:,} read, {counts.accepted:,} accepted, {counts.refused:,} "
        f"refused, {counts.unrated:,} unrated; {counts.duplicates:,} repeated, "
        f"{counts.conflicts:,} in conflict"
    )
    if preview.grades:
        yield "grades    " + ", ".join(f"{name}: {n:,}" for name, n in preview.grades.items())
    if preview.stats is not None:
        stats = preview.stats
        yield (
            f"set       {stats.queries:,} queries ({stats.scorable:,} scorable, "
            f"{preview.unjudged_queries:,} unjudged), {stats.judgments:,} judgments"
        )
    yield from diagnostic_lines(preview.warnings)  # first: they often are why rows are refused
    yield from _refusals(preview)
    yield from (f"query     {one.id}: {one.query[:100]}" for one in preview.queries)
    yield "" if preview.storable else "it would not be stored as it is"


def _refusals(preview: ImportPreview) -> Iterator[str]:
    for reason, count in preview.reasons.items():
        yield f"refused   {reason}: {count:,}"
    places = (
        (f"  {row.file} {row.pointer or f'row {row.row}'}: {row.message}", row.fix)
        for row in preview.refused
    )
    yield from _by_cure(places)
    problems = (
        (f"problem   {one.pointer or f'row {one.row}'}: {one.message}", one.fix)
        for one in preview.problems
    )
    yield from _by_cure(problems)


def _by_cure(found: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Yield the first few of those that one cure mends, how many more there are, and the cure."""
    cures: dict[str, list[str]] = {}
    for line, cure in found:
        cures.setdefault(cure, []).append(line)
    for cure, lines in cures.items():
        yield from lines[:_FEW]
        if len(lines) > _FEW:
            yield f"       and {len(lines) - _FEW} more like it"
        yield f"       fix: {cure}"
