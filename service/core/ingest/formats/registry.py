"""All formats, and which of them a file has."""

from typing import Final

from reteval.contract.imports import FormatEntry, ImportOptions, Sureness
from reteval.contract.problems import ProblemItem
from service.core.ingest.formats import (
    beir,
    engines,
    lines,
    mappings,
    own,
    parquet,
    records,
    sheets,
    topics,
)
from service.core.ingest.formats.format import Format, Holds, Likeness
from service.core.ingest.formats.sample import Sample
from service.errors import InvalidError

FORMATS: Final[tuple[Format, ...]] = (
    *own.FORMATS,
    *sheets.FORMATS,
    *lines.FORMATS,
    *topics.FORMATS,
    *beir.FORMATS,
    *records.FORMATS,
    *mappings.FORMATS,
    *engines.FORMATS,
    *parquet.FORMATS,
)
BY_NAME: Final = {one.name: one for one in FORMATS}
_EXCERPT: Final = 80
_ANYTHING: Final = frozenset(Holds)
_QUERIES: Final = frozenset({Holds.QUERIES, Holds.BOTH, Holds.SET})
_BY_PART: Final = {
    "topics": ("topics_tsv", _QUERIES),
    "queries": ("topics_tsv", _QUERIES),
    "qrels": ("trec_qrels", frozenset({Holds.JUDGMENTS, Holds.BOTH, Holds.RUN})),
    "corpus": ("", frozenset({Holds.CORPUS})),
}
"""Parts whose names say what a file holds: what it is read as where its content is any's."""


def describe_formats() -> tuple[FormatEntry, ...]:
    """Describe every format."""
    return tuple(
        FormatEntry(name=one.name, holds=one.holds, about=one.about, example=one.example)
        for one in FORMATS
    )


def find_format(sample: Sample, options: ImportOptions) -> tuple[Format, Likeness]:
    """Return the format of a file: told, or found by its content.

    Raises:
        InvalidError: it is none, or the name that was told is that of none.
        MalformedJsonError: it begins as JSON, and is none.
    """
    if options.columns and sample.header:
        return BY_NAME["columns"], Likeness(Sureness.TOLD, "its columns were named")
    found = likenesses(sample)
    if options.format:
        return _told(options.format, found)
    name, holds = _BY_PART.get(sample.part, ("", _ANYTHING))
    found = [pair for pair in found if pair[0].holds in holds]
    if not found and name:
        return BY_NAME[name], Likeness(Sureness.TOLD, f"it was sent as the part {sample.part}")
    if not found:
        raise _unknown(sample)
    return found[0]


def likenesses(sample: Sample) -> list[tuple[Format, Likeness]]:
    """Return the formats that a file may have, the surest first."""
    found = [(one, likeness) for one in FORMATS if (likeness := one.detect(sample)) is not None]
    return sorted(found, key=lambda pair: pair[1].sure != Sureness.CERTAIN)


def _told(name: str, found: list[tuple[Format, Likeness]]) -> tuple[Format, Likeness]:
    if name not in BY_NAME:
        item = ProblemItem(
            pointer="?format",
            message=f"there is no format {name!r}",
            fix=f"Leave it out, or use one of: {', '.join(BY_NAME)}.",
        )
        raise InvalidError(f"{item.message}. {item.fix}", errors=[item])
    # A name is that of one file among several: it decides where content does not.
    same = [pair for pair in found if pair[0].name == name]
    if not same and found and found[0][1].sure is Sureness.CERTAIN:
        return found[0]
    return BY_NAME[name], Likeness(Sureness.TOLD, "its format was named")


def _unknown(sample: Sample) -> InvalidError:
    first = sample.lines[0][:_EXCERPT] if sample.lines else ""
    keys = ", ".join(list(sample.record)[:10])
    seen = f"an object with {keys[:200]}" if sample.record else f"a first line {first!r}"
    item = ProblemItem(
        pointer="",
        row=1,
        message=f"{sample.name.strip()}: no format fits {seen if first or keys else 'no content'}",
        fix="Name the columns of a table with columns=query:…,docid:…,rating:…, or see "
        "GET /v1/formats for what is read.",
    )
    return InvalidError(f"{item.message}. {item.fix}", errors=[item])
