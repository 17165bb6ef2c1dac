"""Writes a layout as bytes, holding one stored chunk of queries at a time."""

import asyncio
import zipfile
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Final

from msgspec import Struct

from reteval.contract.exports import Loss
from reteval.contract.testsets import Query, TestSet
from service.core.exports.archives import add_text, stream_zip
from service.core.exports.layout import File, Layout, Reading, Stretch

_README: Final = """\
{name}, version {version} of a reteval test set ({id}, {hash})

{files}

Grades up to {most}; relevant from grade {least}; language: {language}; id rule: {id_rule}.
{lost}
"""
_WHOLE: Final = "Nothing of the set is missing here."
_LOST: Final = "Not, or not exactly, in here: {}. docs/exports.md says what each of these means."


class Source(Struct, frozen=True, kw_only=True):
    """A test set to be written; `read` begins a new reading of its queries."""

    test_set: TestSet
    index: str
    read: Callable[[], AsyncIterator[list[Query]]]


async def stream_file(source: Source, file: File) -> AsyncIterator[bytes]:
    """Yield a file, a reading after the other."""
    for reading in file.readings:
        if opening := reading.before(source.test_set):
            yield opening
        start, began = 0, False
        async for queries in source.read():
            stretch = Stretch(
                queries=queries, start=start, test_set=source.test_set, index=source.index
            )
            if text := await asyncio.to_thread(_write, reading, stretch, began=began):
                yield text
                began = True
            start += len(queries)
        if reading.after:
            yield reading.after


def stream_archive(source: Source, layout: Layout, lost: Sequence[Loss]) -> AsyncIterator[bytes]:
    """Yield a zip of a layout's files with a README that says what is in it and what is not."""

    async def fill(archive: zipfile.ZipFile) -> None:
        add_text(archive, "README.txt", write_readme(source.test_set, layout, lost))
        for file in layout.files:
            with archive.open(file.name, "w", force_zip64=True) as entry:
                async for text in stream_file(source, file):
                    await asyncio.to_thread(entry.write, text)

    return stream_zip(fill)


def write_readme(test_set: TestSet, layout: Layout, lost: Sequence[Loss]) -> str:
    """Describe an archive."""
    return _README.format(
        name=test_set.name,
        version=test_set.version,
        id=test_set.id,
        hash=test_set.hash,
        files="\n".join(f"{file.name}: {file.about}" for file in layout.files),
        most=test_set.scale.max,
        least=test_set.relevant_from,
        language=test_set.language or "not said",
        id_rule=test_set.id_rule or "none",
        lost=_LOST.format(", ".join(lost)) if lost else _WHOLE,
    )


def _write(reading: Reading, stretch: Stretch, *, began: bool) -> bytes:
    text = reading.between.join(reading.write(stretch))
    return reading.between + text if began and text else text
