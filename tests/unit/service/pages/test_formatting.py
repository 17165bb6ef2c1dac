"""Numbers as people read them."""

import pytest
from msgspec import UNSET

from service.pages.formatting import UNDEFINED, change_ms, probability

MINUS = "\N{MINUS SIGN}"


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (None, UNDEFINED),
        (UNSET, UNDEFINED),
        (0.0, "< 0.001"),
        (0.000999, "< 0.001"),
        (0.001, "0.001"),
        (1.0, "1.000"),
    ],
)
def test_probability_is_never_written_as_nothing(value: float | None, written: str) -> None:
    """A small p-value is under the least that three places show; an unknown one is no number."""
    assert probability(value) == written


@pytest.mark.parametrize(
    ("value", "written"), [(None, UNDEFINED), (8.04, "+8.0 ms"), (-2.0, f"{MINUS}2.0 ms")]
)
def test_change_has_its_sign(value: float | None, written: str) -> None:
    """Slower is plus, faster is minus."""
    assert change_ms(value) == written
