"""A judge's answer is a grade only where it says one and nothing else; all else has a code."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reteval.contract.judge_errors import JudgeError
from tests.unit.worker.judging.answers import chat
from worker.judging.replies import read_batch, read_reply

NAMED = '{"grade": 2, "reason": "it names 3 of the terms"}'


def labelled(*rows: tuple[Any, Any]) -> bytes:
    """Return an answer about several pairs: id and grade of each row."""
    return chat(json.dumps({"grades": [{"id": id_, "grade": grade} for id_, grade in rows]}))


@pytest.mark.parametrize(
    ("content", "grade"),
    [
        ("2", 2),
        (" 0\n", 0),
        ('"2"', 2),
        ("2.0", 2),
        ("```\n3\n```", 3),
        (NAMED, 2),
        ('{"grade": "1"}', 1),
        ('{"grade": 2.0}', 2),
        (f"```json\n{NAMED}\n```", 2),
        (f"```JSON\r\n{NAMED}\r\n```", 2),
        ("<think>a 3, surely. No: 1.</think>\n1", 1),
        ("the template opened the thought, 3?</think>1", 1),
        ("<think>it says </think> 3 </think>\n```json\n" + NAMED + "\n```", 2),
        ([{"type": "thinking", "thinking": "3"}, {"type": "text", "text": "1"}], 1),
    ],
)
def test_plain_grades_are_read(content: Any, grade: int) -> None:
    """Bare, quoted, integral, fenced and after thoughts: the grade that was said."""
    reply = read_reply(chat(content), scale_max=3)
    assert (reply.grade, reply.error) == (grade, None)


@pytest.mark.parametrize(
    "content",
    [
        *("3/3", "10", "4", "-1", "2.5", "1e9", "true", "null", "[2]", "NaN", "٢", '"+2"', '"02"'),
        *("Grade: 2", "2 because it answers", f"Sure! {NAMED}", f"{NAMED}\nHope it helps."),
        *(f"Sure:\n```json\n{NAMED}\n```", "```json\n2", "two", "I cannot judge this."),
        *('{"grade": true}', '{"grade": null}', '{"grade": [2]}', '{"grade": 2.5}'),
        *('{"score": 2}', '{"grade": 0, "grade": 3}', '{"grade": 2', '{"grade": 99999999999}'),
        *("[" * 100_000, '{"grade": "2 of 3"}', '{"grade": 1e400}'),
    ],
)
def test_anything_else_is_no_grade(content: str) -> None:
    """No digit is picked out of prose, fractions, half JSON or other types."""
    reply = read_reply(chat(content), scale_max=3)
    assert (reply.grade, reply.error) == (None, JudgeError.INVALID_GRADE)
    assert reply.detail


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"<html>", JudgeError.INVALID_REPLY),
        (b"\xff", JudgeError.INVALID_REPLY),
        (b"[" * 100_000, JudgeError.INVALID_REPLY),
        (b"[]", JudgeError.INVALID_REPLY),
        (b"{}", JudgeError.INVALID_REPLY),
        (b'{"choices": []}', JudgeError.INVALID_REPLY),
        (b'{"choices": [{"text": "2"}]}', JudgeError.INVALID_REPLY),
        (chat({"grade": 2}), JudgeError.INVALID_REPLY),
        (chat([{"type": "text", "text": 2}]), JudgeError.INVALID_REPLY),
        (b'{"error": {"message": "overloaded"}}', JudgeError.REPORTED),
        (chat("2", finish="error"), JudgeError.REPORTED),
        (chat("2", finish="length"), JudgeError.TRUNCATED),
        (chat("2", finish="MAX_TOKENS"), JudgeError.TRUNCATED),
        (chat("2", finish="content_filter"), JudgeError.CONTENT_FILTER),
        (chat("2", refusal="I will not."), JudgeError.REFUSAL),
        (chat("2", finish="tool_calls"), JudgeError.TOOL_CALL),
        (chat(None, tool_calls=[{"id": "c"}]), JudgeError.TOOL_CALL),
        (chat(None), JudgeError.NULL_CONTENT),
        (chat(""), JudgeError.EMPTY),
        (chat(" \n" * 50), JudgeError.EMPTY),
        (chat("<think>it is a 3"), JudgeError.EMPTY),
        (chat("<think>3</think>"), JudgeError.EMPTY),
        (chat([]), JudgeError.EMPTY),
    ],
)
def test_answers_without_an_answer_have_their_own_code(body: bytes, code: JudgeError) -> None:
    """A refusal, a filter, a cut, a tool call, silence and garbage are told apart."""
    reply = read_reply(body, scale_max=3)
    assert (reply.grade, reply.probs, reply.error) == (None, None, code)


def test_reasoning_beside_the_content_is_not_searched() -> None:
    """Thoughts in a field of their own never stand in for an answer."""
    body = chat(None, reasoning_content="The grade is 3", reasoning="3")
    assert read_reply(body, scale_max=3).error is JudgeError.NULL_CONTENT


def test_scale_bounds_the_grade() -> None:
    """The same answer is a grade on a scale that reaches it."""
    assert read_reply(chat("10"), scale_max=10).grade == 10
    assert read_reply(chat("2"), scale_max=1).error is JudgeError.INVALID_GRADE


def test_words_of_the_server_are_kept() -> None:
    """Explanation, model, fingerprint and tokens come along, on failures too."""
    good, bad = read_reply(chat(NAMED), scale_max=3), read_reply(chat("no"), scale_max=3)
    assert good.explanation == "it names 3 of the terms"
    for reply in (good, bad):
        assert (reply.model, reply.fingerprint) == ("m-1", "fp")
        assert (reply.prompt_tokens, reply.completion_tokens) == (90, 3)
    odd = b'{"usage": {"prompt_tokens": true, "completion_tokens": -1}, "model": 7}'
    assert read_reply(odd, scale_max=3).prompt_tokens is None


def test_half_surrogates_can_be_stored() -> None:
    """What JSON can spell and UTF-8 cannot is replaced in whatever is quoted."""
    body = chat('{"grade": 1, "reason": "\\ud800"}')
    assert read_reply(body, scale_max=3).explanation == "?"
    assert read_reply(chat("\ud800"), scale_max=3).detail.encode()


@given(st.text(max_size=60))
def test_no_text_is_read_as_a_grade_by_luck(text: str) -> None:
    """Whatever text comes, a grade is only what stands there whole."""
    reply = read_reply(chat(text), scale_max=3)
    assert reply.error or float(text.strip().strip('"')) == reply.grade


def test_a_label_must_come_back() -> None:
    """Asked about pair 7, an answer about none is omitted and about another is wrong."""
    assert read_reply(chat('{"id": 7, "grade": 2}'), scale_max=3, label=7).grade == 2
    assert read_reply(chat('{"id": "7", "grade": 2}'), scale_max=3, label=7).grade == 2
    assert read_reply(chat("2"), scale_max=3, label=7).error is JudgeError.OMITTED
    assert read_reply(chat('{"grade": 2}'), scale_max=3, label=7).error is JudgeError.OMITTED
    wrong = read_reply(chat('{"id": 8, "grade": 2}'), scale_max=3, label=7)
    assert wrong.error is JudgeError.WRONG_ID


def test_a_batch_is_matched_by_label() -> None:
    """Rows come in any order, each failure is its row's own."""
    replies = read_batch(labelled((3, 0), (1, 2), (2, "3/3")), labels=[1, 2, 3, 4], scale_max=3)
    assert [replies[label].grade for label in (1, 2, 3, 4)] == [2, None, 0, None]
    assert replies[2].error is JudgeError.INVALID_GRADE
    assert replies[4].error is JudgeError.OMITTED
    assert [replies[label].prompt_tokens for label in (1, 2)] == [90, None]


def test_a_batch_that_mixes_ids_up_is_not_used() -> None:
    """An invented id spoils the answer, a repeated one its own pair."""
    invented = read_batch(labelled((1, 2), (9, 3)), labels=[1, 2], scale_max=3)
    assert {reply.error for reply in invented.values()} == {JudgeError.WRONG_ID}
    nameless = read_batch(chat("[2, 3]"), labels=[1, 2], scale_max=3)
    assert {reply.error for reply in nameless.values()} == {JudgeError.WRONG_ID}
    repeated = read_batch(labelled((1, 2), (1, 3), (2, 0)), labels=[1, 2], scale_max=3)
    assert repeated[1].error is JudgeError.WRONG_ID
    assert repeated[2].grade == 0


def test_a_batch_without_rows_fails_whole() -> None:
    """A refusal or a bare digit answers no pair of a batch."""
    refused = read_batch(chat(None, refusal="no"), labels=[1, 2], scale_max=3)
    assert {reply.error for reply in refused.values()} == {JudgeError.REFUSAL}
    bare = read_batch(chat("2"), labels=[1, 2], scale_max=3)
    assert {reply.error for reply in bare.values()} == {JudgeError.INVALID_GRADE}
    assert read_batch(chat("2"), labels=[], scale_max=3) == {}


def test_only_slips_of_form_are_worth_repeating() -> None:
    """A refusal, a filter, a cut or a broken server is not asked again in other words."""
    assert {code for code in JudgeError if not code.repairable} == {
        JudgeError.INVALID_REPLY,
        JudgeError.REPORTED,
        JudgeError.TRUNCATED,
        JudgeError.CONTENT_FILTER,
        JudgeError.REFUSAL,
    }
