import asyncio
import io
import zipfile
from collections.abc import AsyncIterator

import pytest

from reteval.contract.exports import ExportFormat, Loss
from reteval.contract.testsets import Query
from service.core.exports.layout import ZIP
from service.core.exports.registry import LAYOUTS
from service.core.exports.streaming import Source, stream_file
from tests.unit.service.core.exports.written import ODD, a_set, write


def readme(**changes: object) -> str:
    """Return the README of a zip."""
    with zipfile.ZipFile(io.BytesIO(write(ExportFormat.BEIR, **changes))) as archive:
        return archive.read("README.txt").decode()


def test_readme_says_what_is_lost() -> None:
    """The archive names its files, what is said of the set, and what it leaves out."""
    text = readme(lost=(Loss.TAGS, Loss.SPLIT), language="de", id_rule="lower")
    assert "docs, version 2 of a reteval test set (ts_1, sha256:docs)" in text
    assert "queries.jsonl: " in text
    assert "qrels/test.tsv: " in text
    assert "Grades up to 3; relevant from grade 1; language: de; id rule: lower." in text
    assert "not exactly, in here: tags, split." in text


def test_readme_says_that_nothing_is_lost() -> None:
    """Where all is in it, the archive says so."""
    assert "Nothing of the set is missing here." in readme()
    assert "language: not said; id rule: none." in readme()


def test_same_set_is_the_same_bytes() -> None:
    """No clock of the server is in an archive."""
    assert write(ExportFormat.TREC, ODD) == write(ExportFormat.TREC, ODD)


@pytest.mark.parametrize("form", [name for name, layout in LAYOUTS.items() if layout.ending != ZIP])
def test_a_chunk_is_written_before_the_next_is_read(form: ExportFormat) -> None:
    """However large a set is, one chunk of it is held: what was read has gone out."""
    read: list[int] = []

    async def chunks() -> AsyncIterator[list[Query]]:
        for number in range(4):
            read.append(number)
            yield [ODD[0]]

    async def pull() -> list[int]:
        source = Source(test_set=a_set([ODD[0]]), index="docs", read=chunks)
        return [len(read) async for block in stream_file(source, LAYOUTS[form].files[0]) if block]

    seen = asyncio.run(pull())
    assert set(seen) >= {1, 2, 3, 4}
