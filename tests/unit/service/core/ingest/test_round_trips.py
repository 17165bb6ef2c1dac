import csv
import io
import json
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reteval.contract.imports import Negatives
from reteval.contract.testsets import Query, TestSetHead
from service.core.ingest.draft import Draft
from service.errors import ServiceError
from tests.unit.service.core.ingest.bodies import (
    json_body,
    lines,
    query,
    take_csv,
    take_json,
    take_ndjson,
    take_trec,
)

HEAD = TestSetHead(allow_unscorable=True)
PRINTABLE = st.characters(exclude_categories=["Cc", "Cs"])
LABEL = st.text(PRINTABLE, min_size=1, max_size=12)
TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=40)
WORD = st.text("abcé日0-_.:/", min_size=1, max_size=8)


def spelt_out(one: dict[str, Any]) -> dict[str, Any]:
    """The same query with `relevant` instead of two arrays."""
    rest = {name: value for name, value in one.items() if name not in {"relevant_ids", "grades"}}
    pairs = zip(one["relevant_ids"], one["grades"], strict=True)
    return rest | {"relevant": [{"id": name, "grade": grade} for name, grade in pairs]}


@st.composite
def uploads(draw: st.DrawFn, text: Any = TEXT, label: Any = LABEL) -> list[dict[str, Any]]:
    """Valid queries with ids, in the spelling with two arrays."""
    ids = draw(st.lists(label, min_size=1, max_size=5, unique=True))
    queries = []
    for name in ids:
        judged = draw(st.dictionaries(label, st.integers(-2, 3), max_size=4))
        queries.append(
            {
                "query": draw(text),
                "id": name,
                "relevant_ids": list(judged),
                "grades": list(judged.values()),
            }
        )
    return queries


def table(queries: list[dict[str, Any]]) -> bytes:
    """The same queries as CSV."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, quoting=csv.QUOTE_ALL)
    writer.writerow(["query_id", "query", "docid", "rating"])
    for one in queries:
        for name, grade in zip(one["relevant_ids"], one["grades"], strict=True):
            writer.writerow([one["id"], one["query"], name, grade])
        if not one["relevant_ids"]:
            writer.writerow([one["id"], one["query"], "", ""])
    return out.getvalue().encode()


@given(uploads())
def test_json_and_ndjson_are_one_set_in_both_spellings(queries: list[dict[str, Any]]) -> None:
    """Hash, counts, warnings and stored queries do not depend on how a set came."""
    spelt = [spelt_out(one) for one in queries]
    results: list[tuple[Draft, list[Query]]] = [
        take_json(json_body(*queries, allow_unscorable=True)),
        take_json(json_body(*spelt, allow_unscorable=True)),
        take_ndjson(lines(*queries), HEAD, 13),
        take_ndjson(lines(*spelt), HEAD),
    ]
    for draft, written in results:
        assert (draft.hash, draft.stats) == (results[0][0].hash, results[0][0].stats)
        assert written == results[0][1]
    assert [one.query for one in results[0][1]] == [one["query"] for one in queries]


@given(uploads(label=WORD))
def test_csv_is_the_same_set(queries: list[dict[str, Any]]) -> None:
    """A table carries texts with any character exactly."""
    assert (
        take_csv(table(queries), HEAD, negatives=Negatives.KEEP)[0].hash
        == take_ndjson(lines(*queries), HEAD)[0].hash
    )


@given(uploads(text=WORD, label=WORD))
def test_trec_is_the_same_set(queries: list[dict[str, Any]]) -> None:
    """Topics and qrels carry ids without blanks exactly."""
    topics = "".join(f"{one['id']}\t{one['query']}\n" for one in queries)
    qrels = "".join(
        f"{one['id']} 0 {name} {grade}\n"
        for one in queries
        for name, grade in zip(one["relevant_ids"], one["grades"], strict=True)
    )
    draft, _ = take_trec(topics.encode(), qrels.encode(), HEAD, negatives=Negatives.KEEP)
    assert draft.hash == take_ndjson(lines(*queries), HEAD)[0].hash


@given(uploads())
def test_a_stored_set_sent_again_is_the_same_set(queries: list[dict[str, Any]]) -> None:
    """What is written can be uploaded and gives the same hash: an export loses nothing."""
    draft, written = take_ndjson(lines(*queries), HEAD)
    again = [
        {"query": one.query, "id": one.id}
        | {"relevant": [{"id": j.id, "grade": j.grade} for j in one.relevant or ()]}
        for one in written
    ]
    assert take_ndjson(lines(*again), HEAD)[0].hash == draft.hash


VALID: dict[str, tuple[Any, bytes]] = {
    "json": (
        take_json,
        json_body(
            query("jwt é", id="1", relevant_ids=[1, "b"], grades=[3, 0], tags=["t"]),
            query("b", parent="1", kind="typo", relevant=[{"id": "x", "grade": 1}]),
            name="n",
            scale={"max": 3},
        ),
    ),
    "ndjson": (take_ndjson, lines(query("a b", relevant_ids=["x"], grades=[2]), query("日本"))),
    "csv": (take_csv, 'query,docid,rating\n"a, ""b"" é",1,3\nc,2,1\n'.encode()),
    "qrels": (
        lambda body: take_trec("1\tjwt é\n2\tb\n".encode(), body, negatives=Negatives.KEEP),
        b"# c\n1 0 a 3\n2\t0 b 1\n1 0 b -1\n",
    ),
    "topics": (
        lambda body: take_trec(body, b"1 0 a 3\n2 0 b 1\n"),
        "<top>\n<num> Number: 1\n<title> jwt é\n</top>\n<DOC><DOCNO>2</DOCNO> b</DOC>\n".encode(),
    ),
}


def corrupted(body: bytes, rng: random.Random) -> bytes:
    """The body cut short, with bits flipped, bytes repeated, or lines swapped."""
    bad = bytearray(body)
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(bad))
        match rng.randrange(4):
            case 0:
                del bad[at + 1 :]
            case 1:
                bad[at] ^= 1 << rng.randrange(8)
            case 2:
                bad[at:at] = bad[at : at + rng.randint(1, 20)]
            case _:
                bad[at:at] = rng.choice([b'"', b"\n", b"\t", b"[", b"null", b"-", b"\x00", b"1e9"])
    return bytes(bad)


def caught(take: Any, body: bytes) -> ServiceError | None:
    """The refusal of a body, if it is refused."""
    try:
        take(body)
    except ServiceError as error:
        return error
    return None


@pytest.mark.parametrize("form", list(VALID))
def test_a_corrupted_body_is_accepted_or_refused_in_words(form: str) -> None:
    """Damage never ends in another exception than one that a client can be told."""
    take, body = VALID[form]
    rng = random.Random(20_260_101)  # noqa: S311 - seeded damage, no secret
    refusals = [refusal for _ in range(400) if (refusal := caught(take, corrupted(body, rng)))]
    assert {refusal.status for refusal in refusals} <= {400, 413, 422}
    assert all(refusal.detail for refusal in refusals)
    assert len(refusals) > 100


@given(st.binary(max_size=200))
def test_any_bytes_are_accepted_or_refused_in_words(body: bytes) -> None:
    """A body of another kind altogether is refused in each format."""
    for take, _ in VALID.values():
        with pytest.raises(ServiceError):
            take(body)


def test_valid_bodies_are_accepted() -> None:
    """The bodies that are damaged above are sound."""
    assert [take(body)[0].stats.scorable for take, body in VALID.values()] == [1, 2, 2, 2, 2]


def test_json_numbers_are_ids_however_long() -> None:
    """An integer id is its decimal string, also beyond 64 bits."""
    body = json_body(query(relevant_ids=[2**70, -1]))
    _, (stored,) = take_json(body)
    assert json.loads(body)["queries"][0]["relevant_ids"] == [2**70, -1]
    assert [judgment.id for judgment in stored.relevant or ()] == [str(2**70), "-1"]
