import hashlib
from collections import Counter

import pytest

from worker.adversarial.draws import Draws, derive_seed


def test_seeds_differ_where_any_part_differs() -> None:
    """Parts are kept apart, so that shifting text between them gives another seed."""
    seeds = {derive_seed("a", "bc"), derive_seed("ab", "c"), derive_seed("abc"), derive_seed("a")}
    assert len(seeds) == 4


def test_seed_of_known_parts_is_known() -> None:
    """The seed is the plain SHA-256 of the parts with U+001F between them."""
    digest = hashlib.sha256(b"2026.1\x1f7").hexdigest()
    assert derive_seed("2026.1", 7) == int(digest, 16)


def test_a_lone_surrogate_has_a_seed() -> None:
    """Text that is no valid Unicode must not stop a run."""
    assert derive_seed("\ud800") != derive_seed("\ud801")


def test_equal_seeds_draw_equally() -> None:
    """Two streams from one seed never part."""
    one, two = Draws(5), Draws(5)
    assert [one.index(100) for _ in range(50)] == [two.index(100) for _ in range(50)]


def test_weighted_follows_the_shares() -> None:
    """Over many draws the counts come close to the shares."""
    draws = Draws(1)
    counts = Counter(draws.weighted({"a": 70, "b": 30}) for _ in range(10_000))
    assert counts["a"] / 10_000 == pytest.approx(0.7, abs=0.03)


def test_weighted_refuses_empty_shares() -> None:
    """Nothing can be drawn from nothing."""
    with pytest.raises(ValueError, match="positive"):
        Draws(1).weighted({"a": 0})


def test_shuffle_is_fair_and_loses_nothing() -> None:
    """Every order of three comes up about as often."""
    draws = Draws(2)
    orders = Counter(tuple(draws.shuffle("abc")) for _ in range(6_000))
    assert len(orders) == 6
    assert max(orders.values()) < 1.2 * min(orders.values())
