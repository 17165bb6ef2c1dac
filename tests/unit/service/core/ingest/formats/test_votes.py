import pytest

from service.core.ingest.formats.scratch import Scratch
from service.core.ingest.formats.votes import Cast, Votes
from service.errors import TooLargeError
from tests.unit.service.core.ingest.bodies import LAX, file, imported

TOPICS = b"".join(b"%d\tquery %d\n" % (n, n) for n in range(40))


def test_scattered_votes_come_back_together() -> None:
    """Votes in any order of queries are given query by query, each query's in their order."""
    votes = Votes(Scratch(), held=7)
    for row in range(100):
        votes.add(row * 3 % 10, Cast(f"d{row}", row % 4, row, 0, 0))
    found = list(votes.grouped())
    assert [query for query, _ in found] == list(range(10))
    for query, casts in found:
        assert [cast.row for cast in casts] == [row for row in range(100) if row * 3 % 10 == query]


def test_order_of_queries_in_a_file_does_not_change_the_set() -> None:
    """Judgments a query after the other, or all over the file, make one content hash."""
    rows = [(query, document) for query in range(40) for document in range(5)]
    hashes = set()
    for ordered in (rows, sorted(rows, key=lambda row: (row[1], -row[0]))):
        qrels = "".join(f"{query} 0 d{document} {document % 4}\n" for query, document in ordered)
        files = [file(TOPICS, "topics.tsv"), file(qrels.encode(), "qrels.txt")]
        hashes.add(imported(*files, head=LAX)[1].hash)
    assert len(hashes) == 1


def test_more_votes_than_are_looked_at_together_are_refused() -> None:
    """One query cannot take the memory that many may not."""
    votes = Votes(Scratch(), held=2, most=5)
    for row in range(6):
        votes.add(0, Cast("d", 1, row, 0, 0))
    with pytest.raises(TooLargeError, match="over 5 rows"):
        list(votes.grouped())
