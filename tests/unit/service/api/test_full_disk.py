import resource
from collections.abc import Iterator

import httpx
import pytest


@pytest.fixture
def _no_room() -> Iterator[None]:
    """Let no file of this process grow over 64 KB."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (65_536, hard))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.usefixtures("_no_room")
async def test_upload_that_the_disk_has_no_room_for_is_refused(client: httpx.AsyncClient) -> None:
    """A body that cannot be put aside is answered with what to do, and the next is taken."""
    body, media = (
        b"query,docid,rating\n" + b"red shoes,d,1\n" * 600_000,
        {"Content-Type": "text/csv"},
    )
    answer = await client.post("/v1/test-sets", content=body, headers=media)
    assert (answer.status_code, answer.json()["code"]) == (507, "storage_full")
    assert "TMPDIR" in answer.json()["detail"]
    made = await client.post("/v1/test-sets", content=body[:33], headers=media)
    assert made.status_code == 201
