"""What can be wrong with a judge before anything is sent to it."""

import hashlib
from collections.abc import Iterator
from typing import Any, Final

import msgspec
from msgspec import structs

from reteval.contract.endpoints import PLACEHOLDER, Endpoint
from reteval.contract.judge_prompts import (
    DOCUMENT,
    VARIABLES,
    JudgePrompt,
    find_variables,
    read_prompts,
)
from reteval.contract.judges import JudgeModel, JudgeRequest
from reteval.contract.problems import ProblemItem
from service.core.decoding import escape
from service.core.endpoint_checks import MAX_BODY_DEPTH, check_target
from service.core.pointing import pointing_at
from service.egress import Policy
from service.errors import InvalidError

AUTHORIZATION: Final = "authorization"
RATER_CHARS: Final = 12
NAME_CHARS: Final = 40
"""Of a model, in the name of the rater that it is; a judgment's rater has room for that."""
_OURS: Final = ("model", "messages", "response_format", "stream", "n", "tools", "tool_choice")
"""What a body says that no option may."""


def find_prompt(request: JudgeRequest, *, scale_max: int) -> JudgePrompt:
    """Return the prompt of a judge.

    Raises:
        InvalidError: there is none of that id, it breaks a rule, or its grades are others.
    """
    prompt = request.prompt
    if isinstance(prompt, str):
        known = read_prompts().get(prompt)
        if known is None:
            named = ", ".join(read_prompts())
            raise _invalid("/prompt", f"there is no prompt {prompt!r}", f"Take one of {named}.")
        prompt = known
    items = [*_check_prompt(prompt, scale_max)]
    if items:
        raise InvalidError("The judge breaks a rule.", errors=items)
    return prompt


def check_judge(request: JudgeRequest, policy: Policy) -> None:
    """Check how a model is described, and judge where it is.

    Raises:
        InvalidError, EndpointNotAllowedError: the request is refused.
    """
    items = [*_check_model(request.model)]
    if request.logprobs and request.votes > 1:
        items.append(
            ProblemItem(
                pointer="/votes",
                message="`logprobs` reads the chances from one answer",
                fix="Ask for one vote, or leave `logprobs` out.",
            )
        )
    if items:
        raise InvalidError("The judge breaks a rule.", errors=items)
    model = request.model
    with pointing_at("/model", of="/endpoint"):
        check_target(Endpoint(url=model.base_url, headers=find_headers(model)), policy)


def find_headers(model: JudgeModel) -> dict[str, str]:
    """Return the headers that carry a model's secrets."""
    bearer = {"Authorization": f"Bearer {model.key}"} if model.key else {}
    return bearer | model.headers


def strip_judge(request: JudgeRequest) -> JudgeRequest:
    """Return a request with the names of the model's headers and none of its secrets."""
    model = structs.replace(request.model, key="", headers=dict.fromkeys(request.model.headers, ""))
    return structs.replace(request, model=model)


def name_rater(request: JudgeRequest, prompt: JudgePrompt) -> str:
    """Return what a judge is called in votes: another one where anything can change an answer."""
    model = request.model
    parts = (
        model.base_url,
        model.params,
        model.name,
        model.options,
        prompt.hash,
        request.votes,
        request.logprobs,
        request.max_chars,
    )
    digest = hashlib.sha256(msgspec.json.encode(parts, order="deterministic")).hexdigest()
    return f"{model.name[:NAME_CHARS]}@{digest[:RATER_CHARS]}"


def _check_prompt(prompt: JudgePrompt, scale_max: int) -> Iterator[ProblemItem]:
    if prompt.scale_max != scale_max:
        yield ProblemItem(
            pointer="/prompt/scale_max",
            message=f"the prompt grades up to {prompt.scale_max}, the set up to {scale_max}",
            fix="Take or write a prompt with the grades of the set.",
        )
    if len(prompt.rubric) != prompt.scale_max + 1:
        yield ProblemItem(
            pointer="/prompt/rubric",
            message=f"{len(prompt.rubric)} meanings for {prompt.scale_max + 1} grades",
            fix="Say what each grade means, from 0 up.",
        )
    found = find_variables(prompt)
    for name in sorted(found.difference(VARIABLES)):
        yield ProblemItem(
            pointer="/prompt/user",
            message=f"{{{{{name}}}}} stands for nothing here",
            fix=f"Use {', '.join(f'{{{{{one}}}}}' for one in VARIABLES)}.",
        )
    for name in ("query", DOCUMENT):
        if name not in find_variables(structs.replace(prompt, form="-", bare_form="-")):
            yield ProblemItem(
                pointer="/prompt/user",
                message=f"the prompt does not show {{{{{name}}}}}",
                fix="Write it where it belongs.",
            )


def _check_model(model: JudgeModel) -> Iterator[ProblemItem]:
    if "?" in model.base_url or "#" in model.base_url:
        yield ProblemItem(
            pointer="/model/base_url",
            message="`/chat/completions` is added to it, so it can have no query",
            fix="Put parameters into `params`.",
        )
    if model.key and any(name.lower() == AUTHORIZATION for name in model.headers):
        yield ProblemItem(
            pointer="/model/headers",
            message="`key` is sent as Authorization already",
            fix="Give `key`, or a header, not both.",
        )
    for name in sorted(set(model.options).intersection(_OURS)):
        yield ProblemItem(
            pointer=f"/model/options/{escape(name)}",
            message=f"{name!r} is set by the service",
            fix="Leave it out.",
        )
    parts = {
        "base_url": model.base_url,
        "params": model.params,
        "options": model.options,
        "headers": model.headers,
    }
    for name, part in parts.items():
        if _has_placeholder(part):
            yield ProblemItem(
                pointer=f"/model/{name}",
                message="only prompts have placeholders",
                fix="Write what it stands for.",
            )


def _has_placeholder(node: Any, depth: int = 0) -> bool:
    """Whether a placeholder stands anywhere, or the tree is too deep to be looked through."""
    if depth > MAX_BODY_DEPTH:
        return True
    if isinstance(node, str):
        return PLACEHOLDER.search(node) is not None
    if isinstance(node, dict):
        return any(_has_placeholder(part, depth + 1) for part in (*node, *node.values()))
    return isinstance(node, list) and any(_has_placeholder(part, depth + 1) for part in node)


def _invalid(pointer: str, message: str, fix: str) -> InvalidError:
    item = ProblemItem(pointer=pointer, message=message, fix=fix)
    return InvalidError("The judge breaks a rule.", errors=[item])
