"""Values of queries gathered into the units that were drawn independently."""

from typing import Self

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

Values = NDArray[np.float64]


class Sample(Struct, frozen=True, kw_only=True, eq=False):
    """Values in u units: a query alone, or all queries of a cluster.

    `sums` and `sizes` of the units have shape (u,). `clusters` is u where any unit holds more
    than one query, and else None.
    """

    sums: Values
    sizes: Values
    clusters: int | None = None

    @classmethod
    def gather(cls, values: Values, labels: NDArray[np.int64] | None = None) -> Self:
        """Group values by their labels, both of shape (n,); without labels each stands alone."""
        if labels is not None:
            _, unit = np.unique(labels, return_inverse=True)
            sizes = np.bincount(unit).astype(np.float64)
            if len(sizes) < len(values):
                sums = np.bincount(unit, weights=values).astype(np.float64, copy=False)
                return cls(sums=sums, sizes=sizes, clusters=len(sizes))
        return cls(sums=values, sizes=np.ones(len(values)))

    @property
    def n(self) -> int:
        """How many values there are."""
        return int(self.sizes.sum())

    @property
    def units(self) -> int:
        """How many units were drawn."""
        return len(self.sums)

    @property
    def mean(self) -> float:
        """Mean of the values, each of weight 1."""
        return float(self.sums.sum() / self.sizes.sum())

    @property
    def unit_means(self) -> Values:
        """Mean of each unit, shape (u,)."""
        return self.sums / self.sizes

    @property
    def standard_error(self) -> float:
        """Standard error of the mean as a ratio of sums to sizes over units.

        With units of one query it is sd / sqrt(n). Source: Cochran, Sampling Techniques, 1977,
        section 2.11 (ratio estimates).
        """
        residuals = self.sums - self.mean * self.sizes
        spread = self.units / (self.units - 1) * float(residuals @ residuals)
        return float(np.sqrt(spread) / self.sizes.sum())

    def extend(self) -> "Sample":
        """Add a unit at 0 and a unit at 1, both of average size."""
        size = float(self.sizes.mean())
        return Sample(
            sums=np.append(self.sums, (0.0, size)), sizes=np.append(self.sizes, (size, size))
        )
