"""What a judge is asked about a pair: the words, the digest they are known by, what they cost."""

import hashlib
import unicodedata
from typing import Any, Final

import msgspec
from msgspec import Struct

from reteval.contract.judge_prompts import DOCUMENT, RUBRIC, JudgePrompt
from reteval.contract.judges import JudgeRequest

CUT_MARK: Final = "\n[…]\n"
HEAD_SHARE: Final = 2 / 3
"""Of a document that is cut: its beginning tells more than its end."""
CHARS_PER_TOKEN: Final = 4
TEMPERATURE: Final = 0.7
"""Of several votes, which are to differ where the model doubts."""
SEED: Final = "{{field.seed}}"
ALTERNATIVES: Final = 20


class Asked(Struct, frozen=True, kw_only=True):
    """What a judge is shown of a pair."""

    query: str
    document: str
    cut: bool


def cut_text(text: str, most: int) -> tuple[str, bool]:
    """Return at most so many characters, of the beginning and of the end, and whether any went."""
    if len(text) <= most:
        return text, False
    room = most - len(CUT_MARK)
    head = round(room * HEAD_SHARE)
    return f"{text[:head]}{CUT_MARK}{text[len(text) - (room - head) :]}", True


def write_rubric(prompt: JudgePrompt) -> str:
    """Write what each grade means, a line each."""
    return "\n".join(f"{grade}: {words}" for grade, words in enumerate(prompt.rubric))


def write_body(request: JudgeRequest, prompt: JudgePrompt) -> dict[str, Any]:
    """Return what goes to the model beside the messages.

    The user's options go over the defaults, and null takes one out.
    """
    defaults: dict[str, Any] = {
        "model": request.model.name,
        "temperature": TEMPERATURE if request.votes > 1 else 0,
        "max_tokens": prompt.max_tokens,
        "seed": SEED,
    }
    if request.logprobs:
        defaults |= {"logprobs": True, "top_logprobs": ALTERNATIVES}
    body = defaults | request.model.options
    return {name: value for name, value in body.items() if value is not None}


def write_schema(prompt: JudgePrompt) -> dict[str, Any]:
    """Return the JSON schema of an answer."""
    grades = list(range(prompt.scale_max + 1))
    return {
        "type": "object",
        "properties": {
            "reason": {"type": "string"},
            "grade": {"type": "integer", "enum": grades},
        },
        "required": ["reason", "grade"],
        "additionalProperties": False,
    }


def digest_question(request: JudgeRequest, prompt_hash: str, asked: Asked, *, seed: int) -> str:
    """Digest everything that can change an answer: the document's id cannot, its text can."""
    model = request.model
    parts = (
        model.name,
        model.base_url,
        model.params,
        model.options,
        prompt_hash,
        request.logprobs,
        request.votes > 1,
        seed,
        " ".join(unicodedata.normalize("NFKC", asked.query).split()),
        hashlib.sha256(asked.document.encode()).hexdigest(),
    )
    return hashlib.sha256(msgspec.json.encode(parts, order="deterministic")).hexdigest()


def count_prompt_tokens(prompt: JudgePrompt, asked: Asked) -> int:
    """Estimate the tokens of a question: a quarter of its characters, rounded up."""
    words = (prompt.system, prompt.user, prompt.form, write_rubric(prompt), asked.query)
    return -(-(sum(map(len, words)) + len(asked.document)) // CHARS_PER_TOKEN)


def fill_fields(prompt: JudgePrompt, asked: Asked, *, seed: int) -> dict[str, str | int]:
    """Return what the prompt's variables stand for, beside the query."""
    return {
        DOCUMENT.removeprefix("field."): asked.document,
        RUBRIC.removeprefix("field."): write_rubric(prompt),
        "seed": seed,
    }
