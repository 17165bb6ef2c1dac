"""What can be wrong with how an endpoint's answers are to be read."""

from collections.abc import Iterator
from typing import Final

import jmespath
from jmespath.exceptions import JMESPathError

from reteval.contract.endpoints import Endpoint
from reteval.contract.problems import ProblemItem

_EXPRESSIONS: Final = (
    *("hits", "id", "score", "text", "ids", "scores"),
    *("total", "took", "error", "collapse_by"),
)


def check_mapping(endpoint: Endpoint) -> Iterator[ProblemItem]:
    """Find flaws of the expressions and of what they are combined to."""
    for name, expression in _list_expressions(endpoint):
        yield from _check_expression(name, expression)
    yield from _check_parallel_arrays(endpoint)
    yield from _check_collapse(endpoint)


def _list_expressions(endpoint: Endpoint) -> Iterator[tuple[str, str]]:
    for name in _EXPRESSIONS:
        expression = getattr(endpoint, name)
        if expression is not None:
            yield name, expression
    if endpoint.success is not None:
        yield "success/path", endpoint.success.path
    if endpoint.paging is not None and endpoint.paging.next is not None:
        yield "paging/next", endpoint.paging.next


def _check_expression(name: str, expression: str) -> Iterator[ProblemItem]:
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
    by_hit = ("hits", "id", "score", "collapse_by")
    mixed = [name for name in by_hit if getattr(endpoint, name) is not None]
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


def _check_collapse(endpoint: Endpoint) -> Iterator[ProblemItem]:
    rolls_up = endpoint.collapse_by is not None or endpoint.collapse_at is not None
    if endpoint.overfetch > 1 and not rolls_up:
        yield ProblemItem(
            pointer="/endpoint/overfetch",
            message="more hits than are used would be asked for: nothing rolls them up",
            fix="Add `collapse_by` or `collapse_at`, or leave `overfetch` out.",
        )
