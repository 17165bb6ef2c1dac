import pytest

from worker.adversarial.keyboard import LAYOUTS, neighbours, retype


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
    """Letters only, and no Latin one beside a Cyrillic one."""
    for layout, rows in LAYOUTS.items():
        letters = set(filter(str.isalpha, "".join(rows)))
        assert all(neighbours(letter, layout) for letter in letters)
        assert all(set(neighbours(letter, layout)) <= letters for letter in letters)


def test_case_is_kept_and_accents_are_looked_under() -> None:
    """A capital has capital neighbours; an accented letter has those of its base letter."""
    assert neighbours("S") == tuple(near.upper() for near in neighbours("s"))
    assert neighbours("é") == neighbours("e")


def test_a_letter_of_no_layout_has_none() -> None:
    """Greek has no rows here."""
    assert neighbours("λ") == ()


def test_the_layout_decides() -> None:
    """Z and Y change places on QWERTZ; a letter of another script has its own keyboard."""
    assert set(neighbours("t", "qwertz")) == set("rzfg")
    assert set(neighbours("a", "azerty")) == set("zq")
    assert neighbours("й", "qwertz") == neighbours("й", "jcuken")
    assert neighbours("ñ", "qwerty_es") == ("p", "l")


def test_retyping_and_back_is_the_identity() -> None:
    """The same keys on the other layout; what is on no key stays."""
    typed = retype("Reset 2 Mails!", "qwerty", "jcuken")
    assert typed == "Куыуе 2 Ьфшды!"
    assert retype(typed, "jcuken", "qwerty") == "Reset 2 Mails!"
