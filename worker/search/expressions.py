"""JMESPath, compiled once; plain paths of fields are followed without its interpreter."""

import re
from collections.abc import Callable
from typing import Any, Final

import jmespath
from jmespath.exceptions import JMESPathError

from reteval.contract.outcomes import FailureCode
from worker.search.answers import AnswerError

Find = Callable[[Any], Any]

_PLAIN: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*")
_POSITION: Final = re.compile(r"\[(\d{1,4})\]")


def compile_expression(name: str, expression: str | None) -> Find | None:
    """Compile the expression that the endpoint calls `name`; None where there is none.

    Raises:
        ValueError: it is no JMESPath.
    """
    if expression is None:
        return None
    if _PLAIN.fullmatch(expression):
        return _follow(expression.split("."))
    position = _POSITION.fullmatch(expression)
    if position:
        return _pick(int(position[1]))
    try:
        search: Find = jmespath.compile(expression).search
    except (JMESPathError, RecursionError) as exc:
        raise ValueError(f"`{name}`: {expression!r} is no JMESPath expression") from exc
    return _guard(name, search)


def _follow(names: list[str]) -> Find:
    if len(names) == 1:
        only = names[0]
        return lambda node: node.get(only) if isinstance(node, dict) else None

    def find(node: Any) -> Any:
        for name in names:
            if not isinstance(node, dict):
                return None
            node = node.get(name)
        return node

    return find


def _pick(position: int) -> Find:
    def find(node: Any) -> Any:
        return node[position] if isinstance(node, list) and position < len(node) else None

    return find


def _guard(name: str, search: Find) -> Find:
    def find(node: Any) -> Any:
        try:
            return search(node)
        except ValueError as exc:  # JMESPathError is one; a slice of step 0 is a bare one
            raise AnswerError(FailureCode.SCHEMA, f"`{name}` does not fit the answer") from exc

    return find
