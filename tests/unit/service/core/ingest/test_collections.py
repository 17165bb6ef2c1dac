import gzip
from pathlib import Path

import pytest

from reteval.contract import limits
from service.errors import InvalidError
from tests.unit.service.core.ingest.bodies import DATA, LAX, file, imported, take_trec


def read(name: str) -> bytes:
    """A file of the shared collections, unpacked."""
    path: Path = DATA / name
    if not path.exists():
        pytest.skip(f"the shared collections are not beside this checkout: no {name}")
    body = path.read_bytes()
    return gzip.decompress(body) if body[:2] == b"\x1f\x8b" else body


def test_ingest_reads_a_topic_over_many_lines_as_one_text() -> None:
    """The line breaks of a topic file are layout."""
    _, written = take_trec(read("cacm/topics.cacm.txt"), read("cacm/qrels.cacm.txt"), LAX)
    assert written[0].query == (
        "What articles exist which deal with TSS (Time Sharing System), "
        "an operating system for IBM computers?"
    )


def test_import_skips_the_comments_of_a_real_file() -> None:
    """Only lines that begin with # are comments: the one inside a document's id is kept."""
    topics = file(b"301\ta\n302\tb\n303\tc\n", "t", "topics")
    plain, commented = (
        [
            (query.id, judgment.id, judgment.grade)
            for query in imported(topics, file(read(name)), head=LAX)[2]
            for judgment in query.relevant or ()
        ]
        for name in ("trec_eval/qrels.test", "trec_eval/qrels.test.with-comments")
    )
    assert len(plain) == len(commented) == 3_681
    assert [pair for pair in zip(plain, commented, strict=True) if pair[0] != pair[1]] == [
        (("301", "CR93E-1860", 0), ("301", "CR#93E-1860", 0))
    ]


def test_ingest_refuses_a_pool_over_the_bound() -> None:
    """A pool of more judgments than a query may have is refused whole, never cut silently."""
    qrels = b"".join(b"1 0 d%d 0\n" % n for n in range(limits.MAX_JUDGMENTS_PER_QUERY + 1))
    with pytest.raises(InvalidError, match="a query may have") as caught:
        take_trec(b"1\tq\n", qrels)
    assert [item.row for item in caught.value.errors] == [1]
