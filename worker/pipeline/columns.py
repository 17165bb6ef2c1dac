"""Per-query values as they are stored: float64 columns, NaN where a value is undefined."""

from array import array
from collections.abc import Iterator
from typing import Any

import numpy as np
from msgspec import Struct

from worker.pipeline.scoring import Scores
from worker.pipeline.variants import Variants


class Worth(Struct, frozen=True):
    """A stretch of variants: the headline metric of each, and that of its clean query."""

    value: "array[float]"
    clean: "array[float]"


def name_columns(scores: Scores, *, unscored: int) -> dict[str, "array[float]"]:
    """Return the column of each metric: scored queries, then so many that have no value."""
    padding = np.full(unscored, np.nan)
    return {
        str(metric): _column(np.concatenate([values, padding]))
        for metric, values in scores.values.items()
    }


def show_worth(variants: Variants | None) -> Iterator[Worth]:
    """Yield the worth of all variants, a stretch at a time."""
    for rows in variants.worth.blocks() if variants else ():
        yield Worth(_column(rows["value"]), _column(rows["clean"]))


def _column(values: "np.ndarray[Any, np.dtype[np.float64]]") -> "array[float]":
    return array("d", values.tobytes())
