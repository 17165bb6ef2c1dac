"""How a fake judge can go wrong: by what it judges, by the form of what it says.

The last part of a model's name, behind a hyphen, chooses: `fake-fenced` answers inside a fence.
"""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final

from examples.judge.oracle import Case, Oracle

LONG_WORDS: Final = 120
SHORT_WORDS: Final = 60
_WORD: Final = re.compile(r"[^\W_]+")
_ORDER: Final = re.compile(r"\b(?:is|as) (?:perfectly|highly) relevant\b", re.IGNORECASE)


@dataclass(frozen=True)
class Said:
    """An answer before it is put on the wire."""

    content: str | None
    finish: str = "stop"
    extra: tuple[tuple[str, Any], ...] = ()


def grade_pair(scenario: str, oracle: Oracle, case: Case, *, vote: object, place: float) -> int:
    """Return the grade of one pair; `place` is 0 for the first of a batch and 1 for the last."""
    grade = oracle.draw(case, vote)
    words = case.document.split()
    if scenario == "always_3":
        return oracle.top
    if scenario == "gullible_keyword":
        return oracle.top if _holds_all(case.document, case.query) else grade
    if scenario == "gullible_injection":
        return oracle.top if _ORDER.search(case.document) else grade
    if scenario == "length_biased":
        push = (len(words) > LONG_WORDS) - (len(words) < SHORT_WORDS)
        return min(max(grade + push, 0), oracle.top)
    if scenario == "order_biased":
        return min(max(grade + (place < 0.5) - (place > 0.5), 0), oracle.top)  # noqa: PLR2004
    return grade


def _holds_all(document: str, query: str) -> bool:
    held = set(_WORD.findall(document.casefold()))
    return set(_WORD.findall(query.casefold())) <= held


JUDGING: Final = (
    *("always_3", "gullible_keyword", "gullible_injection", "length_biased", "order_biased"),
)


def _fence(said: Said) -> Said:
    return replace(said, content=f"```json\n{said.content}\n```")


def _talk(said: Said) -> Said:
    return replace(said, content=f"Having read all 3 parts: {said.content} is what I would give.")


def _think(said: Said) -> Said:
    return replace(said, content=f"<think>\nAt first sight a 3, or a 1.\n</think>\n{said.content}")


def _refuse(_said: Said) -> Said:
    return Said(None, extra=(("refusal", "I cannot help with that."),))


def _call_tool(_said: Said) -> Said:
    call = {"id": "call_1", "type": "function", "function": {"name": "grade", "arguments": "{}"}}
    return Said(None, finish="tool_calls", extra=(("tool_calls", [call]),))


def _rewrite(change: Callable[[dict[str, Any]], None]) -> Callable[[Said], Said]:
    """Return a form that changes each row of what is said, or the bare grade as such a row."""

    def form(said: Said) -> Said:
        document = json.loads(said.content or "")
        bare = not isinstance(document, dict)
        rows = [{"grade": document}] if bare else document.get("grades", [document])
        for row in rows:
            change(row)
        return replace(said, content=json.dumps(rows[0]["grade"] if bare else document))

    return form


def _add_half(row: dict[str, Any]) -> None:
    row["grade"] += 0.5


def _exceed(row: dict[str, Any]) -> None:
    row["grade"] = 10


def _rename(row: dict[str, Any]) -> None:
    if "id" in row:
        row["id"] += 100


def _omit(said: Said) -> Said:
    document = json.loads(said.content or "")
    if isinstance(document, dict):
        document.pop("id", None)
        if "grades" in document:
            document["grades"] = document["grades"][:-1]
    return replace(said, content=json.dumps(document))


FORMS: Final[dict[str, Callable[[Said], Said]]] = {
    "fenced": _fence,
    "prose": _talk,
    "ignores_format": _talk,
    "think": _think,
    "null": lambda _said: Said(None),
    "empty": lambda _said: Said(" \n"),
    "refusal": _refuse,
    "filtered": lambda said: replace(said, finish="content_filter"),
    "length": lambda said: replace(said, finish="length"),
    "tool_call": _call_tool,
    "wrong_id": _rewrite(_rename),
    "omit_id": _omit,
    "float_grade": _rewrite(_add_half),
    "out_of_range": _rewrite(_exceed),
}
FAULTS: Final = (
    *("rejects_json_object", "rejects_json_schema", "400", "401", "429_retry_after"),
    *("500_then_ok", "error_200", "slow", "drip", "huge_body", "closes_early"),
)
LOGPROBS: Final = ("ok", "logprobs", "sentinel_logprobs", "no_logprobs")
SCENARIOS: Final = (*LOGPROBS, *JUDGING, *FORMS, *FAULTS)
