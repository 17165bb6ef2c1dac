"""Read a judge's chat answer strictly: a grade that was said, or why there is none.

Nothing is searched for a digit. Thoughts are cut off first, then one fence around everything;
what is left must be a grade, or a JSON object that names one.
"""

import json
import re
from collections.abc import Sequence
from typing import Any, Final

from msgspec import Struct, structs

from reteval.contract.judge_errors import JudgeError
from worker.judging.chances import read_chances

GRADE: Final = "grade"
REASON: Final = "reason"
LABEL: Final = "id"
LIST: Final = "grades"
EXCERPT_CHARS: Final = 80

_END_OF_THOUGHT: Final = re.compile(r"</(?:think|thinking|thought|reasoning)>")
_OPEN_THOUGHT: Final = re.compile(r"<(?:think|thinking|thought|reasoning)>")
_FENCE: Final = re.compile(r"```[A-Za-z]*[ \t]*\r?\n(?P<inside>.*?)\r?\n?```", re.DOTALL)
_INTEGRAL: Final = re.compile(r"(?P<whole>0|[1-9][0-9]{0,3})(?:\.0+)?")
_ENDINGS: Final = {
    "length": JudgeError.TRUNCATED,
    "max_tokens": JudgeError.TRUNCATED,
    "model_length": JudgeError.TRUNCATED,
    "content_filter": JudgeError.CONTENT_FILTER,
    "safety": JudgeError.CONTENT_FILTER,
    "recitation": JudgeError.CONTENT_FILTER,
    "tool_calls": JudgeError.TOOL_CALL,
    "function_call": JudgeError.TOOL_CALL,
    "error": JudgeError.REPORTED,
}


class Reply(Struct, frozen=True, kw_only=True):
    """What one answer said: a `grade`, or the `error` that it is instead.

    `probs` are the model's own chances of each grade, from 0 up, where it gave usable ones.
    `model` and `fingerprint` are the server's words; tokens are None where it does not count.
    """

    grade: int | None = None
    probs: tuple[float, ...] | None = None
    error: JudgeError | None = None
    detail: str = ""
    explanation: str = ""
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    model: str = ""
    fingerprint: str = ""


class _ReplyError(Exception):
    def __init__(self, code: JudgeError, detail: str) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail


def read_reply(body: bytes, *, scale_max: int, label: int | None = None) -> Reply:
    """Read the answer about one pair; with a `label`, it must repeat it as `id`."""
    envelope: dict[str, Any] = {}
    try:
        envelope = _open_envelope(body)
        choice = _find_choice(envelope)
        text = _strip(_find_content(choice))
        said = _load(text)
        _check_label(said, label)
        grade = _read_grade(said, scale_max=scale_max)
    except _ReplyError as exc:
        return _account(Reply(error=exc.code, detail=exc.detail), envelope)
    chances = read_chances(choice.get("logprobs"), text=text, grade=grade, scale_max=scale_max)
    return _account(Reply(grade=grade, probs=chances, explanation=_read_reason(said)), envelope)


def read_batch(body: bytes, *, labels: Sequence[int], scale_max: int) -> dict[int, Reply]:
    """Read an answer about several pairs: `{"grades": [{"id": 1, "grade": 2}, …]}`.

    Each label gets a reply. One that was left out is `omitted`, one that stands twice is
    `wrong_id`, and so is every one where an invented label shows that ids were mixed up. Tokens
    are counted on the first.
    """
    envelope: dict[str, Any] = {}
    try:
        envelope = _open_envelope(body)
        rows = _find_rows(_load(_strip(_find_content(_find_choice(envelope)))))
        replies = _match(rows, labels, scale_max=scale_max)
    except _ReplyError as exc:
        replies = {label: Reply(error=exc.code, detail=exc.detail) for label in labels}
    for first in labels[:1]:
        replies[first] = _account(replies[first], envelope)
    return replies


def _open_envelope(body: bytes) -> dict[str, Any]:
    try:
        envelope = json.loads(body)
    except (ValueError, RecursionError) as exc:
        raise _ReplyError(JudgeError.INVALID_REPLY, "the answer is not JSON") from exc
    if not isinstance(envelope, dict):
        raise _ReplyError(JudgeError.INVALID_REPLY, "the answer is no object")
    if envelope.get("error"):
        raise _ReplyError(JudgeError.REPORTED, f"it says {_excerpt(envelope['error'])}")
    return envelope


def _find_choice(envelope: dict[str, Any]) -> dict[str, Any]:
    choices = envelope.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    if not isinstance(choice, dict) or not isinstance(choice.get("message"), dict):
        raise _ReplyError(JudgeError.INVALID_REPLY, "the answer has no choice with a message")
    return choice


def _find_content(choice: dict[str, Any]) -> str:
    """Return what was said, once nothing tells that it is not an answer."""
    message, ending = choice["message"], choice.get("finish_reason")
    if isinstance(ending, str) and ending.lower() in _ENDINGS:
        raise _ReplyError(_ENDINGS[ending.lower()], f"finish_reason is {_excerpt(ending)}")
    if message.get("refusal"):
        raise _ReplyError(JudgeError.REFUSAL, _excerpt(message["refusal"]))
    if message.get("tool_calls") or message.get("function_call"):
        raise _ReplyError(JudgeError.TOOL_CALL, "it called a tool")
    content = message.get("content")
    if content is None:
        raise _ReplyError(JudgeError.NULL_CONTENT, "content is null")
    return _join(content)


def _join(content: Any) -> str:
    """Return content as text; of parts, those of type `text`."""
    parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
    if not isinstance(parts, list) or not all(isinstance(part, dict) for part in parts):
        raise _ReplyError(JudgeError.INVALID_REPLY, "content is neither text nor parts")
    texts = [part.get("text") for part in parts if part.get("type") == "text"]
    if not all(isinstance(text, str) for text in texts):
        raise _ReplyError(JudgeError.INVALID_REPLY, "a part of content has no text")
    return "".join(map(str, texts))


def _strip(content: str) -> str:
    """Cut off thoughts, finished or not, and one fence around all the rest."""
    ends = [end.end() for end in _END_OF_THOUGHT.finditer(content)]
    text = content[max(ends, default=0) :].strip()
    if _OPEN_THOUGHT.match(text):
        text = ""
    fenced = _FENCE.fullmatch(text)
    text = fenced["inside"].strip() if fenced else text
    if not text:
        raise _ReplyError(JudgeError.EMPTY, "nothing is said beside thoughts and white space")
    return text


def _load(text: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_keep_unique)
    except (ValueError, RecursionError) as exc:
        detail = f"{_excerpt(text)} is neither a grade nor JSON"
        raise _ReplyError(JudgeError.INVALID_GRADE, detail) from exc


def _keep_unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _ReplyError(JudgeError.INVALID_GRADE, "a key stands twice in the answer")
    return found


def _check_label(said: Any, label: int | None) -> None:
    if label is None:
        return
    if not isinstance(said, dict) or LABEL not in said:
        raise _ReplyError(JudgeError.OMITTED, f"the answer does not name pair {label}")
    if _to_integer(said[LABEL]) != label:
        raise _ReplyError(JudgeError.WRONG_ID, f"it is about {_excerpt(said[LABEL])}, not {label}")


def _read_grade(said: Any, *, scale_max: int) -> int:
    if isinstance(said, dict):
        if GRADE not in said:
            raise _ReplyError(JudgeError.INVALID_GRADE, f"the answer has no `{GRADE}`")
        said = said[GRADE]
    grade = _to_integer(said)
    if grade is None or grade > scale_max:
        detail = f"{_excerpt(said)} is no grade from 0 to {scale_max}"
        raise _ReplyError(JudgeError.INVALID_GRADE, detail)
    return grade


def _to_integer(value: Any) -> int | None:
    """Return a whole number that is not negative, or its digits in quotes; else None.

    JSON has one kind of number, so 2.0 is 2; a truth value is no number.
    """
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    written = _INTEGRAL.fullmatch(str(value).strip())
    return int(written["whole"]) if written else None


def _read_reason(said: Any) -> str:
    reason = said.get(REASON) if isinstance(said, dict) else None
    return _clean(reason) if isinstance(reason, str) else ""


def _find_rows(said: Any) -> list[Any]:
    rows = said.get(LIST) if isinstance(said, dict) else said
    if not isinstance(rows, list):
        raise _ReplyError(JudgeError.INVALID_GRADE, f"the answer has no list `{LIST}`")
    return rows


def _match(rows: Sequence[Any], labels: Sequence[int], *, scale_max: int) -> dict[int, Reply]:
    found: dict[int, list[Any]] = {label: [] for label in labels}
    for row in rows:
        label = _to_integer(row.get(LABEL)) if isinstance(row, dict) else None
        if label not in found:
            detail = f"the answer has a row that is about no pair asked for: {_excerpt(row)}"
            raise _ReplyError(JudgeError.WRONG_ID, detail)
        found[label].append(row)
    return {label: _read_row(own, scale_max=scale_max) for label, own in found.items()}


def _read_row(rows: Sequence[Any], *, scale_max: int) -> Reply:
    if not rows:
        return Reply(error=JudgeError.OMITTED, detail="the answer leaves this pair out")
    if len(rows) > 1:
        return Reply(error=JudgeError.WRONG_ID, detail="the answer names this pair twice")
    try:
        grade = _read_grade(rows[0], scale_max=scale_max)
    except _ReplyError as exc:
        return Reply(error=exc.code, detail=exc.detail)
    return Reply(grade=grade, explanation=_read_reason(rows[0]))


def _account(reply: Reply, envelope: dict[str, Any]) -> Reply:
    """Add what the server says about itself, whatever became of the grade."""
    counted = envelope.get("usage")
    usage = counted if isinstance(counted, dict) else {}
    return structs.replace(
        reply,
        prompt_tokens=_to_count(usage.get("prompt_tokens")),
        completion_tokens=_to_count(usage.get("completion_tokens")),
        model=_to_name(envelope.get("model")),
        fingerprint=_to_name(envelope.get("system_fingerprint")),
    )


def _to_count(value: Any) -> int | None:
    return value if type(value) is int and value >= 0 else None


def _to_name(value: Any) -> str:
    return _clean(value[:EXCERPT_CHARS]) if isinstance(value, str) else ""


def _excerpt(value: Any) -> str:
    """Quote a little of what was said, as JSON."""
    text = _clean(json.dumps(value, ensure_ascii=False))
    return text if len(text) <= EXCERPT_CHARS else f"{text[:EXCERPT_CHARS]}…"


def _clean(text: str) -> str:
    """Replace halves of surrogate pairs, which JSON can spell and UTF-8 cannot."""
    return text.encode(errors="replace").decode()
