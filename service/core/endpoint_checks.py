"""What can be wrong with an endpoint's description before anything is sent to it."""

from collections.abc import Iterator
from typing import Any, Final

import jmespath
from jmespath.exceptions import JMESPathError
from msgspec import UNSET

from reteval.contract.problems import ProblemItem
from reteval.contract.runs import Endpoint, Method
from service.egress import EgressError, Policy, check_headers
from service.errors import EndpointNotAllowedError

QUERY: Final = "{{query}}"
MAX_BODY_DEPTH: Final = 32
_EXPRESSIONS: Final = ("hits", "id", "score", "text", "ids", "scores")


def check_target(endpoint: Endpoint, policy: Policy) -> None:
    """Judge where the endpoint is and what headers it would get; no name is resolved.

    Raises:
        EndpointNotAllowedError: `errors` says whether the URL or the headers are at fault.
    """
    try:
        policy.check_url(endpoint.url)
    except EgressError as exc:
        raise _refused("/endpoint/url", exc) from exc
    try:
        check_headers(endpoint.headers)
    except EgressError as exc:
        raise _refused("/endpoint/headers", exc) from exc


def check_description(endpoint: Endpoint) -> list[ProblemItem]:
    """Return what is wrong with how the endpoint is described."""
    return [
        *_check_payload(endpoint),
        *_check_expressions(endpoint),
        *_check_parallel_arrays(endpoint),
    ]


def _refused(pointer: str, exc: EgressError) -> EndpointNotAllowedError:
    item = ProblemItem(
        pointer=pointer,
        message=f"{exc} ({exc.code})",
        fix="Use an address this deployment may call, or ask its operator to allow it.",
    )
    return EndpointNotAllowedError("This deployment does not call that endpoint.", errors=[item])


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
    depth, carried = _scan([endpoint.body, endpoint.form])
    if depth > MAX_BODY_DEPTH:
        yield ProblemItem(
            pointer="/endpoint/body",
            message=f"it is nested more than {MAX_BODY_DEPTH} levels deep",
            fix="Send a flatter body.",
        )
    elif not carried and _describes_payload(endpoint) and not _carries_elsewhere(endpoint):
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


def _carries_elsewhere(endpoint: Endpoint) -> bool:
    _, carried = _scan([endpoint.url, endpoint.params, endpoint.headers])
    return carried


def _scan(tree: Any) -> tuple[int, bool]:
    """Return how deep a JSON tree is nested, and whether a string in it holds the query."""
    deepest, carried = 0, False
    pending = [(tree, 0)]
    while pending:
        node, depth = pending.pop()
        deepest = max(deepest, depth)
        if isinstance(node, str):
            carried = carried or QUERY in node
        elif isinstance(node, dict):
            pending.extend((child, depth + 1) for child in node.values())
        elif isinstance(node, list):
            pending.extend((child, depth + 1) for child in node)
    return deepest, carried


def _check_expressions(endpoint: Endpoint) -> Iterator[ProblemItem]:
    for name in _EXPRESSIONS:
        expression = getattr(endpoint, name)
        if expression is None:
            continue
        try:
            jmespath.compile(expression)
        except (JMESPathError, RecursionError) as exc:
            reason = str(exc).splitlines()[0] if str(exc) else type(exc).__name__
            yield ProblemItem(
                pointer=f"/endpoint/{name}",
                message=f"{expression!r} is no JMESPath expression: {reason}",
                fix="Write a path such as `hits.hits` or `_source.doc_id`.",
            )


def _check_parallel_arrays(endpoint: Endpoint) -> Iterator[ProblemItem]:
    mixed = [name for name in ("hits", "id", "score") if getattr(endpoint, name) is not None]
    if endpoint.ids is not None and mixed:
        yield ProblemItem(
            pointer="/endpoint/ids",
            message=f"`ids` reads parallel arrays and cannot stand beside `{mixed[0]}`",
            fix="Use `ids` and `scores`, or `hits`, `id` and `score`.",
        )
    if endpoint.scores is not None and endpoint.ids is None:
        yield ProblemItem(
            pointer="/endpoint/scores",
            message="`scores` needs `ids` beside it",
            fix="Add `ids`, or use `score` to read each hit.",
        )
