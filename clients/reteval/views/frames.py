"""Data frames of pandas or polars, whichever is there. Neither is needed for anything else."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import singledispatch
from importlib import import_module
from typing import Any, Final

import msgspec

from reteval.contract.comparisons import Comparison, MetricComparison
from reteval.contract.gates import GateVerdict
from reteval.contract.results import MetricSummary, Results

# polars refuses a column of integers and numbers with a point unless it is told not to be strict.
LIBRARIES: Final[dict[str, dict[str, Any]]] = {"pandas": {}, "polars": {"strict": False}}
SUMMARY: Final = (
    "metric",
    "mean",
    "ci_low",
    "ci_high",
    "level",
    "method",
    "n",
    "sd",
    "judged_only",
    "reason",
)
DIFFERENCE: Final = (
    "metric",
    "baseline",
    "candidate",
    "difference",
    "ci_low",
    "ci_high",
    "level",
    "p",
    "p_holm",
    "effect",
    "wins",
    "ties",
    "losses",
    "n",
    "verdict",
    "reason",
)


RULE: Final = (
    "metric",
    "rule",
    "status",
    "observed",
    "ci_low",
    "ci_high",
    "threshold",
    "n",
    "reason",
    "message",
    "pointer",
)


def build_frame(
    columns: Mapping[str, Sequence[Any]],
    library: str | None = None,
    load: Callable[[str], Any] = import_module,
) -> Any:
    """Return a data frame of `library`; without a choice, of the first that is installed.

    Raises:
        ImportError: it is not, or none is.
        ValueError: a library that is neither pandas nor polars.
    """
    if library is not None and library not in LIBRARIES:
        raise ValueError(f"library={library!r}: use 'pandas' or 'polars'")
    for name in LIBRARIES if library is None else (library,):
        try:
            module = load(name)
        except ModuleNotFoundError as exc:
            if exc.name != name:
                raise
            continue
        return module.DataFrame(dict(columns), **LIBRARIES[name])
    wanted = library or "pandas or polars"
    raise ImportError(f"to_frame needs {wanted}: `pip install pandas` or `pip install polars`")


def columns_of(
    rows: Iterable[Mapping[str, Any]], names: Sequence[str] = ()
) -> dict[str, list[Any]]:
    """Turn rows into columns, those of `names` or all there are; what a row has not is None."""
    rows = list(rows)
    found = names or dict.fromkeys(name for row in rows for name in row)
    return {name: [row.get(name) for row in rows] for name in found}


def flatten(row: object) -> dict[str, Any]:
    """Return a struct as one flat dict; what is nested has dotted names.

    >>> from reteval import Judgment, Query
    >>> flatten(Query(query="x", fields={"shop": {"id": 7}}, tags=["faq"]))
    {'query': 'x', 'tags': ['faq'], 'fields.shop.id': 7}
    """
    return _flat(msgspec.to_builtins(row))


@singledispatch
def render(shown: object, _library: str | None) -> Any:
    """Return the table of a struct as a data frame."""
    raise TypeError(f"{type(shown).__name__} has no table")


@render.register
def _results(shown: Results, library: str | None) -> Any:
    rows = [_summary(name, one) for name, one in (shown.metrics or {}).items()]
    return build_frame(columns_of(rows, SUMMARY), library)


@render.register
def _comparison(shown: Comparison, library: str | None) -> Any:
    metrics = {} if shown.report is None else shown.report.metrics
    rows = [_difference(name, one) for name, one in metrics.items()]
    return build_frame(columns_of(rows, DIFFERENCE), library)


@render.register
def _verdict(shown: GateVerdict, library: str | None) -> Any:
    rows = [
        {"metric": shown.metric_of(rule)} | flatten(rule) | _ends(rule.interval)
        for rule in shown.rules
    ]
    return build_frame(columns_of(rows, RULE), library)


def _summary(name: str, summary: MetricSummary) -> dict[str, Any]:
    return {"metric": name} | _ends(summary.ci) | flatten(summary)


def _difference(name: str, compared: MetricComparison) -> dict[str, Any]:
    return (
        flatten(compared)
        | _ends(compared.difference.ci)
        | {
            "metric": name,
            "difference": compared.difference.mean,
            "level": compared.difference.level,
            "p": compared.significance.p,
            "p_holm": compared.significance.p_holm,
        }
    )


def _ends(interval: tuple[float, float] | None) -> dict[str, float | None]:
    low, high = interval or (None, None)
    return {"ci_low": low, "ci_high": high}


def _flat(nested: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in nested.items():
        if isinstance(value, dict):
            flat |= _flat(value, f"{prefix}{name}.")
        else:
            flat[f"{prefix}{name}"] = value
    return flat
