import pytest

from worker.adversarial.keyboard import LAYOUTS, neighbours


def test_neighbours_are_those_of_the_printed_keyboard() -> None:
    """The keys around S and at both edges, as on QWERTY."""
    assert set(neighbours("s")) == set("awedxz")
    assert set(neighbours("q")) == set("wa")
    assert set(neighbours("m")) == set("njk")


@pytest.mark.parametrize("letter", ["q", "g", "ж", "й"])
def test_neighbours_see_each_other(letter: str) -> None:
    """Adjacency has no direction."""
    assert all(letter in neighbours(near) for near in neighbours(letter))


def test_every_key_has_neighbours_on_its_own_layout() -> None:
    """No Latin letter stands beside a Cyrillic one."""
    for rows in LAYOUTS:
        letters = set("".join(rows))
        assert all(neighbours(letter) for letter in letters)
        assert all(set(neighbours(letter)) <= letters for letter in letters)


def test_case_is_kept_and_accents_are_looked_under() -> None:
    """A capital has capital neighbours; an accented letter has those of its base letter."""
    assert neighbours("S") == tuple(near.upper() for near in neighbours("s"))
    assert neighbours("é") == neighbours("e")


def test_a_letter_of_no_layout_has_none() -> None:
    """Greek has no rows here."""
    assert neighbours("λ") == ()
