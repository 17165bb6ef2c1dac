import re
from http import HTTPStatus
from typing import Any

import pytest

from reteval.contract.imports import ImportOptions, Negatives, Texts
from reteval.contract.testsets import Query
from service.core.importing import Upload, preview_upload
from service.core.ingest.draft import ingest
from service.core.ingest.formats.reading import read_import
from service.errors import ServiceError
from tests.unit.service.core.ingest.bodies import LAX, file
from tests.unit.service.core.ingest.corruptions import corrupt
from tests.unit.service.core.ingest.samples import ASKED, OPTIONS, PARTS, SAMPLES

SEEDS = 300
PLACE = re.compile(r"\b(?:line|row|column) \d|^/|\bbyte \d")


def upload(name: str, body: bytes) -> Upload:
    """A damaged file, with whole queries beside it where it needs some."""
    options: dict[str, Any] = {"texts": Texts.IDS, "negatives": Negatives.KEEP}
    files = [file(body, name, PARTS.get(name, ""))]
    if name.startswith("corpus"):
        files.append(file(ASKED["beir_queries"], "queries"))
    return Upload(files=files, head=LAX, options=ImportOptions(**(options | OPTIONS.get(name, {}))))


def names_a_place(error: ServiceError) -> bool:
    """Whether a refusal says where in the file the fault is, or that it is the whole file's."""
    if error.errors:
        return all(item.row or item.pointer for item in error.errors)
    whole = ("packed", "unpack", "Parquet")
    return bool(PLACE.search(error.detail)) or any(word in error.detail for word in whole)


@pytest.mark.no_cover
@pytest.mark.parametrize("name", sorted(SAMPLES))
async def test_damaged_file_is_refused_with_its_place_or_read(name: str) -> None:
    """300 damaged files of each format: each is refused with a place, or read consistently."""
    refused = 0
    for seed in range(SEEDS):
        sent = upload(name, corrupt(SAMPLES[name], seed))
        try:
            preview = await preview_upload(sent)
        except ServiceError as error:
            refused += 1
            if error.status >= HTTPStatus.INTERNAL_SERVER_ERROR or not names_a_place(error):
                pytest.fail(f"seed {seed}: {error.status} {error.detail}")
            continue
        refused += not preview.storable
        if not preview.storable:
            assert preview.refused or preview.problems, seed
            assert all(row.row or row.pointer for row in preview.refused), seed
            continue
        assert await counts(sent) == (preview.hash, preview.stats and preview.stats.judgments)
        assert preview.rows.read == sum(
            (preview.rows.accepted, preview.rows.refused, preview.rows.unrated)
        )
    assert refused > SEEDS // 10


async def counts(sent: Upload) -> tuple[str, int]:
    """Hash and number of judgments of what would be written if it were not a preview."""
    written: list[Query] = []

    async def write(batch: list[Query]) -> None:
        written.extend(batch)

    found = read_import(sent.files, sent.options, sent.head)
    if found.own is not None:
        again = await preview_upload(sent)
        return again.hash, again.stats.judgments if again.stats else 0
    found.settle()
    draft = await ingest(found.located(), sent.head, write)
    return draft.hash, sum(len(one.relevant or ()) for one in written)
