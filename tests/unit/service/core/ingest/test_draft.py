import asyncio
import hashlib
import threading
from collections.abc import Iterator

from reteval.contract.testsets import Judgment, Query, Scale, TestSetHead
from service.core.ingest.draft import BATCH, ingest
from service.core.ingest.located import Located
from tests.unit.service.core.ingest.bodies import HEAD, json_body, query, take, take_json


def test_ingest_normalises_what_it_writes() -> None:
    """Stored queries have ids, string document ids, one judgment a document, tags once."""
    sent = query("jwt", relevant_ids=[42, "87", 42], grades=[3, 2, 3], tags=["a", "b", "a"])
    _, (stored,) = take_json(json_body(sent))
    assert stored == Query(
        query="jwt",
        id="q_" + hashlib.sha256(b"jwt").hexdigest()[:12],
        relevant=[Judgment("42", 3), Judgment("87", 2)],
        tags=["a", "b"],
    )


def test_ingest_leaves_what_was_sent_as_it_is() -> None:
    """The query of the caller is not changed, so that it can be sent again."""
    sent = Query(query="q", relevant_ids=[1])
    first, second = (take(iter([Located(query=sent)]))[0] for _ in range(2))
    assert (first.hash, sent) == (second.hash, Query(query="q", relevant_ids=[1]))


def test_ingest_keeps_every_field() -> None:
    """Nothing that was sent is dropped."""
    sent = {
        "query": "b",
        "id": "v",
        "relevant": [{"id": "x", "grade": -1}],
        "tags": ["t"],
        "split": "holdout",
        "cluster_id": "c",
        "source": "logs",
        "parent": "a",
        "kind": "typo",
    }
    _, (_, stored) = take_json(json_body(query("a", id="a"), sent))
    expected = sent | {"relevant": [Judgment("x", -1)]}
    assert {name: getattr(stored, name) for name in sent} == expected


def test_ingest_counts_each_query_once() -> None:
    """Clean queries are scorable, unscorable or expect nothing; variants stand apart."""
    draft, _ = take_json(
        json_body(
            query("a", id="a", relevant_ids=["x", "y"], grades=[3, -1], tags=["t", "u"]),
            query("b", relevant_ids=["x"], grades=[1], tags=["t"]),
            query("c", relevant_ids=[]),
            query("d", expect="nothing"),
            query("e", parent="a", kind="typo", relevant_ids=["x"], grades=[2], tags=["t"]),
            relevant_from=2,
            allow_unscorable=True,
        )
    )
    stats = draft.stats
    assert (stats.queries, stats.scorable, stats.unscorable) == (4, 1, 2)
    assert (stats.expect_nothing, stats.variants, stats.judgments) == (1, 1, 4)
    assert stats.grades == {"-1": 1, "1": 1, "2": 1, "3": 1}
    assert stats.tags == {"t": 2, "u": 1}


def test_ingest_writes_in_batches_in_order() -> None:
    """Batches are full but for the last, and hold the queries as they came."""
    sizes: list[int] = []
    order: list[str] = []

    async def write(batch: list[Query]) -> None:
        sizes.append(len(batch))
        order.extend(one.query for one in batch)

    many = [Located(query=Query(query=str(n), relevant_ids=["d"])) for n in range(1_200)]
    asyncio.run(ingest(iter(many), HEAD, write))
    assert sizes == [BATCH, BATCH, 200]
    assert order == [str(n) for n in range(1_200)]


def test_ingest_lets_others_run_while_it_works() -> None:
    """A large set does not hold up the event loop."""
    turns = 0

    async def count() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    async def write(_: list[Query]) -> None:
        return

    async def main() -> None:
        other = asyncio.create_task(count())
        many = (
            Located(query=Query(query=str(n), relevant_ids=list(range(100)))) for n in range(400)
        )
        await ingest(many, HEAD, write)
        other.cancel()

    asyncio.run(main())
    assert turns >= 5


def test_ingest_reads_ahead_off_the_event_loop() -> None:
    """A table is read whole before its first query: that happens in another thread."""
    threads: list[int] = []

    def table() -> Iterator[Located]:
        threads.append(threading.get_ident())
        yield Located(query=Query(query="q", relevant_ids=["d"]))

    take(table())
    assert threads != [threading.get_ident()]


def test_ingest_keeps_the_head_it_was_given() -> None:
    """The draft carries the head on."""
    head = TestSetHead(name="n", scale=Scale(5))
    draft, _ = take(iter([Located(query=Query(query="q", relevant_ids=["d"]))]), head)
    assert draft.head == head
