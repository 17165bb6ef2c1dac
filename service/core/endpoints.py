"""Saved endpoints: keep, show without secrets, rotate, and use in a run."""

import contextlib
from collections.abc import Mapping
from typing import Final
from urllib.parse import urlsplit

from msgspec import UNSET, structs

from reteval.contract import limits
from reteval.contract.endpoints import Endpoint
from reteval.contract.problems import ProblemItem
from reteval.contract.saved_endpoints import (
    SavedEndpoint,
    SavedEndpointPage,
    SavedEndpointRequest,
    SecretsRequest,
)
from service.core.backend import Backend
from service.core.decoding import escape
from service.core.endpoint_checks import check_description, check_target
from service.core.endpoint_presets import apply_preset
from service.core.preconditions import match_version
from service.core.texts import check_text
from service.errors import InvalidError, NotFoundError
from service.store.keys import new_id
from service.store.records import EndpointDraft, Idempotency
from service.store.sealing import seal, unseal

_RESERVED: Final = ("presets",)
"""Names under /v1/endpoints that are routes of their own."""


async def save_endpoint(
    backend: Backend, request: SavedEndpointRequest, *, idempotency: Idempotency | None = None
) -> SavedEndpoint:
    """Keep a new endpoint.

    Raises:
        IdempotencyConflictError: another process took the key over.
        InvalidError, EndpointNotAllowedError: the description breaks a rule.
        NameTakenError: another one has the name.
        SecretsUnavailableError: there are header values and no key to seal them with.
    """
    _check(request, backend)
    return await backend.store.endpoints.put(
        backend.tenant,
        new_id("ep"),
        _draft(backend, request),
        new=True,
        idempotency=idempotency,
    )


async def replace_endpoint(
    backend: Backend, ref: str, request: SavedEndpointRequest, if_match: str
) -> SavedEndpoint:
    """Put another description in the place of the one that the caller has read.

    Raises:
        ChangedError: it is not the one that `if_match` names.
        NotFoundError: `ref` names none.
        InvalidError, EndpointNotAllowedError, NameTakenError, SecretsUnavailableError: as
            `save_endpoint`.
    """
    _check(request, backend)
    saved = await backend.store.endpoints.get(backend.tenant, ref)
    return await backend.store.endpoints.put(
        backend.tenant,
        saved.id,
        _draft(backend, request),
        version=match_version(saved.id, saved.version, if_match),
    )


async def rotate_secrets(
    backend: Backend, ref: str, request: SecretsRequest, if_match: str
) -> SavedEndpoint:
    """Replace header values of a saved endpoint; runs that began keep the old ones.

    Raises:
        ChangedError: it is not the one that `if_match` names, or was changed meanwhile.
        InvalidError: a header that the endpoint does not have.
        NotFoundError: there is no such endpoint.
    """
    saved = await backend.store.endpoints.get(backend.tenant, ref)
    match_version(saved.id, saved.version, if_match)
    known = {name.lower(): name for name in saved.endpoint.headers}
    items = [
        ProblemItem(
            pointer=f"/headers/{escape(name)}",
            message=f"the endpoint has no header {name!r}",
            fix="Name one of its headers, or replace the endpoint.",
        )
        for name in request.headers
        if name.lower() not in known
    ]
    if items:
        raise InvalidError("The secrets do not fit the endpoint.", errors=items)
    values = await _open(backend, saved)
    values |= {known[name.lower()]: value for name, value in request.headers.items()}
    check_target(structs.replace(saved.endpoint, headers=values), backend.policy)
    return await backend.store.endpoints.put(
        backend.tenant,
        saved.id,
        EndpointDraft(
            name=saved.name,
            description=saved.description,
            endpoint=saved.endpoint,
            sealed=seal(backend.secret_key, values),
        ),
        version=saved.version,
    )


async def list_endpoints(backend: Backend, *, cursor: str, limit: int) -> SavedEndpointPage:
    """Return a page of saved endpoints, newest first.

    Raises:
        BadCursorError: the cursor belongs to another list.
    """
    cursors = await backend.cursors()
    scope = ("endpoints", backend.tenant)
    found, position = await backend.store.endpoints.page(
        backend.tenant, before=cursors.read(scope, cursor), limit=limit
    )
    return SavedEndpointPage(items=tuple(found), next_cursor=cursors.issue(scope, position))


async def get_endpoint(backend: Backend, ref: str) -> SavedEndpoint:
    """Return a saved endpoint by id or name, without its secrets.

    Raises:
        NotFoundError: there is none.
    """
    return await backend.store.endpoints.get(backend.tenant, ref)


async def delete_endpoint(backend: Backend, ref: str) -> None:
    """Delete a saved endpoint and its secrets; runs keep the copy they were made with.

    Raises:
        NotFoundError: there is none.
    """
    await backend.store.endpoints.delete(backend.tenant, ref)


async def resolve_endpoint(backend: Backend, endpoint: Endpoint) -> Endpoint:
    """Return the endpoint to call, header values included.

    What is given overrides what is saved, and both override what a preset adds.

    Raises:
        NotFoundError: `saved` names none.
        InvalidError: `preset` names none, or needs more than is given; or `url` would take
            the saved secrets to another place.
    """
    if not endpoint.saved:
        return apply_preset(endpoint)
    try:
        saved = await backend.store.endpoints.get(backend.tenant, endpoint.saved)
    except NotFoundError as exc:
        item = ProblemItem(
            pointer="/endpoint/saved",
            message=f"there is no saved endpoint {endpoint.saved!r}",
            fix="Take an id or a name from GET /v1/endpoints.",
        )
        raise NotFoundError(exc.detail, errors=[item]) from exc
    _keep_secrets_home(endpoint, saved)
    given = {
        name: value
        for name in endpoint.__struct_fields__
        if (value := getattr(endpoint, name)) is not UNSET and value != _default(name)
    }
    headers = await _open(backend, saved) | endpoint.headers
    merged = structs.replace(saved.endpoint, **(given | {"headers": headers, "saved": saved.id}))
    return apply_preset(merged)


async def refill_secrets(
    backend: Backend, endpoint: Endpoint, given: Mapping[str, str]
) -> Endpoint:
    """Return an endpoint that was stripped with header values again: given, else as saved.

    Raises:
        InvalidError: a value is missing, a header is not the endpoint's, or the saved endpoint
            leads elsewhere by now.
    """
    known = {name.lower(): name for name in endpoint.headers}
    items = [
        _refuse_header(name, "the endpoint has no such header", "Name one of its headers.")
        for name in given
        if name.lower() not in known
    ]
    values = {known[name.lower()]: value for name, value in given.items() if name.lower() in known}
    if endpoint.saved and endpoint.headers:
        with contextlib.suppress(NotFoundError):
            saved = await backend.store.endpoints.get(backend.tenant, endpoint.saved)
            _keep_secrets_home(endpoint, saved)
            values = await _open(backend, saved) | values
    items += [
        _refuse_header(name, "its value was dropped when the run ended", "Send it again.")
        for name in endpoint.headers
        if name not in values
    ]
    if items:
        raise InvalidError("The request breaks a rule.", errors=items)
    return structs.replace(endpoint, headers={name: values[name] for name in endpoint.headers})


def _refuse_header(name: str, message: str, fix: str) -> ProblemItem:
    return ProblemItem(pointer=f"/headers/{escape(name)}", message=message, fix=fix)


def strip_secrets(endpoint: Endpoint) -> Endpoint:
    """Return the endpoint with the names of its headers and none of their values."""
    return structs.replace(endpoint, headers=dict.fromkeys(endpoint.headers, ""))


def _keep_secrets_home(endpoint: Endpoint, saved: SavedEndpoint) -> None:
    """Refuse to take a saved endpoint's secrets to another place than they were saved for."""
    if not endpoint.url or not saved.endpoint.headers:
        return
    asked, known = urlsplit(endpoint.url), urlsplit(saved.endpoint.url)
    if (asked.scheme, asked.netloc) != (known.scheme, known.netloc):
        item = ProblemItem(
            pointer="/endpoint/url",
            message="it leads elsewhere than the saved endpoint, whose secrets would go along",
            fix="Leave `url` out, keep its scheme, host and port, or describe the endpoint anew.",
        )
        raise InvalidError("The request breaks a rule.", errors=[item])


def _draft(backend: Backend, request: SavedEndpointRequest) -> EndpointDraft:
    headers = request.endpoint.headers
    return EndpointDraft(
        name=request.name,
        description=request.description,
        endpoint=strip_secrets(request.endpoint),
        sealed=seal(backend.secret_key, headers) if headers else b"",
    )


async def _open(backend: Backend, saved: SavedEndpoint) -> dict[str, str]:
    sealed = await backend.store.endpoints.sealed(backend.tenant, saved.id)
    return unseal(backend.secret_key, sealed) if sealed else {}


def _default(name: str) -> object:
    return getattr(Endpoint(), name)


def _check(request: SavedEndpointRequest, backend: Backend) -> None:
    items = [
        *check_text(request.name, pointer="/name", max_bytes=limits.MAX_NAME_BYTES),
        *check_description(request.endpoint),
    ]
    if request.name in _RESERVED:
        items.append(
            ProblemItem(
                pointer="/name",
                message=f"{request.name!r} is the address of something else",
                fix="Choose another name.",
            )
        )
    if request.endpoint.saved:
        items.append(
            ProblemItem(
                pointer="/endpoint/saved",
                message="a saved endpoint cannot refer to another one",
                fix="Leave it out and describe the endpoint.",
            )
        )
    if items:
        raise InvalidError("The endpoint breaks a rule.", errors=items)
    check_target(request.endpoint, backend.policy)
