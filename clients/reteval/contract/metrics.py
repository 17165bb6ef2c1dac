"""Names of metrics: parsing, canonical spelling, expansion over cut-offs. No arithmetic."""

import difflib
import re
from collections.abc import Iterable, Sequence
from typing import Final

from msgspec import Struct

from reteval.contract.limits import MAX_DEPTH


class Family(Struct, frozen=True, kw_only=True):
    """A metric before its cut-off is chosen.

    `cutoff`: "required" (`recall@5`), or "optional" (`mrr` and `mrr@10`).
    `graded`: uses how relevant a document is, not only whether.
    `proportion`: each query's value is 0 or 1, so the mean is a share of queries.
    """

    name: str
    cutoff: str
    graded: bool = False
    proportion: bool = False
    aliases: tuple[str, ...] = ()


FAMILIES: Final = {
    family.name: family
    for family in (
        Family(name="recall", cutoff="required", aliases=("R",)),
        Family(name="hit_rate", cutoff="required", proportion=True, aliases=("Success", "success")),
        Family(name="precision", cutoff="required", aliases=("P",)),
        Family(name="mrr", cutoff="optional", aliases=("RR",)),
        Family(name="ndcg", cutoff="required", graded=True, aliases=("nDCG",)),
        Family(name="ndcg_exp", cutoff="required", graded=True),
        Family(name="map", cutoff="optional", aliases=("AP",)),
        Family(name="judged", cutoff="required", aliases=("Judged",)),
    )
}
DEFAULT_FAMILIES: Final = ("recall", "precision", "hit_rate", "ndcg", "ndcg_exp", "judged")
DEFAULT_K_VALUES: Final = (1, 3, 5, 10)

_SPELLINGS: Final = {
    spelling: family.name
    for family in FAMILIES.values()
    for spelling in (family.name, *family.aliases)
}
_NAME: Final = re.compile(r"(?P<family>[A-Za-z_]+)(?:@(?P<k>[1-9][0-9]{0,3}))?")


class UnknownMetricError(ValueError):
    """A name that no metric has; the message names the nearest known one."""


class Metric(Struct, frozen=True, order=True):
    """A metric at its cut-off; `k` is None where the whole ranking (to `depth`) counts."""

    name: str
    k: int | None = None

    @property
    def family(self) -> Family:
        """The definition this metric belongs to."""
        return FAMILIES[self.name]

    def __str__(self) -> str:
        """Return the canonical spelling, `ndcg@10` or `mrr`."""
        return self.name if self.k is None else f"{self.name}@{self.k}"


def expand_metrics(names: Iterable[str], k_values: Sequence[int]) -> tuple[Metric, ...]:
    """Turn requested names into metrics, in the order asked, each once.

    A bare name that needs a cut-off expands over `k_values`; `name@k` is itself only. No
    names at all: mrr, map and every default family at each of `k_values`.

    Raises:
        UnknownMetricError: a name that no metric has, or a cut-off out of bounds.
    """
    wanted = tuple(names) or ("mrr", "map", *DEFAULT_FAMILIES)
    expanded: dict[Metric, None] = {}
    for name in wanted:
        metric = _parse(name)
        cuts = k_values if metric.k is None and metric.family.cutoff == "required" else (metric.k,)
        expanded.update(dict.fromkeys(Metric(metric.name, k) for k in cuts))
    return tuple(expanded)


def parse_metric(text: str) -> Metric:
    """Read one complete metric name in our spelling or ir_measures'.

    Raises:
        UnknownMetricError: unknown name, missing cut-off, or a cut-off out of bounds.
    """
    metric = _parse(text)
    if metric.k is None and metric.family.cutoff == "required":
        raise UnknownMetricError(f"{text!r} needs a cut-off, such as {metric.name}@10")
    return metric


def _parse(text: str) -> Metric:
    match = _NAME.fullmatch(text)
    name = _SPELLINGS.get(match["family"]) if match else None
    if match is None or name is None:
        raise UnknownMetricError(f"{text!r} is no metric; the nearest is {_nearest(text)!r}")
    k = int(match["k"]) if match["k"] else None
    if k is not None and k > MAX_DEPTH:
        raise UnknownMetricError(f"{text!r}: the cut-off is at most {MAX_DEPTH}")
    return Metric(name, k)


def _nearest(text: str) -> str:
    spelled = text.partition("@")[0]
    close = difflib.get_close_matches(spelled, _SPELLINGS, n=1, cutoff=0.0)
    family = FAMILIES[_SPELLINGS[close[0]]] if close else FAMILIES["ndcg"]
    return f"{family.name}@10" if family.cutoff == "required" else family.name
