"""The model that writes paraphrases: an endpoint within `adversarial`, with rules of its own."""

from collections.abc import Iterable, Iterator
from typing import Final

from msgspec import structs

from reteval.contract.choice import PARAPHRASE
from reteval.contract.endpoints import Endpoint
from reteval.contract.problems import ProblemItem
from reteval.contract.runs import AdversarialRequest, RunRequest
from service.core.backend import Backend
from service.core.endpoint_checks import (
    QUERY,
    check_description,
    check_target,
    sends_text,
)
from service.core.endpoints import resolve_endpoint, strip_secrets
from service.core.pointing import pointing_at
from service.egress import Policy

_POINTER: Final = "/adversarial/model"
_ENDPOINT: Final = "/endpoint"


async def resolve_model(backend: Backend, request: RunRequest) -> RunRequest:
    """Return the request with the model to call, header values included.

    Raises:
        NotFoundError, InvalidError: as `resolve_endpoint`, pointing at the model.
    """
    if request.adversarial is None or request.adversarial.model is None:
        return request
    with pointing_at(_POINTER, of=_ENDPOINT):
        model = await resolve_endpoint(backend, request.adversarial.model)
    return _put_model(request, model)


def find_model_headers(request: RunRequest) -> dict[str, str]:
    """Return the headers of the model; empty without one."""
    model = request.adversarial.model if request.adversarial else None
    return {} if model is None else model.headers


def strip_model_secrets(request: RunRequest) -> RunRequest:
    """Return the request with the names of the model's headers and none of their values."""
    if request.adversarial is None or request.adversarial.model is None:
        return request
    return _put_model(request, strip_secrets(request.adversarial.model))


def check_model(request: AdversarialRequest) -> Iterator[ProblemItem]:
    """Check that a model and its kind are asked for together, and how it is described."""
    asked = request.kinds is None or PARAPHRASE in request.kinds
    model = request.model
    if model is None:
        if PARAPHRASE in (request.kinds or ()):
            yield ProblemItem(
                pointer=_POINTER,
                message=f"{PARAPHRASE!r} is asked for, and there is no model to write it",
                fix="Describe the model as an endpoint, or leave the kind out.",
            )
        return
    if not asked:
        yield ProblemItem(
            pointer=_POINTER,
            message="none of the kinds needs a model",
            fix=f"Add {PARAPHRASE!r} to `kinds`, or leave `model` out.",
        )
    if model.paging is not None:
        yield ProblemItem(
            pointer=f"{_POINTER}/paging",
            message="a model is called once a query",
            fix="Leave `paging` out.",
        )
    if not sends_text(model):
        yield ProblemItem(
            pointer=_POINTER,
            message=f"no {QUERY} in it sends the text that is to be said otherwise",
            fix=f"Write {QUERY} into its body.",
        )
    yield from _move(check_description(model))


def check_model_target(request: AdversarialRequest | None, policy: Policy) -> None:
    """Judge where the model is and what headers it would get.

    Raises:
        EndpointNotAllowedError: it is outside the egress policy.
    """
    if request is not None and request.model is not None:
        with pointing_at(_POINTER, of=_ENDPOINT):
            check_target(request.model, policy)


def _put_model(request: RunRequest, model: Endpoint) -> RunRequest:
    adversarial = request.adversarial or AdversarialRequest()
    return structs.replace(request, adversarial=structs.replace(adversarial, model=model))


def _move(items: Iterable[ProblemItem]) -> Iterator[ProblemItem]:
    for item in items:
        yield structs.replace(item, pointer=_POINTER + item.pointer.removeprefix(_ENDPOINT))
