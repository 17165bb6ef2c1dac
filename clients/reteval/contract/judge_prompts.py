"""Prompts of judges: data with an id, a version and a hash."""

import hashlib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Annotated, Final

import msgspec
from msgspec import Meta, Struct

from reteval.contract import limits
from reteval.contract.endpoints import PLACEHOLDER

MAX_PROMPT_CHARS: Final = 16_000
DOCUMENT: Final = "field.document"
RUBRIC: Final = "field.rubric"
VARIABLES: Final = ("query", DOCUMENT, RUBRIC)
"""What a prompt may stand for; anything else in braces is text, or refused."""
Text = Annotated[str, Meta(min_length=1, max_length=MAX_PROMPT_CHARS)]


class JudgePrompt(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a judge is asked about one query and one document.

    `rubric` says what each grade means, from 0 to `scale_max`. In `system` and `user`,
    `{{query}}`, `{{field.document}}` and `{{field.rubric}}` are filled in, once: what stands in a
    document is never expanded. `form` ends the question and asks for JSON with a `grade`;
    `bare_form` does where a bare digit is asked for, whose chances can be read.
    """

    id: Annotated[str, Meta(min_length=1, max_length=64, pattern=r"^[a-z0-9][a-z0-9_.-]*$")]
    version: Annotated[int, Meta(ge=1)] = 1
    about: Annotated[str, Meta(max_length=limits.MAX_NAME_BYTES)] = ""
    scale_max: Annotated[int, Meta(ge=1, le=9)]
    rubric: Annotated[tuple[Text, ...], Meta(min_length=2, max_length=10)]
    system: Text
    user: Text
    form: Text
    bare_form: Text
    max_tokens: Annotated[int, Meta(ge=1, le=32_000)] = 200

    @property
    def hash(self) -> str:
        """The digest of everything in it."""
        body = msgspec.json.encode(self, order="deterministic")
        return f"sha256:{hashlib.sha256(body).hexdigest()}"


class NamedPrompt(Struct, frozen=True, kw_only=True):
    """A prompt that comes with the service, and its hash."""

    prompt: JudgePrompt
    hash: str


class PromptCatalogue(Struct, frozen=True, kw_only=True):
    """Every prompt that comes with the service, and what one may stand for."""

    prompts: tuple[NamedPrompt, ...]
    variables: tuple[str, ...] = VARIABLES


@cache
def read_prompts() -> Mapping[str, JudgePrompt]:
    """Return the prompts that come with the service, by id."""
    folder = files("reteval.contract") / "judge_prompt_files"
    found = [
        msgspec.json.decode(one.read_bytes(), type=JudgePrompt)
        for one in folder.iterdir()
        if one.name.endswith(".json")
    ]
    return {prompt.id: prompt for prompt in sorted(found, key=lambda prompt: prompt.id)}


def find_variables(prompt: JudgePrompt) -> set[str]:
    """Return what the prompt's texts stand for."""
    texts = (prompt.system, prompt.user, prompt.form, prompt.bare_form)
    return {name for text in texts for name in PLACEHOLDER.findall(text)}
