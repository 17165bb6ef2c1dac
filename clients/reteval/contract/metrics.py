"""Names of metrics: parsing, canonical spelling, expansion over cut-offs. No arithmetic."""

import difflib
import re
from collections.abc import Iterable, Sequence
from typing import Final

from msgspec import Struct, structs

from reteval.contract.limits import MAX_DEPTH, MAX_GRADE

DEFAULT_PERSISTENCE: Final = 0.8
MIN_PERSISTENCE: Final = 0.01
MAX_PERSISTENCE: Final = 0.999


class Family(Struct, frozen=True, kw_only=True):
    """A metric before its cut-off and parameters are chosen.

    `cutoff`: "required" (`recall@5`), "optional" (`mrr` and `mrr@10`) or "none" (`bpref`).
    `graded`: uses how relevant a document is, not only whether.
    `proportion`: each query's value is 0 or 1, so the mean is a share of queries.
    `parameters`: which of `PARAMETERS` may stand in parentheses behind the name.
    """

    name: str
    cutoff: str
    graded: bool = False
    proportion: bool = False
    parameters: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()


_REL: Final = ("rel",)
FAMILIES: Final = {
    family.name: family
    for family in (
        Family(name="recall", cutoff="required", parameters=_REL, aliases=("R",)),
        Family(
            name="hit_rate",
            cutoff="required",
            proportion=True,
            parameters=_REL,
            aliases=("Success", "success"),
        ),
        Family(name="precision", cutoff="required", parameters=_REL, aliases=("P",)),
        Family(name="f1", cutoff="required", parameters=_REL),
        Family(name="mrr", cutoff="optional", parameters=_REL, aliases=("RR",)),
        Family(name="ndcg", cutoff="required", graded=True, aliases=("nDCG",)),
        Family(name="ndcg_exp", cutoff="required", graded=True, aliases=("nDCG(dcg='exp-log2')",)),
        Family(name="map", cutoff="optional", parameters=_REL, aliases=("AP",)),
        Family(name="r_precision", cutoff="none", parameters=_REL, aliases=("Rprec",)),
        Family(name="bpref", cutoff="none", parameters=_REL, aliases=("Bpref",)),
        Family(name="err", cutoff="required", graded=True, aliases=("ERR",)),
        Family(
            name="rbp", cutoff="optional", graded=True, parameters=("p", "rel"), aliases=("RBP",)
        ),
        Family(name="judged", cutoff="required", aliases=("Judged",)),
    )
}
PARAMETERS: Final = {
    "rel": f"the least grade that counts as relevant, 1 to {MAX_GRADE}; "
    "the test set's relevant_from unless given (rbp: grades count by their height unless given)",
    "p": f"persistence, the chance of reading on, {MIN_PERSISTENCE} to {MAX_PERSISTENCE}; "
    f"{DEFAULT_PERSISTENCE} unless given",
}
"""What each parameter means, its bounds and its default."""
DEFAULT_FAMILIES: Final = ("recall", "precision", "hit_rate", "ndcg", "ndcg_exp", "judged")
DEFAULT_K_VALUES: Final = (1, 3, 5, 10)
HEADLINES: Final = ("ndcg@10", "mrr")

_SPELLINGS: Final = {
    spelling: family.name
    for family in FAMILIES.values()
    for spelling in (family.name, *family.aliases)
}
_NAME: Final = re.compile(
    r"(?P<head>(?P<family>[A-Za-z_][A-Za-z_0-9]*)(?:\((?P<given>[^()@]*)\))?)"
    r"(?:@(?P<k>[1-9][0-9]{0,3}))?"
)
_WHOLE: Final = re.compile(r"[1-9][0-9]{0,2}")
_SHARE: Final = re.compile(r"0?\.[0-9]{1,6}")


class UnknownMetricError(ValueError):
    """A name that no metric has; the message names the nearest known one."""


class Metric(Struct, frozen=True):
    """A metric with its cut-off and parameters.

    `k` is None where the whole ranking (to `depth`) counts, `rel` where the test set's
    `relevant_from` does (or, in rbp, the grade itself); `p` is rbp's persistence alone.
    """

    name: str
    k: int | None = None
    rel: int | None = None
    p: float | None = None

    @property
    def family(self) -> Family:
        """The definition this metric belongs to."""
        return FAMILIES[self.name]

    @property
    def graded(self) -> bool:
        """Whether the height of a grade counts, not only that it is relevant."""
        return self.family.graded and self.rel is None

    def __lt__(self, other: "Metric") -> bool:
        """Order by name, then by parameters and cut-off; absent ones first."""
        return self._rank < other._rank

    def __str__(self) -> str:
        """Return the canonical spelling: `ndcg@10`, `mrr`, `precision(rel=2)@5`, `rbp(p=0.8)`."""
        given = [("p", self.p), ("rel", self.rel)]
        inside = ",".join(f"{name}={value}" for name, value in given if value is not None)
        head = f"{self.name}({inside})" if inside else self.name
        return head if self.k is None else f"{head}@{self.k}"

    @property
    def _rank(self) -> tuple[str, float, int, int]:
        return self.name, self.p or 0.0, self.rel or 0, self.k or 0


def expand_metrics(names: Iterable[str], k_values: Sequence[int]) -> tuple[Metric, ...]:
    """Turn requested names into metrics, in the order asked, each once.

    A bare name that needs a cut-off expands over `k_values`; `name@k` is itself only. No
    names at all: mrr, map and every default family at each of `k_values`.

    Raises:
        UnknownMetricError: as `parse_metric`, but a missing cut-off is filled in.
    """
    wanted = tuple(names) or ("mrr", "map", *DEFAULT_FAMILIES)
    expanded: dict[Metric, None] = {}
    for name in wanted:
        metric = _parse(name)
        cuts = k_values if metric.k is None and metric.family.cutoff == "required" else (metric.k,)
        expanded.update(dict.fromkeys(structs.replace(metric, k=k) for k in cuts))
    return tuple(expanded)


def parse_metric(text: str) -> Metric:
    """Read one complete metric name in our spelling or ir_measures'.

    Raises:
        UnknownMetricError: unknown name or parameter, a missing cut-off or one that the metric
            does not take, or a value out of bounds.
    """
    metric = _parse(text)
    if metric.k is None and metric.family.cutoff == "required":
        example = structs.replace(metric, k=10)
        raise UnknownMetricError(f"{text!r} needs a cut-off, such as {example}")
    return metric


def choose_headline(names: Sequence[str]) -> str:
    """Return the metric that stands for a run where none is named: ndcg@10, mrr, or the first."""
    return next((name for name in HEADLINES if name in names), names[0])


def _parse(text: str) -> Metric:
    match = _NAME.fullmatch(text)
    if match is None or not {match["head"], match["family"]} & _SPELLINGS.keys():
        raise UnknownMetricError(f"{text!r} is no metric; the nearest is {_nearest(text)!r}")
    whole = match["head"] in _SPELLINGS
    family = FAMILIES[_SPELLINGS[match["head"] if whole else match["family"]]]
    given = {} if whole else _read_parameters(text, match["given"], family)
    return Metric(
        family.name,
        _read_cutoff(text, match["k"], family),
        rel=_read_rel(text, given.get("rel")),
        p=_read_persistence(text, given.get("p")) if "p" in family.parameters else None,
    )


def _read_cutoff(text: str, digits: str | None, family: Family) -> int | None:
    if digits is None:
        return None
    if family.cutoff == "none":
        raise UnknownMetricError(f"{text!r}: {family.name} takes no cut-off; leave @{digits} out")
    if int(digits) > MAX_DEPTH:
        raise UnknownMetricError(f"{text!r}: the cut-off is at most {MAX_DEPTH}")
    return int(digits)


def _read_parameters(text: str, inside: str, family: Family) -> dict[str, str]:
    given: dict[str, str] = {}
    for word in inside.split(","):
        name, equals, value = (part.strip() for part in word.partition("="))
        if not equals or name not in family.parameters or name in given:
            takes = " and ".join(family.parameters) or "no parameter"
            raise UnknownMetricError(
                f"{text!r}: {word.strip()!r} is not understood; {family.name} takes {takes}, "
                "each once, such as precision(rel=2)@5 or rbp(p=0.8)"
            )
        given[name] = value
    return given


def _read_rel(text: str, value: str | None) -> int | None:
    if value is None:
        return None
    if not _WHOLE.fullmatch(value) or int(value) > MAX_GRADE:
        raise UnknownMetricError(f"{text!r}: rel is a grade from 1 to {MAX_GRADE}, such as rel=2")
    return int(value)


def _read_persistence(text: str, value: str | None) -> float:
    if value is None:
        return DEFAULT_PERSISTENCE
    if not _SHARE.fullmatch(value) or not MIN_PERSISTENCE <= float(value) <= MAX_PERSISTENCE:
        raise UnknownMetricError(
            f"{text!r}: p lies between {MIN_PERSISTENCE} and {MAX_PERSISTENCE}, "
            "in at most six decimals, such as p=0.8"
        )
    return float(value)


def _nearest(text: str) -> str:
    spelled = re.split(r"[(@]", text, maxsplit=1)[0]
    close = difflib.get_close_matches(spelled, _SPELLINGS, n=1, cutoff=0.0)
    family = FAMILIES[_SPELLINGS[close[0]]] if close else FAMILIES["ndcg"]
    k = 10 if family.cutoff == "required" else None
    p = DEFAULT_PERSISTENCE if "p" in family.parameters else None
    return str(Metric(family.name, k, p=p))
