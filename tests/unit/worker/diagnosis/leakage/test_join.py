"""The self-join and the cross-join against comparing every pair."""

import random
import re
from itertools import combinations, product

import numpy as np
import pytest

from worker.diagnosis.leakage.join import Alike, Bounds, join_cross, join_self
from worker.diagnosis.leakage.wording import find_numbers

WORDS = re.split(
    " ",
    "how do reset my password router cancel the annual monthly plan error code e1042 e1043 of a "
    "jwt token expire 12 13 größe 再設定 пароль",
)


def draw_texts(n: int, seed: int) -> list[str]:
    """Draw different texts, many of them alike."""
    dice = random.Random(seed)  # noqa: S311 - to be repeated
    made: dict[str, None] = {}
    while len(made) < n:
        words = dice.choices(WORDS, k=dice.randint(1, 6))
        made[" ".join(words)] = None
    return list(made)


def grams(text: str) -> set[str]:
    """Return the 3-grams of a padded text."""
    padded = f" {text} "
    return {padded[at : at + 3] for at in range(len(padded) - 2)}


def compare(left: str, right: str) -> float:
    """Return the Jaccard similarity of two texts; 0 where their numbers differ."""
    if find_numbers(left) != find_numbers(right):
        return 0.0
    one, other = grams(left), grams(right)
    return len(one & other) / len(one | other)


def rows(alike: Alike) -> dict[tuple[int, int], float]:
    """Return what was found, by places."""
    pairs = zip(alike.left.tolist(), alike.right.tolist(), strict=True)
    return dict(zip(pairs, alike.similarity.tolist(), strict=True))


@pytest.mark.parametrize("least", [0.4, 0.6, 0.75, 0.85, 1.0])
@pytest.mark.parametrize("seed", range(3))
def test_self_join_is_exact(least: float, seed: int) -> None:
    """It finds what comparing all pairs finds, with the same similarity, most alike first."""
    texts = draw_texts(300, seed)
    wanted = {
        (left, right): similarity
        for left, right in combinations(range(len(texts)), 2)
        if (similarity := compare(texts[left], texts[right])) >= least
    }
    found = join_self(texts, least)
    assert rows(found) == pytest.approx(wanted)
    assert (np.diff(found.similarity) <= 0).all()
    assert not found.cut


@pytest.mark.parametrize("least", [0.6, 0.85])
def test_cross_join_is_exact(least: float) -> None:
    """It finds the pairs across, and none within a side."""
    lefts, rights = draw_texts(150, 7), draw_texts(220, 8)
    wanted = {
        (left, right): similarity
        for left, right in product(range(len(lefts)), range(len(rights)))
        if (similarity := compare(lefts[left], rights[right])) >= least
    }
    assert wanted
    assert rows(join_cross(lefts, rights, least)) == pytest.approx(wanted)


def test_joins_in_small_chunks_find_the_same() -> None:
    """Where a stretch of candidates ends changes nothing."""
    texts = draw_texts(200, 3)
    assert rows(join_self(texts, 0.6, Bounds(chunk=50))) == rows(join_self(texts, 0.6))


def test_nothing_joins_with_nothing() -> None:
    """Empty sides have no pairs, and a text alone has none."""
    assert not rows(join_self([], 0.6))
    assert not rows(join_self(["one text"], 0.6))
    assert not rows(join_cross(["one text"], [], 0.6))
    assert not rows(join_cross([], ["one text"], 0.6))


def test_a_join_says_where_it_stopped() -> None:
    """Beyond a number of candidates or pairs it gives up, says so, and keeps what it has."""
    texts = [f"how do i reset my password {word}" for word in draw_texts(60, 1)]
    assert not join_self(texts, 0.6).cut
    assert join_self(texts, 0.6, Bounds(candidates=100, chunk=50)).cut
    few = join_self(texts, 0.6, Bounds(pairs=5, chunk=50))
    assert few.cut
    assert len(few.left) <= 5
