"""From the body of an answer to ids and scores."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reteval.contract.endpoints import Endpoint, Success, TimeUnit
from reteval.contract.id_rules import IdOp, OpName
from reteval.contract.outcomes import FailureCode
from worker.search.answers import Answer, AnswerError
from worker.search.mapping import Mapping, Page

URL = "http://host.example/"
IDS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1) | st.integers(-(2**63), 2**64)
SCORES = st.floats(allow_nan=False, allow_infinity=False)


def read(answer: Any, depth: int = 10, **fields: Any) -> Answer:
    """Read an answer; what is not bytes is encoded as JSON."""
    body = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
    return Mapping.compile(Endpoint(url=URL, **fields)).read(body, depth)


def fail(answer: Any, **fields: Any) -> FailureCode:
    """Return the code an answer fails with."""
    with pytest.raises(AnswerError) as caught:
        read(answer, **fields)
    return caught.value.code


@given(st.lists(st.tuples(IDS, SCORES), max_size=20), st.integers(1, 20))
def test_read_when_the_protocol_is_spoken(hits: list[tuple[str | int, float]], depth: int) -> None:
    """Every spelling of the default protocol gives the same ids and scores."""
    ids = [str(found) for found, _ in hits]
    scores = [float(score) for _, score in hits] or None
    cut = None if scores is None else scores[:depth]
    for id_name, score_name in (("id", "score"), ("_id", "_score"), ("doc_id", "score")):
        rows = [{id_name: found, score_name: score, "text": "…"} for found, score in hits]
        for answer in (rows, *({name: rows} for name in ("results", "hits", "documents", "data"))):
            assert read(answer, depth) == Answer(ids[:depth], cut, len(ids))
            assert read(answer, depth, id=id_name) == Answer(ids[:depth], cut, len(ids))
    assert read([found for found, _ in hits], depth) == Answer(ids[:depth], None, len(ids))


def test_read_when_the_hits_are_mixed() -> None:
    """Bare ids and objects may stand in one list; scores count only when all hits have one."""
    assert read(["a", 2, {"id": "c", "score": 1}]) == Answer(["a", "2", "c"], None, 3)
    assert read([{"id": 1, "score": 2}, {"id": 2, "score": None}]) == Answer(["1", "2"], None, 2)
    assert read([{"id": 1, "_id": 2, "score": 3, "_score": 4}]) == Answer(["1"], [3.0], 1)


def test_read_when_an_id_repeats() -> None:
    """Repeats are kept: they are counted where rankings are scored."""
    assert read(["a", "b", "a"]).ids == ["a", "b", "a"]


def test_read_when_the_first_name_is_no_list() -> None:
    """The list is the first of the four names that is one."""
    assert read({"data": {"took": 3}, "hits": [1], "results": None}).ids == ["1"]
    assert read({"data": {"took": 3}, "hits": [{"key": 1}]}, id="key").ids == ["1"]


@pytest.mark.parametrize(
    "answer",
    [
        {},
        {"results": None},
        {"items": [1]},
        {"hits": {"hits": [{"_id": 1}]}},
        {"error": "index not found"},
        {"error": {"reason": "x"}, "results": []},
        "text",
        7,
        None,
        [{"id": 1}, {"title": "no id"}],
        [{"id": None}],
        [{"id": 1.5}],
        [{"id": True}],
        [{"id": ["a"]}],
        [1.5],
        [True],
        [None],
        [[1]],
        [""],
        [{"id": ""}],
        [{"id": 1, "score": "high"}],
    ],
)
def test_read_when_the_answer_breaks_the_protocol(answer: Any) -> None:
    """A missing list, an error envelope or one hit without a proper id spoils the answer."""
    assert fail(answer) is FailureCode.SCHEMA


@pytest.mark.parametrize("error", [None, False, "", {}, [], 0])
def test_read_when_the_error_is_empty(error: Any) -> None:
    """An `error` that says nothing is no error."""
    assert read({"error": error, "results": [1]}).ids == ["1"]


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", FailureCode.INVALID_JSON),
        (b"<html>", FailureCode.INVALID_JSON),
        (b'{"results": [', FailureCode.INVALID_JSON),
        (b"\xff", FailureCode.INVALID_JSON),
        (b'["\\ud800"]', FailureCode.INVALID_JSON),
        (b"[1] x", FailureCode.INVALID_JSON),
        (b'[{"id": 1, "score": NaN}]', FailureCode.INVALID_RESPONSE),
        (b'[{"id": 1, "score": -Infinity}]', FailureCode.INVALID_RESPONSE),
        (b'[{"id": 1, "score": 1e400}]', FailureCode.INVALID_RESPONSE),
        (b'[{"id": 1, "score": ' + b"9" * 400 + b"}]", FailureCode.INVALID_RESPONSE),
        (b'{"results": [{"id": ' + b"9" * 5_000 + b"}]}", FailureCode.INVALID_RESPONSE),
        (b'{"x": ' + b"[" * 100_000, FailureCode.INVALID_RESPONSE),
    ],
)
def test_read_when_the_body_is_no_usable_json(body: bytes, code: FailureCode) -> None:
    """Syntax is `invalid_json`; numbers out of range and nesting are `invalid_response`."""
    assert fail(body) is code
    assert fail(body, hits="results") in (code, FailureCode.INVALID_RESPONSE, FailureCode.SCHEMA)


def test_read_when_expressions_are_declared() -> None:
    """`hits` is read from the answer, `id` and `score` from each hit."""
    answer = {
        "hits": {
            "hits": [{"_source": {"key": 5}, "_score": 2}, {"_source": {"key": "x"}, "_score": 1}]
        }
    }
    mapped = read(answer, hits="hits.hits", id="_source.key", text="_source.body")
    assert mapped == Answer(["5", "x"], [2.0, 1.0], 2)
    assert read(answer, hits="hits.hits", id="_source.key", score="missing").scores is None
    assert read({"rows": ["a", {"doc_id": 2}]}, hits="rows") == Answer(["a", "2"], None, 2)


def test_read_when_arrays_are_parallel() -> None:
    """`ids` and `scores` are read side by side."""
    answer = {"ids": [["a", 2, "c"]], "distances": [[3, 2.5, 1]]}
    assert read(answer, 2, ids="ids[0]", scores="distances[0]") == Answer(["a", "2"], [3.0, 2.5], 3)
    assert read(answer, ids="ids[0]") == Answer(["a", "2", "c"], None, 3)
    assert read({"ids": [[]]}, ids="ids[0]") == Answer([], None, 0)


@pytest.mark.parametrize(
    ("answer", "fields"),
    [
        ({"hits": 1}, {"hits": "hits"}),
        ({}, {"hits": "hits.hits"}),
        ({"rows": [1]}, {"id": "key"}),
        ({"error": "x", "hits": []}, {"id": "key"}),
        ([{"key": 1}, {}], {"id": "key"}),
        ([{"key": {"a": 1}}], {"id": "key"}),
        ([{"id": 1, "s": "high"}], {"score": "s"}),
        ([{"id": 1, "s": True}], {"score": "s"}),
        ([{"id": 1}], {"id": "length(id)"}),
        ({"ids": "a"}, {"ids": "ids"}),
        ({"ids": [1], "s": [1, 2]}, {"ids": "ids", "scores": "s"}),
        ({"ids": [1]}, {"ids": "ids", "scores": "s"}),
        ({"ids": [None]}, {"ids": "ids"}),
    ],
)
def test_read_when_an_expression_does_not_fit(answer: Any, fields: dict[str, Any]) -> None:
    """An expression that finds nothing of its kind is `schema`, never an empty answer."""
    assert fail(answer, **fields) is FailureCode.SCHEMA


@pytest.mark.parametrize("score", [b"1e400", b"9" * 400, b"NaN"])
def test_read_when_a_mapped_score_is_not_finite(score: bytes) -> None:
    """A score that no float holds is `invalid_response`."""
    body = b'[{"id": 1, "s": ' + score + b"}]"
    assert fail(body, score="s") is FailureCode.INVALID_RESPONSE


def test_read_when_there_are_too_many_containers() -> None:
    """A body of brackets is refused before it is decoded."""
    assert fail(b"[" + b"[]," * 200_001 + b"1]", id="key") is FailureCode.INVALID_RESPONSE


@pytest.mark.parametrize(
    "fields",
    [
        {"hits": "hits["},
        {"text": "a b"},
        {"id": "(" * 500},
        {"ids": "ids", "hits": "hits"},
        {"ids": "ids", "score": "s"},
        {"scores": "s"},
    ],
)
def test_compile_when_the_mapping_is_wrong(fields: dict[str, Any]) -> None:
    """No JMESPath, or two ways to find the ids, is refused."""
    with pytest.raises(ValueError, match="`"):
        Mapping.compile(Endpoint(url=URL, **fields))


def test_read_when_hits_are_rows() -> None:
    """Rows as arrays are read by position, flat lists by stride, nested hits by path."""
    rows = {"body": {"columns": [], "records": [["13", 14.0], ["486", 13.0]]}}
    wanted = Answer(["13", "486"], [14.0, 13.0], 2)
    assert read(rows, hits="body.records", id="[0]", score="[1]") == wanted
    first = [
        [0, 1.5],
        [[[2], [["_key", "ShortText"], ["_score", "Int32"]], ["13", 14], ["486", 13]]],
    ]
    assert read(first, hits="[1][0][2:]", id="[0]", score="[1]") == wanted
    flat = {"FT.SEARCH": [427, "184", "1.5", "1268", "0.97"]}
    stride = {"ids": '"FT.SEARCH"[1::2]', "scores": '"FT.SEARCH"[2::2]'}
    assert read(flat, **stride) == Answer(["184", "1268"], [1.5, 0.97], 2)
    assert read({"FT.SEARCH": [0]}, **stride) == Answer([], None, 0)


def test_read_when_scores_are_odd_numbers() -> None:
    """Numbers in text and integers beyond 2**53 are kept as floats; the order stays as it was."""
    big = [1157451471306883194, 1157451471306883193, 2**63 + 1]
    hits = [{"id": str(n), "score": score} for n, score in enumerate(big)]
    assert read(hits) == Answer(["0", "1", "2"], [float(score) for score in big], 3)
    rising = [{"id": "a", "score": "-8.5"}, {"id": "b", "score": "-2"}]
    assert read(rising) == Answer(["a", "b"], [-8.5, -2.0], 2)
    assert read(rising, id="id") == Answer(["a", "b"], [-8.5, -2.0], 2)


@pytest.mark.parametrize("score", ["", "high", "nan", "inf", "1e999", True])
def test_read_when_a_score_is_no_number(score: Any) -> None:
    """Words and numbers that are not finite are no scores, mapped or not."""
    codes = (FailureCode.SCHEMA, FailureCode.INVALID_RESPONSE)
    assert fail([{"id": 1, "score": score}]) in codes
    assert fail([{"id": 1, "s": score}], score="s") in codes


@pytest.mark.parametrize(
    ("answer", "fields"),
    [
        ({"hits": [], "code": 100}, {"success": Success(path="code", equals=200)}),
        ({"hits": []}, {"success": Success(path="code", equals=200)}),
        ({"hits": [], "ok": 1}, {"success": Success(path="ok")}),
        ({"hits": [], "ok": True}, {"success": Success(path="ok", equals=1)}),
        ({"hits": [], "ok": "true"}, {"success": Success(path="ok")}),
        ({"hits": [], "partial": True}, {"success": Success(path="!partial")}),
        ({"FT": [False, "Syntax"]}, {"ids": "FT[1:]", "success": Success(path="FT[0] != `false`")}),
        ({"hits": [], "errors": [{"message": "no class"}]}, {"error": "errors"}),
        ({"hits": [], "err": "gone"}, {"error": "err"}),
    ],
)
def test_read_when_the_answer_says_it_failed(answer: Any, fields: dict[str, Any]) -> None:
    """An error inside a 200 is never an empty answer."""
    assert fail(answer, **fields) is FailureCode.SCHEMA


def test_read_when_the_error_is_quoted() -> None:
    """What the endpoint calls its error is told."""
    with pytest.raises(AnswerError, match=r"error: \[\{\"message\":\"no class\"\}\]"):
        read({"hits": [], "errors": [{"message": "no class"}]}, error="errors")


@pytest.mark.parametrize("equals", [200, "ok", False, None, 1.0])
def test_read_when_the_answer_says_it_succeeded(equals: Any) -> None:
    """Any plain value may be the sign of success; an empty error is none."""
    answer = {"hits": ["a"], "sign": equals, "errors": []}
    success = Success(path="sign", equals=equals)
    assert read(answer, success=success, error="errors").ids == ["a"]


def test_read_when_the_endpoint_tells_of_itself() -> None:
    """Its count and its time are taken over, in milliseconds; nonsense is left out."""
    answer = {"hits": ["a"], "n": 412, "t": 0.25}
    read_in_s = read(answer, total="n", took="t", took_unit=TimeUnit.SECONDS)
    assert (read_in_s.total, read_in_s.took_ms) == (412, 250.0)
    assert read(answer, took="t").took_ms == 0.25
    for odd in (None, "12", True, -1, [1]):
        told = read({"hits": ["a"], "n": odd, "t": odd}, total="n", took="t")
        assert (told.total, told.took_ms) == (None, None)


def test_read_when_ids_are_respelled() -> None:
    """A rule is applied to each id before documents are told apart."""
    rule = (IdOp(op=OpName.STRIP_PREFIX, text="doc:"),)
    assert read(["doc:1#a", "1#b", "doc:2#a"], id_rule=rule, collapse_at="#").ids == ["1", "2"]


def test_finish_when_there_are_pages() -> None:
    """Pages are joined in order; scores count when every hit of every page has one."""
    mapping = Mapping.compile(Endpoint(url=URL, took="took"))
    pages = [Page(["a"], [2.0], 7, 1.5), Page(["b"], [1.0], 8, 2.0), Page([], None)]
    assert mapping.finish(pages, 10) == Answer(["a", "b"], [2.0, 1.0], 2, None, 7, 3.5)
    assert mapping.finish([*pages, Page(["c"], None)], 2) == Answer(
        ["a", "b"], None, 3, None, 7, 3.5
    )


@pytest.mark.parametrize(
    ("answer", "fields", "texts"),
    [
        ([{"id": "a", "text": "one"}, {"id": "b", "text": "two"}], {}, ["one", "two"]),
        ({"hits": [{"id": 1, "text": "one"}]}, {}, ["one"]),
        ({"hits": [{"id": 1, "body": "one"}]}, {"text": "body"}, ["one"]),
        ({"rows": [{"id": 1, "doc": {"body": "x"}}]}, {"hits": "rows", "text": "doc.body"}, ["x"]),
        ([{"id": str(rank), "text": str(rank)} for rank in range(5)], {}, ["0", "1", "2"]),
        ([{"id": "a"}, {"id": "b", "text": 7}, {"id": "c", "text": "x"}], {}, [None, None, "x"]),
        (["a", "b"], {}, None),
        ([], {}, None),
        ([{"id": "a"}], {}, None),
        ({"found": ["a"], "text": "x"}, {"ids": "found", "text": "text"}, None),
        ([{"id": "a", "text": "x"}], {"text": "abs(text)"}, None),
        ({"message": "no list"}, {}, None),
        (b"no json", {}, None),
    ],
)
def test_texts_of_the_first_hits(
    answer: Any, fields: dict[str, Any], texts: list[str] | None
) -> None:
    """As mapped, or as `text`; none where hits carry none, and never a failure."""
    body = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
    assert Mapping.compile(Endpoint(url=URL, **fields)).read_texts(body, 3) == texts


WORDS = """
    hits id ids @ * [*] [] [0] [-1] [::2] [::0] . || && | ! == < `1` `null` `"a"` 'a' ( {a:id}
    [id,ids] [?id] &id length(@) sort(@) sort_by(@,&id) max_by(@,&id) keys(@) values(@) sum(@)
    join('',@) to_number(@) map(&id,@) not_null(@) reverse(@) avg(@) abs(@) max(@) min(@)
    contains(@,'a') merge(@,@) starts_with(@,'a') type(@)
"""
PLAIN = st.none() | st.booleans() | st.integers(-3, 3) | st.floats(allow_nan=False)
VALUES = st.recursive(
    PLAIN | st.text(max_size=2),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["hits", "id", "ids", "score"]), inner)
    ),
    max_leaves=12,
)
EXPRESSIONS = st.lists(st.sampled_from(WORDS.split()), min_size=1, max_size=5).map("".join)


@pytest.mark.no_cover
@settings(max_examples=2_000, deadline=None)
@given(EXPRESSIONS, VALUES, st.sampled_from(["hits", "ids"]))
def test_any_expression_reads_or_refuses_any_answer(text: str, answer: Any, field: str) -> None:
    """An expression compiles or is a ValueError; an answer fits it or is an AnswerError."""
    try:
        mapping = Mapping.compile(Endpoint(url=URL, **{field: text}))
    except ValueError:
        return
    try:
        read = mapping.read(json.dumps(answer).encode(), 10)
    except AnswerError:
        return
    assert all(isinstance(found, str) for found in read.ids)


def test_read_when_a_slice_stands_still() -> None:
    """A step of 0, which compiles, spoils the answer and not the worker."""
    assert fail({"hits": [1, 2]}, hits="hits[::0]") is FailureCode.SCHEMA
