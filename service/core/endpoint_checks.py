"""What can be wrong with an endpoint's description before anything is sent to it."""

from collections.abc import Iterator
from typing import Any, Final

from msgspec import UNSET

from reteval.contract.endpoints import (
    FIELD,
    JSON_FILTER,
    PLACEHOLDER,
    Endpoint,
    Method,
    PagingKind,
)
from reteval.contract.problems import ProblemItem
from service.core.id_checks import check_ids
from service.core.mapping_checks import check_mapping
from service.egress import EgressError, Policy, check_headers, name_origin
from service.errors import EndpointNotAllowedError

QUERY: Final = "{{query}}"
MAX_BODY_DEPTH: Final = 32
_QUERY_NAMES: Final = ("query", "query_id")


def check_target(endpoint: Endpoint, policy: Policy) -> None:
    """Judge where the endpoint is and what headers it would get; no name is resolved.

    Raises:
        EndpointNotAllowedError: `errors` says whether the URL or the headers are at fault.
    """
    check_url(endpoint.url, policy, pointer="/endpoint/url")
    try:
        check_headers(endpoint.headers)
    except EgressError as exc:
        raise _refused("/endpoint/headers", exc) from exc


def check_url(url: str, policy: Policy, *, pointer: str) -> None:
    """Judge a URL that is to be called, which stands at `pointer`; no name is resolved.

    Raises:
        EndpointNotAllowedError: it may not be called.
    """
    try:
        policy.check_url(url)
    except EgressError as exc:
        refusal = _refused(pointer, exc)
        refusal.origin = name_origin(url)
        raise refusal from exc


def check_description(endpoint: Endpoint) -> list[ProblemItem]:
    """Return what is wrong with how the endpoint is described."""
    return [
        *_check_place(endpoint),
        *_check_payload(endpoint),
        *_check_paging(endpoint),
        *check_mapping(endpoint),
        *check_ids(endpoint),
    ]


def check_variants(endpoint: Endpoint) -> Iterator[ProblemItem]:
    """Find out whether variants, which change the text, would reach the endpoint at all."""
    if not sends_text(endpoint):
        yield ProblemItem(
            pointer="/adversarial",
            message=f"variants change the text, and no {QUERY} in the endpoint sends it",
            fix="Leave `adversarial` out, or send the text.",
        )


def sends_text(endpoint: Endpoint) -> bool:
    """Whether a query's text is in what is sent."""
    return not _describes_payload(endpoint) or "query" in find_placeholders(endpoint)


def find_placeholders(endpoint: Endpoint) -> set[str]:
    """Return the names of all placeholders in what is sent."""
    parts = [endpoint.url, endpoint.params, endpoint.headers, endpoint.body, endpoint.form]
    return _scan(parts)[1]


def _refused(pointer: str, exc: EgressError) -> EndpointNotAllowedError:
    item = ProblemItem(
        pointer=pointer,
        message=f"{exc} ({exc.code})",
        fix="Use an address this deployment may call, or ask its operator to allow it.",
    )
    return EndpointNotAllowedError("This deployment does not call that endpoint.", errors=[item])


def _check_place(endpoint: Endpoint) -> Iterator[ProblemItem]:
    if not endpoint.url:
        yield ProblemItem(
            pointer="/endpoint/url",
            message="it has no URL",
            fix="Give `url`, or `saved` with the name of a saved endpoint.",
        )


def _check_payload(endpoint: Endpoint) -> Iterator[ProblemItem]:
    has_body, has_form = endpoint.body is not UNSET, endpoint.form is not UNSET
    if has_body and has_form:
        yield ProblemItem(
            pointer="/endpoint/form",
            message="`body` and `form` are both given",
            fix="Keep the one that the endpoint reads.",
        )
    if endpoint.method is Method.GET and (has_body or has_form):
        yield ProblemItem(
            pointer="/endpoint/method",
            message="a GET request carries no body and no form",
            fix="Use POST, or put the query into `params`.",
        )
    depth, _ = _scan([endpoint.body, endpoint.form])
    if depth > MAX_BODY_DEPTH:
        yield ProblemItem(
            pointer="/endpoint/body",
            message=f"it is nested more than {MAX_BODY_DEPTH} levels deep",
            fix="Send a flatter body.",
        )
    elif _describes_payload(endpoint) and not _tells_queries_apart(endpoint):
        yield ProblemItem(
            pointer="/endpoint",
            message=f"nothing in it carries {QUERY}, so every query would get the same answer",
            fix=f"Write {QUERY} where the query text belongs, and {{{{k}}}} for the depth.",
        )


def _describes_payload(endpoint: Endpoint) -> bool:
    """Whether the default payload, which carries the query, is replaced."""
    if endpoint.method is Method.GET:
        return bool(endpoint.params)
    return endpoint.body is not UNSET or endpoint.form is not UNSET


def _tells_queries_apart(endpoint: Endpoint) -> bool:
    names = find_placeholders(endpoint)
    return any(name in _QUERY_NAMES or name.startswith(FIELD) for name in names)


def _check_paging(endpoint: Endpoint) -> Iterator[ProblemItem]:
    paging = endpoint.paging
    wanted = None if paging is None else paging.kind.value
    names = find_placeholders(endpoint) & {kind.value for kind in PagingKind}
    for name in sorted(names - {wanted}):
        yield ProblemItem(
            pointer="/endpoint/paging",
            message=f"{{{{{name}}}}} is used, and nothing says how to page by {name}",
            fix=f'Add `paging` of kind "{name}", or leave the placeholder out.',
        )
    if paging is None:
        return
    if wanted not in names:
        yield ProblemItem(
            pointer="/endpoint/paging/kind",
            message=f"no {{{{{wanted}}}}} in the request says where to go on from",
            fix=f"Write {{{{{wanted}}}}} where the endpoint reads it.",
        )
    if (paging.next is None) is (paging.kind is PagingKind.CURSOR):
        yield ProblemItem(
            pointer="/endpoint/paging/next",
            message="`next` belongs to paging by cursor, and only to that",
            fix="Name where the answer holds the next cursor, or leave `next` out.",
        )
    if paging.kind is not PagingKind.CURSOR and isinstance(paging.start, str):
        yield ProblemItem(
            pointer="/endpoint/paging/start",
            message=f"paging by {paging.kind} starts with a number",
            fix="Write it as a number, or leave it out.",
        )


def _scan(tree: Any) -> tuple[int, set[str]]:
    """Return how deep a JSON tree is nested, and the placeholders in its strings."""
    deepest = 0
    names: set[str] = set()
    pending = [(tree, 0)]
    while pending:
        node, depth = pending.pop()
        deepest = max(deepest, depth)
        if isinstance(node, str):
            names.update(name.removesuffix(JSON_FILTER) for name in PLACEHOLDER.findall(node))
        elif isinstance(node, dict):
            pending.extend((child, depth + 1) for child in node.values())
        elif isinstance(node, list):
            pending.extend((child, depth + 1) for child in node)
    return deepest, names
