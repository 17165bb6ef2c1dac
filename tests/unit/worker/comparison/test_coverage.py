"""How often the 95 % interval of a paired difference holds the true mean."""

import numpy as np
import pytest
from numpy.typing import NDArray

from worker.comparison.estimates import estimate_difference

REPEATS = 1_000
ALLOWANCE = 2 * float(np.sqrt(0.95 * 0.05 / REPEATS))


def draw(shape: str, rng: np.random.Generator, size: tuple[int, int]) -> NDArray[np.float64]:
    """Draw differences with a true mean of 0."""
    if shape == "hit rate":
        return rng.choice([-1.0, 1.0], size)
    if shape == "ndcg":
        return rng.beta(2, 2, size) - rng.beta(2, 2, size)
    return rng.normal(0, 0.2, size)


@pytest.mark.parametrize("n", [10, 20, 50, 100, 200])
@pytest.mark.parametrize("ties", [0.0, 0.25, 0.5])
def test_interval_covers_with_up_to_half_the_queries_tied(ties: float, n: int) -> None:
    """Between 93 % and 97 % over three shapes, with the Monte Carlo allowance."""
    rng = np.random.default_rng(n + int(100 * ties))
    held = []
    for shape in ("normal", "ndcg", "hit rate"):
        rows = draw(shape, rng, (REPEATS, n))
        rows[rng.random(rows.shape) < ties] = 0.0
        bounds = [estimate_difference(row).ci for row in rows]
        held += [ci[0] <= 0 <= ci[1] for ci in bounds if ci is not None]
    assert 0.93 - ALLOWANCE <= np.mean(held) <= 0.97 + ALLOWANCE
