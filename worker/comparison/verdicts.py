"""Better, worse, no change, or can't tell."""

from msgspec import Struct
from numpy import float64
from numpy.typing import NDArray

from reteval.contract.comparisons import Verdict
from worker.comparison.estimates import find_equivalence


class Ruling(Struct, frozen=True):
    """A verdict that the numbers have no say in, with its reason."""

    verdict: Verdict
    reason: str


def decide(
    differences: NDArray[float64], *, p: float | None, margin: float, alpha: float
) -> Verdict:
    """Decide on the paired differences (candidate minus baseline) of one metric, shape (n,).

    `no_change` where the 90 % interval lies within the margin (two one-sided tests, Schuirmann
    1987): a difference that does not matter is none, however significant. Else `better` or
    `worse` where p, adjusted for every metric tested, is at most alpha.
    """
    bounds = find_equivalence(differences)
    if bounds and -margin <= bounds[0] and bounds[1] <= margin:
        return Verdict.NO_CHANGE
    if p is not None and p <= alpha:
        return Verdict.BETTER if differences.mean() > 0 else Verdict.WORSE
    return Verdict.INCONCLUSIVE
