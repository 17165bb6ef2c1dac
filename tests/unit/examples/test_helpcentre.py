"""The help-centre sample is a test set that the service would accept and a reader can trust."""

import json
from collections import Counter
from typing import Any

import msgspec
import pytest

from examples import endpoint
from reteval.contract.testsets import Query, TestSetUpload

STYLES = {"keyword", "question", "long", "paraphrase", "short", "mixed"}


@pytest.fixture(scope="module")
def documents() -> list[dict[str, Any]]:
    """Read the corpus."""
    lines = endpoint.DOCUMENTS.read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


@pytest.fixture(scope="module")
def test_set() -> TestSetUpload:
    """Decode the test set as strictly as the service does."""
    body = endpoint.DOCUMENTS.with_name("testset.json").read_bytes()
    return msgspec.json.decode(body, type=TestSetUpload)


def judged(queries: list[Query]) -> list[Query]:
    """Return the queries with judgments."""
    return [query for query in queries if query.relevant]


def test_documents_are_many_short_and_distinct(documents: list[dict[str, Any]]) -> None:
    """At least 80 documents with distinct ids, titles and texts of less than 90 words."""
    assert len(documents) >= 80
    for key in ("id", "title", "text"):
        assert len({document[key] for document in documents}) == len(documents)
    assert max(len(document["text"].split()) for document in documents) < 90


def test_judged_ids_exist_in_the_corpus(
    documents: list[dict[str, Any]], test_set: TestSetUpload
) -> None:
    """No judgment names a document that the endpoint can never return."""
    known = {document["id"] for document in documents}
    named = {item.id for query in judged(test_set.queries) for item in query.relevant or ()}
    assert named - known == set()


def test_queries_meet_the_production_floor(test_set: TestSetUpload) -> None:
    """At least 60 graded queries, each with one to five judged documents graded 1 to 3."""
    queries = judged(test_set.queries)
    sizes = {len(query.relevant or ()) for query in queries}
    grades = {item.grade for query in queries for item in query.relevant or ()}
    assert len(queries) >= 60
    assert sizes <= {1, 2, 3, 4, 5}
    assert grades == {1, 2, 3}


def test_queries_are_distinct_and_tagged_by_style(test_set: TestSetUpload) -> None:
    """Every judged query has one style, each style has several, and no text repeats."""
    styles = Counter(tag for query in judged(test_set.queries) for tag in query.tags)
    texts = Counter(query.query.casefold() for query in test_set.queries)
    assert set(styles) == STYLES
    assert min(styles.values()) >= 5
    assert max(texts.values()) == 1


def test_unanswerable_queries_and_variants_are_present(test_set: TestSetUpload) -> None:
    """A few queries expect nothing, and each hand-made variant names a judged parent."""
    parents = {query.id for query in judged(test_set.queries)}
    variants = [query for query in test_set.queries if query.parent]
    nothing = [query for query in test_set.queries if query.expect is not None]
    assert len(nothing) >= 3
    assert len(variants) >= 2
    assert all(query.parent in parents and query.kind for query in variants)


def test_engine_finds_most_but_not_all(test_set: TestSetUpload) -> None:
    """The sample is neither trivial nor hopeless: a relevant document leads for half or more."""
    index = endpoint.Index(endpoint.DOCUMENTS)
    queries = judged(test_set.queries)
    firsts = [index.search(query.query, 1) for query in queries]
    index.close()
    hits = sum(
        bool(first) and first[0]["id"] in {item.id for item in query.relevant or ()}
        for query, first in zip(queries, firsts, strict=True)
    )
    assert 0.5 <= hits / len(queries) <= 0.9
