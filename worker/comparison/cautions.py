"""What a reader must know before trusting a comparison, and where it forbids a verdict."""

from collections.abc import Mapping
from typing import Final

from msgspec import UNSET, Struct, UnsetType

from reteval.contract.comparisons import ListOverlap, Verdict
from reteval.contract.differences import Changes
from reteval.contract.metrics import parse_metric
from reteval.contract.splits import LOOKS_TOLD_FROM, LOOKS_WORN_FROM
from worker.comparison.estimates import Units
from worker.comparison.pairing import Pairs
from worker.comparison.runs import RunView, same_queries
from worker.comparison.sentences import describe_test_sets
from worker.comparison.verdicts import Ruling

MIN_ANSWERED: Final = 0.95
"""Share of the shared queries that both runs must have answered."""
MIN_QUERIES: Final = 30
MANY_QUERIES: Final = 2_000


class Cautions(Struct, frozen=True, kw_only=True):
    """Warnings, each `code: text`, and the verdicts they take out of the numbers' hands."""

    warnings: tuple[str, ...]
    rulings: Mapping[str, Ruling]


def find_cautions(
    baseline: RunView,
    candidate: RunView,
    pairs: Pairs,
    units: Mapping[str, Units],
    overlap: ListOverlap,
    changes: Changes | UnsetType = UNSET,
) -> Cautions:
    """Look for what makes the two runs less comparable than they seem.

    `changes` are those from the baseline's test set to the candidate's, where they are known.
    """
    found: list[tuple[str, str]] = []
    rulings: dict[str, Ruling] = {}
    if baseline.depth != candidate.depth:
        open_ended = [metric for metric in units if parse_metric(metric).k is None]
        rulings |= _rule(open_ended, Verdict.INCONCLUSIVE, "other_depth")
        found.append(("other_depth", _DEPTH.format(a=baseline.depth, b=candidate.depth)))
    if baseline.relevant_from != candidate.relevant_from:
        rulings |= _rule(units, Verdict.INCONCLUSIVE, "other_threshold")
        thresholds = baseline.relevant_from, candidate.relevant_from
        found.append(("other_threshold", _THRESHOLD.format(a=thresholds[0], b=thresholds[1])))
    if overlap.identical == 1 and _are_equal(units):
        found.append(("identical_runs", _IDENTICAL.format(n=pairs.n)))
        rulings |= _rule(units, Verdict.NO_CHANGE, "identical_runs")
    if pairs.n < MIN_ANSWERED * pairs.shared:
        rulings |= _rule(units, Verdict.INCONCLUSIVE, "low_overlap")
        found.append(("low_overlap", _LOW.format(n=pairs.n, of=pairs.shared)))
    found += _note_test_sets(baseline, candidate, pairs, changes)
    found += _note_looks(baseline, candidate)
    found += _note_size(pairs)
    return Cautions(warnings=tuple(f"{code}: {text}" for code, text in found), rulings=rulings)


_IDENTICAL: Final = (
    "all {n} rankings are the same in both runs; check that the candidate's endpoint was deployed "
    "and that the two runs do not name one endpoint"
)
_DEPTH: Final = "the runs asked for {a} and {b} documents; metrics without a cut-off do not compare"
_THRESHOLD: Final = "relevant_from is {a} in one run and {b} in the other; rescore one of them"
_LOW: Final = (
    "only {n} of {of} shared queries were answered in both runs, under 95 %; what is left may "
    "be the easy part, so there is no verdict: retry the failed requests"
)
_OTHER_SET: Final = (
    "the runs were scored on different test sets, {sets}; the {n} queries they share may be judged "
    "differently: score both on one, as `reteval rescore {run} --test-set {test_set}` does"
)
_OTHER_SPLIT: Final = (
    "the runs were over {a} and {b} of one test set; only the {n} queries that both asked are "
    "compared"
)
_WORN: Final = (
    "there were {looks} looks at this hold-out (told from {told}, warned from {worn}); the best of "
    "many systems seems better than it is: confirm the choice on queries that no run has seen"
)
_FEW: Final = "{n} queries show large differences only; use at least 50"
_LARGE: Final = (
    "with {n} queries almost any difference is significant; look at its size and at the margin"
)


def _are_equal(units: Mapping[str, Units]) -> bool:
    return all((each.baseline == each.candidate).all() for each in units.values())


def _rule(
    metrics: Mapping[str, Units] | list[str], verdict: Verdict, why: str
) -> dict[str, Ruling]:
    return dict.fromkeys(metrics, Ruling(verdict, why))


def _note_test_sets(
    baseline: RunView, candidate: RunView, pairs: Pairs, changes: Changes | UnsetType
) -> list[tuple[str, str]]:
    if baseline.hash == candidate.hash:
        same = same_queries(baseline, candidate)
        return [] if same else [_note_splits(baseline, candidate, pairs)]
    before, after = baseline.side.test_set, candidate.side.test_set
    older, newer = baseline.side, candidate.side
    if before.name == after.name and before.version > after.version:
        older, newer = newer, older
    text = _OTHER_SET.format(
        sets=describe_test_sets(before, after, changes),
        n=pairs.n,
        run=older.run,
        test_set=newer.test_set.id,
    )
    return [("other_test_set", text)]


def _note_splits(baseline: RunView, candidate: RunView, pairs: Pairs) -> tuple[str, str]:
    spans = (repr(run.side.split) if run.side.split else "all" for run in (baseline, candidate))
    return ("other_split", _OTHER_SPLIT.format(a=next(spans), b=next(spans), n=pairs.n))


def _note_looks(baseline: RunView, candidate: RunView) -> list[tuple[str, str]]:
    known = [run.side.holdout_looks for run in (baseline, candidate)]
    looks = max((each.total for each in known if each is not None), default=0)
    if looks < LOOKS_TOLD_FROM:
        return []
    text = _WORN.format(looks=looks, told=LOOKS_TOLD_FROM, worn=LOOKS_WORN_FROM)
    return [("holdout_worn", text)]


def _note_size(pairs: Pairs) -> list[tuple[str, str]]:
    if 0 < pairs.n < MIN_QUERIES:
        return [("few_queries", _FEW.format(n=pairs.n))]
    if pairs.n > MANY_QUERIES:
        return [("many_queries", _LARGE.format(n=pairs.n))]
    return []
