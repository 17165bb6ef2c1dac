"""Importing on a page: a preview of what files would become, and the import."""

import httpx

RANKLIB = b"3 qid:1 # d1 how to reset a password\n0 qid:1 # d2 how to reset a password\n"
BROKEN = b"query,docid,rating\nreset,d1,3\nreset,d1,1\n"


async def test_preview_stores_nothing(client: httpx.AsyncClient) -> None:
    """A preview says what the file was taken for and what it holds; the set is not there."""
    answer = await client.post("/test-sets/preview?name=docs", files={"file": ("a.txt", RANKLIB)})
    assert answer.status_code == 200, answer.text
    assert "It can be imported." in answer.text
    assert "ranklib, certain" in answer.text
    assert "how to reset a password" in answer.text
    assert (await client.get("/v1/test-sets")).json()["items"] == []


async def test_import_leads_to_the_set(client: httpx.AsyncClient) -> None:
    """What is imported is there, and shown; an empty file field was not sent."""
    files = {"file": ("a.txt", RANKLIB), "qrels": ("", b"")}
    answer = await client.post("/test-sets?name=docs", files=files)
    assert answer.status_code == 303, answer.text
    assert "docs v1" in (await client.get(answer.headers["location"])).text


async def test_what_cannot_be_read_is_told_row_by_row(client: httpx.AsyncClient) -> None:
    """Rows that contradict each other stand in the preview; importing them is refused."""
    preview = await client.post("/test-sets/preview", files={"file": ("a.csv", BROKEN)})
    assert "It cannot be imported as it is." in preview.text
    assert "Rows that cannot be taken" in preview.text
    refused = await client.post("/test-sets", files={"file": ("a.csv", BROKEN)})
    assert refused.status_code == 422
    assert 'role="alert"' in refused.text
    nothing = await client.post("/test-sets/preview", data={"file": ""})
    assert nothing.status_code in (400, 415, 422)


async def test_options_stay_in_the_address(client: httpx.AsyncClient) -> None:
    """Options that were set are kept for the files that are sent next."""
    page = (await client.get("/test-sets/new?name=docs&reverse=1-4&consensus=&grades=")).text
    assert 'action="/test-sets?name=docs&amp;reverse=1-4"' in page
    assert 'value="1-4"' in page
