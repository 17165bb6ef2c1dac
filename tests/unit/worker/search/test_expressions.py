"""Expressions, interpreted and followed directly."""

from typing import Any

import jmespath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from worker.search.answers import AnswerError
from worker.search.expressions import compile_expression

NAMES = st.sampled_from(["a", "b", "c"])
TREES = st.recursive(
    st.none() | st.integers() | st.text(max_size=2),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=12,
)


@given(TREES, st.lists(NAMES, min_size=1, max_size=3))
def test_plain_paths_find_what_jmespath_finds(tree: Any, path: list[str]) -> None:
    """The short way agrees with the interpreter on every tree."""
    expression = ".".join(path)
    find = compile_expression("id", expression)
    assert find is not None
    assert find(tree) == jmespath.search(expression, tree)


@given(TREES, st.integers(0, 3))
def test_positions_find_what_jmespath_finds(tree: Any, position: int) -> None:
    """A bare position reads lists only, as JMESPath does."""
    find = compile_expression("id", f"[{position}]")
    assert find is not None
    assert find(tree) == jmespath.search(f"[{position}]", tree)


def test_what_does_not_fit_is_told() -> None:
    """A function over a wrong type is an answer that breaks the description."""
    find = compile_expression("total", "length(n)")
    assert find is not None
    with pytest.raises(AnswerError, match="`total`"):
        find({"n": 1})


def test_nothing_compiles_to_nothing() -> None:
    """What is not declared is not looked for; what is no JMESPath is refused."""
    assert compile_expression("id", None) is None
    with pytest.raises(ValueError, match="`id`: 'a b'"):
        compile_expression("id", "a b")
