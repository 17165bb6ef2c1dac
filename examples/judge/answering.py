"""Chat completions of a fake judge: a prompt is read, a scenario's answer is written."""

import json
import math
import re
from dataclasses import dataclass
from typing import Any, Final

from examples.judge.oracle import Oracle
from examples.judge.scenarios import FORMS, Said, grade_pair

FLOOR: Final = -9999.0
LEAST: Final = 1e-4
_LABEL: Final = re.compile(r"^\[(\d+)\][ \t]", re.MULTILINE)


@dataclass(frozen=True)
class Question:
    """What of a chat request matters to the judge."""

    model: str
    prompt: str
    as_json: bool
    logprobs: bool
    vote: object

    @property
    def scenario(self) -> str:
        """The part of the model's name that chooses how to answer."""
        return self.model.rpartition("-")[2]


def read_question(request: dict[str, Any]) -> Question:
    """Read a chat request; the last message holds the pair.

    Raises:
        ValueError: it has no model or no messages of text.
    """
    model, messages = request.get("model"), request.get("messages")
    if not isinstance(model, str) or not isinstance(messages, list) or not messages:
        raise ValueError("send a model and messages")
    texts = [message.get("content") for message in messages if isinstance(message, dict)]
    if len(texts) < len(messages) or not all(isinstance(text, str) for text in texts):
        raise ValueError("each message needs content as text")
    form = (request.get("response_format") or {}).get("type", "text")
    return Question(
        model=model,
        prompt=texts[-1],
        as_json=form != "text" or any("JSON" in text for text in texts),
        logprobs=bool(request.get("logprobs")),
        vote=request.get("seed"),
    )


def complete(oracle: Oracle, question: Question) -> dict[str, Any]:
    """Return the chat completion."""
    said, grade, weights = _judge(oracle, question)
    logprobs = None
    if question.logprobs and weights and question.scenario != "no_logprobs":
        logprobs = _spell(said.content or "", grade, weights, question.scenario)
    said = FORMS.get(question.scenario, _leave)(said)
    message = {"role": "assistant", "content": said.content, "refusal": None, **dict(said.extra)}
    choice = {"index": 0, "message": message, "finish_reason": said.finish, "logprobs": logprobs}
    asked, answered = len(question.prompt) // 4 + 1, len(said.content or "") // 4 + 1
    return {
        "id": "chatcmpl-fake",
        "object": "chat.completion",
        "created": 0,
        "model": question.model,
        "system_fingerprint": "fake-1",
        "choices": [choice],
        "usage": {
            "prompt_tokens": asked,
            "completion_tokens": answered,
            "total_tokens": asked + answered,
        },
    }


def _judge(oracle: Oracle, question: Question) -> tuple[Said, int, list[float]]:
    """Grade the pairs of the prompt: one, or several behind labels such as `[1]`."""
    opening, *parts = _LABEL.split(question.prompt)
    if not parts:
        case = oracle.find(question.prompt)
        grade = grade_pair(question.scenario, oracle, case, vote=question.vote, place=0.5)
        row: dict[str, Any] = {"grade": grade, "reason": "as told"}
        content = json.dumps(row) if question.as_json else str(grade)
        return Said(content), grade, oracle.weigh(case)
    labels, texts = list(map(int, parts[::2])), parts[1::2]
    rows = []
    for at, (label, text) in enumerate(zip(labels, texts, strict=True)):
        place = at / (len(labels) - 1) if len(labels) > 1 else 0.5
        case = oracle.find(f"{opening}\n{text}")
        grade = grade_pair(question.scenario, oracle, case, vote=question.vote, place=place)
        rows.append({"id": label, "grade": grade})
    document = rows[0] if len(rows) == 1 else {"grades": rows}
    return Said(json.dumps(document)), rows[0]["grade"], []


def _spell(content: str, grade: int, weights: list[float], scenario: str) -> dict[str, Any]:
    """Return log-probabilities over tokens that spell the answer, the grade's with choices."""
    digit = str(grade)
    before, _, after = content.partition(digit)
    chances = {str(name): max(chance, LEAST) for name, chance in enumerate(weights)}
    total = sum(chances.values())
    choices = [
        {"token": name, "logprob": math.log(chance / total)} for name, chance in chances.items()
    ]
    if scenario == "sentinel_logprobs":
        choices = [{"token": name, "logprob": FLOOR} for name in chances]
    own = next(choice["logprob"] for choice in choices if choice["token"] == digit)
    tokens = [
        {"token": before, "logprob": 0.0, "top_logprobs": []},
        {"token": digit, "logprob": own, "top_logprobs": choices},
        {"token": after, "logprob": 0.0, "top_logprobs": []},
    ]
    return {"content": [token for token in tokens if token["token"]]}


def _leave(said: Said) -> Said:
    return said
