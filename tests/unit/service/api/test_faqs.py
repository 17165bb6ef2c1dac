import httpx
import pytest

TABLE = (
    "question,answer,url\n"
    "How do I pay?,By card.,/pay\n"
    "Can I pay by card?,By card.,/pay\n"
    "Where are you?,Here.,/map\n"
)
OBJECTS = (
    '{"question": "How do I pay?", "answer": "By card.", "url": "/pay"}\n'
    '{"question": "Can I pay by card?", "answer": "By card.", "url": "/pay"}\n'
    '{"question": "Where are you?", "answer": "Here.", "url": "/map"}\n'
)


async def send(
    client: httpx.AsyncClient, body: str, media: str = "text/csv", **wanted: str
) -> httpx.Response:
    """Send questions and answers."""
    return await client.post(
        "/v1/faqs", params=wanted, content=body, headers={"Content-Type": media}
    )


async def test_faq_becomes_a_test_set(client: httpx.AsyncClient) -> None:
    """Each question is scorable by its document, at the highest grade; one answer, one cluster."""
    made = await send(client, TABLE, name="faq", scale_max="4", language="en")
    assert (made.status_code, made.json()["stats"]["scorable"]) == (201, 3)
    assert made.json()["stats"]["grades"] == {"4": 3}
    read = await client.get(f"{made.headers['Location']}/queries")
    first, second, third = read.json()["items"]
    assert (first["source"], first["relevant"][0]["id"]) == ("faq", "/pay")
    assert first["cluster_id"] == second["cluster_id"]
    assert "cluster_id" not in third


async def test_lines_are_the_same_set(client: httpx.AsyncClient) -> None:
    """The same pairs as JSON lines under the same name are the set that exists."""
    made = await send(client, TABLE, name="faq")
    again = await send(client, OBJECTS, "application/x-ndjson", name="faq")
    assert (again.status_code, again.json()["id"]) == (200, made.json()["id"])


@pytest.mark.parametrize(
    ("body", "row", "fix"),
    [
        ("question,url\nHow?,\n", 2, "document"),
        ("question,url\nHow?,/a\n,/b\n", 3, "question"),
        ("answer,url\nSo.,/a\n", 1, "columns"),
    ],
)
async def test_refusal_names_the_row(
    client: httpx.AsyncClient, body: str, row: int, fix: str
) -> None:
    """A row without its question or document is told with what to do; nothing is stored."""
    answer = await send(client, body)
    (item,) = answer.json()["errors"]
    assert (answer.status_code, item["row"], fix in item["fix"]) == (422, row, True)
    assert (await client.get("/v1/test-sets")).json()["items"] == []
