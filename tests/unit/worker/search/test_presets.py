"""Each preset against the requests and answers that the server's documentation shows.

The answers are our own, written in the documented shape.
"""

import json
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from msgspec import structs

from reteval.contract.endpoints import Fields
from reteval.contract.outcomes import FailureCode
from reteval.contract.presets import PRESETS
from worker.search.answers import Answer, AnswerError
from worker.search.mapping import Mapping
from worker.search.paging import Pager
from worker.search.template import Ask, Prepared, Template

NASTY = 'a "b" & {c}\\'
HITS = ["d2", "d1"]

ANSWERS: dict[str, tuple[Any, Answer]] = {
    "default": (
        {"results": [{"id": "d2", "score": 2.0}, {"id": "d1", "score": 1.0}]},
        Answer(HITS, [2.0, 1.0], 2),
    ),
    "elasticsearch": (
        {
            "took": 5,
            "timed_out": False,
            "_shards": {"total": 1, "successful": 1, "skipped": 0, "failed": 0},
            "hits": {
                "total": {"value": 1164, "relation": "eq"},
                "max_score": 9.25,
                "hits": [{"_id": "d2", "_score": 9.25}, {"_id": "d1", "_score": 9.0}],
            },
        },
        Answer(HITS, [9.25, 9.0], 2, None, 1164, 5.0),
    ),
    "solr": (
        {
            "responseHeader": {"status": 0, "QTime": 3},
            "response": {
                "numFound": 12,
                "start": 0,
                "docs": [{"id": "d2", "score": 1.5}, {"id": "d1", "score": 1.25}],
            },
        },
        Answer(HITS, [1.5, 1.25], 2, None, 12, 3.0),
    ),
    "typesense": (
        {
            "found": 2,
            "search_time_ms": 4,
            "search_cutoff": False,
            "hits": [
                {"document": {"id": "d2"}, "text_match": 1157451471306883194},
                {"document": {"id": "d1"}, "text_match": 1157451471306883193},
            ],
        },
        Answer(HITS, [float(1157451471306883194), float(1157451471306883193)], 2, None, 2, 4.0),
    ),
    "meilisearch": (
        {
            "hits": [{"id": "d2", "_rankingScore": 0.75}, {"id": "d1", "_rankingScore": 0.5}],
            "estimatedTotalHits": 40,
            "processingTimeMs": 2,
            "query": "q",
        },
        Answer(HITS, [0.75, 0.5], 2, None, 40, 2.0),
    ),
    "qdrant": (
        {
            "result": {
                "points": [
                    {"id": 42, "version": 1, "score": 0.75},
                    {"id": "5c56c793-69f3-4fbf-87e6-c4bf54c28c26", "version": 1, "score": 0.5},
                ]
            },
            "status": "ok",
            "time": 0.25,
        },
        Answer(["42", "5c56c793-69f3-4fbf-87e6-c4bf54c28c26"], [0.75, 0.5], 2, None, None, 250.0),
    ),
    "weaviate": (
        {
            "data": {
                "Get": {
                    "Article": [
                        {"_additional": {"id": "d2", "score": "1.5"}},
                        {"_additional": {"id": "d1", "score": "0.25"}},
                    ]
                }
            }
        },
        Answer(HITS, [1.5, 0.25], 2),
    ),
    "chroma": (
        {"ids": [["d2", "d1"]], "distances": [[0.25, 0.5]], "documents": None},
        Answer(HITS, [0.25, 0.5], 2),
    ),
    "vespa": (
        {
            "timing": {"querytime": 0.002, "summaryfetchtime": 0.001, "searchtime": 0.5},
            "root": {
                "id": "toplevel",
                "fields": {"totalCount": 9},
                "coverage": {"coverage": 100, "documents": 9, "full": True, "nodes": 1},
                "children": [{"id": "d2", "relevance": 0.5}, {"id": "d1", "relevance": 0.25}],
            },
        },
        Answer(HITS, [0.5, 0.25], 2, None, 9, 500.0),
    ),
    "algolia": (
        {
            "hits": [{"objectID": "d2"}, {"objectID": "d1"}],
            "nbHits": 7,
            "page": 0,
            "hitsPerPage": 10,
            "processingTimeMS": 1,
        },
        Answer(HITS, None, 2, None, 7, 1.0),
    ),
    "anserini": (
        {
            "api": "v1",
            "index": "cacm",
            "candidates": [
                {"docid": "d2", "score": 7.5, "rank": 1, "doc": "<html>"},
                {"docid": "d1", "score": 7.25, "rank": 2, "doc": "<html>"},
            ],
        },
        Answer(HITS, [7.5, 7.25], 2),
    ),
    "datasette": (
        {
            "ok": True,
            "rows": [{"id": "d2", "score": 9.25}, {"id": "d1", "score": 9.0}],
            "truncated": False,
            "error": None,
        },
        Answer(HITS, [9.25, 9.0], 2),
    ),
    "postgrest": (
        [{"id": 42, "similarity": 0.75}, {"id": 7, "similarity": 0.5}],
        Answer(["42", "7"], [0.75, 0.5], 2),
    ),
    "groonga": (
        {
            "header": {"return_code": 0, "start_time": 1.5, "elapsed_time": 0.25},
            "body": {
                "n_hits": 156,
                "columns": [{"name": "_key"}, {"name": "_score"}],
                "records": [["d2", 14.0], ["d1", 13.0]],
            },
        },
        Answer(HITS, [14.0, 13.0], 2, None, 156, 250.0),
    ),
}

EMPTY: dict[str, Any] = {
    "default": {"results": []},
    "elasticsearch": {
        "took": 1,
        "timed_out": False,
        "_shards": {"failed": 0},
        "hits": {"total": {"value": 0}, "hits": []},
    },
    "solr": {"responseHeader": {"status": 0, "QTime": 1}, "response": {"numFound": 0, "docs": []}},
    "typesense": {"found": 0, "hits": [], "search_cutoff": False},
    "meilisearch": {"hits": [], "estimatedTotalHits": 0},
    "qdrant": {"result": {"points": []}, "status": "ok", "time": 0.001},
    "weaviate": {"data": {"Get": {"Article": []}}},
    "chroma": {"ids": [[]], "distances": [[]]},
    "vespa": {"root": {"fields": {"totalCount": 0}, "coverage": {"full": True}}},
    "algolia": {"hits": [], "nbHits": 0},
    "anserini": {"candidates": []},
    "datasette": {"ok": True, "rows": []},
    "postgrest": [],
    "groonga": {"header": {"return_code": 0}, "body": {"n_hits": 0, "records": []}},
}

FAILURES: list[tuple[str, Any]] = [
    ("elasticsearch", {**ANSWERS["elasticsearch"][0], "timed_out": True}),
    ("elasticsearch", {**ANSWERS["elasticsearch"][0], "_shards": {"total": 2, "failed": 1}}),
    ("elasticsearch", {"error": {"type": "index_not_found_exception"}, "status": 404}),
    ("solr", {"responseHeader": {"status": 0, "partialResults": True}, "response": {"docs": []}}),
    ("solr", {"responseHeader": {"status": 400}, "error": {"msg": "undefined field"}}),
    ("typesense", {"hits": [], "search_cutoff": True}),
    ("qdrant", {"status": {"error": "Not found"}, "time": 0.0}),
    ("weaviate", {"data": {"Get": {"Article": None}}, "errors": [{"message": "no class"}]}),
    ("vespa", {"root": {"fields": {"totalCount": 0}, "errors": [{"code": 4}]}}),
    ("vespa", {"root": {"fields": {"totalCount": 1}, "coverage": {"full": False}}}),
    ("datasette", {"ok": False, "rows": [], "error": "fts5: syntax error"}),
    ("groonga", {"header": {"return_code": -63, "error": {"message": "Syntax error"}}}),
    ("postgrest", {"code": "PGRST202", "message": "Could not find the function"}),
]

EMBEDDING: Fields = {"embedding": [0.5, -0.25]}


def read(name: str, answer: Any) -> Answer:
    """Read an answer as the preset does."""
    return Mapping.compile(PRESETS[name].endpoint).read(json.dumps(answer).encode(), 10)


def render(name: str, text: str, *, depth: int = 10) -> Prepared:
    """Render the request of a preset."""
    endpoint = PRESETS[name].endpoint
    endpoint = structs.replace(
        endpoint, url=endpoint.url.replace("HOST", "host.example").replace("APPLICATION", "app")
    )
    pager = Pager.plan(endpoint, depth)
    ask = Ask(text=text, id="q1", fields=EMBEDDING)
    return Template.compile(endpoint).render(ask, pager.k, pager.begin())


def test_every_preset_is_tested() -> None:
    """No preset without an answer of its own, and an empty one."""
    assert list(ANSWERS) == list(EMPTY) == list(PRESETS)


@pytest.mark.parametrize("name", PRESETS)
def test_answers_are_read(name: str) -> None:
    """Ids, scores, the server's own count and time come out of the documented shape."""
    answer, wanted = ANSWERS[name]
    assert read(name, answer) == wanted


@pytest.mark.parametrize("name", PRESETS)
def test_an_answer_without_hits_is_valid(name: str) -> None:
    """Nothing found is an answer."""
    assert read(name, EMPTY[name]).ids == []


@pytest.mark.parametrize(("name", "answer"), FAILURES)
def test_errors_and_partial_answers_fail(name: str, answer: Any) -> None:
    """What the server calls an error, a time-out or a part is never an empty ranking."""
    with pytest.raises(AnswerError) as caught:
        read(name, answer)
    assert caught.value.code is FailureCode.SCHEMA


@pytest.mark.parametrize("name", PRESETS)
def test_requests_carry_query_and_depth(name: str) -> None:
    """The query arrives as it is, escaped for its place, and the depth as a number."""
    prepared = render(name, NASTY)
    if prepared.body is None:
        sent = dict(parse_qsl(urlsplit(str(prepared.url)).query))
        assert "10" in sent.values()
        assert NASTY in sent.values() or json.dumps(NASTY) in " ".join(sent.values())
        return
    body = json.loads(prepared.body)
    text = json.dumps(body)
    needle = json.dumps(NASTY)[1:-1]
    if name in ("qdrant", "chroma"):
        needle = "[0.5, -0.25]"
    if name == "weaviate":  # a query language inside JSON
        needle = json.dumps(needle)[1:-1]
    assert needle in text
    assert ": 10" in text


def test_pages_are_asked_for_beyond_the_cap() -> None:
    """Typesense gives 250 hits a page; a deeper search asks for pages of that size."""
    sent = dict(parse_qsl(urlsplit(str(render("typesense", "q", depth=600).url)).query))
    assert (sent["per_page"], sent["page"]) == ("250", "1")
