import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.core.cursors import Cursors
from service.errors import BadCursorError

CURSORS = Cursors(b"k" * 32)


@given(st.lists(st.text(), max_size=4), st.text(max_size=100).filter(lambda t: t.isprintable()))
def test_cursor_holds_its_position(scope: list[str], position: str) -> None:
    """What was issued for a list is read back for the same list."""
    cursor = CURSORS.issue(scope, position)
    assert cursor is not None
    assert CURSORS.read(scope, cursor) == position


def test_no_cursor_is_the_first_page() -> None:
    """The end of a list has no cursor, and no cursor begins it."""
    assert CURSORS.issue(["a"], None) is None
    assert CURSORS.read(["a"], "") is None


@pytest.mark.parametrize(
    "scope", [["runs", "other"], ["runs"], ["runs", "default", ""], ["ru", "ns"]]
)
def test_cursor_of_another_list_is_refused(scope: list[str]) -> None:
    """Another tenant, filter or list refuses the cursor."""
    cursor = CURSORS.issue(["runs", "default"], "5") or ""
    with pytest.raises(BadCursorError):
        CURSORS.read(scope, cursor)


def test_cursor_under_another_key_is_refused() -> None:
    """Only the key that signed a cursor reads it."""
    cursor = CURSORS.issue(["a"], "5") or ""
    with pytest.raises(BadCursorError):
        Cursors(b"x" * 32).read(["a"], cursor)


@given(st.text(min_size=1, max_size=600))
def test_any_other_text_is_refused(text: str) -> None:
    """No text but a cursor is read, and none makes another error."""
    with pytest.raises(BadCursorError):
        CURSORS.read(["a"], text)


@given(st.integers(min_value=0, max_value=23))
def test_changed_cursor_is_refused(place: int) -> None:
    """A cursor with one character changed is refused."""
    cursor = CURSORS.issue(["a"], "12") or ""
    other = "A" if cursor[place] != "A" else "B"
    with pytest.raises(BadCursorError):
        CURSORS.read(["a"], cursor[:place] + other + cursor[place + 1 :])
