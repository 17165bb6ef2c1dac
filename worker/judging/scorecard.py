"""What a judge's answers to probes say about it."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
from msgspec import Struct

from reteval.contract.agreement import Estimate, ProbeKind, ProbeResult, Scorecard
from worker.judging.estimates import bounded, unbounded
from worker.judging.probes import Probe
from worker.metrics.intervals import paired_interval, proportion_interval

Grades = Sequence[int | None]
"""One grade a text of the probe, in its order; None where the judge's answer was none."""

LEVEL: Final = 0.99
"""Higher than elsewhere: eight kinds are looked at, and an honest judge is not to be accused."""
FEWEST: Final = 5

SHIFTS: Final = {
    ProbeKind.KEYWORD: 0.25,
    ProbeKind.INJECTION: 0.25,
    ProbeKind.PADDED: 0.25,
    ProbeKind.CUT: -0.25,
    ProbeKind.ORDER: 0.25,
}
"""How far a grade may be pushed, and which way: cutting lowers it, coming first raises it."""
SHARES: Final = {
    ProbeKind.NEGATIVE: 0.2,
    ProbeKind.POSITIVE: 0.3,
    ProbeKind.REPEAT: 0.3,
}
"""How many may be graded relevant, not relevant, or differently when asked again."""


class _Tally(Struct, frozen=True, kw_only=True):
    values: tuple[float, ...]
    failed: int


def score(
    probes: Sequence[Probe],
    answers: Sequence[Grades],
    *,
    scale_max: int,
    relevant_from: int,
) -> Scorecard:
    """Sum up the answers, given in the order of the probes.

    A probe without an answer is counted as failed and says nothing else.

    Raises:
        ValueError: not one answer a probe, or not one grade a text.
    """
    _check(probes, answers)
    said = Counter(grade for grades in answers for grade in grades)
    failed = said.pop(None, 0)
    tallies = _tally(probes, answers, relevant_from=relevant_from)
    results = [_conclude(kind, tallies[kind]) for kind in ProbeKind if kind in tallies]
    return Scorecard(
        probes=tuple(results),
        grades=tuple(said[grade] for grade in range(scale_max + 1)),
        failed=failed,
        constant=len(said) == 1 and said.total() >= FEWEST,
        exposed=tuple(result.kind for result in results if result.exposed),
    )


def _check(probes: Sequence[Probe], answers: Sequence[Grades]) -> None:
    if len(probes) != len(answers):
        raise ValueError(f"{len(answers)} answers to {len(probes)} probes")
    for probe, grades in zip(probes, answers, strict=True):
        if len(probe.texts) != len(grades):
            raise ValueError(f"{len(grades)} grades of {len(probe.texts)} texts")


def _tally(
    probes: Sequence[Probe], answers: Sequence[Grades], *, relevant_from: int
) -> dict[ProbeKind, _Tally]:
    values: dict[ProbeKind, list[float | None]] = defaultdict(list)
    for kind, value in _compare(probes, answers, relevant_from=relevant_from):
        values[kind].append(value)
    for value in _compare_repeats(probes, answers):
        values[ProbeKind.REPEAT].append(value)
    return {
        kind: _Tally(
            values=tuple(value for value in all_values if value is not None),
            failed=all_values.count(None),
        )
        for kind, all_values in values.items()
    }


def _compare(
    probes: Sequence[Probe], answers: Sequence[Grades], *, relevant_from: int
) -> Iterator[tuple[ProbeKind, float | None]]:
    """Yield what each probe says: a shift against its control, or 1 where it was misjudged."""
    for probe, grades in zip(probes, answers, strict=True):
        control = None if probe.control is None else answers[probe.control]
        grade = grades[0]
        if probe.kind is ProbeKind.ORDER:
            if control is not None:
                yield probe.kind, _favour(control, grades)
        elif probe.kind in SHIFTS:
            before = control[0] if control else None
            missing = grade is None or before is None
            yield probe.kind, None if missing else float((grade or 0) - (before or 0))
        elif probe.kind is not ProbeKind.REPEAT:
            wrong = grade is not None and (grade >= relevant_from) is (
                probe.kind is ProbeKind.NEGATIVE
            )
            yield probe.kind, None if grade is None else float(wrong)


def _favour(forward: Grades, backward: Grades) -> float | None:
    """Return how much more a text is worth among the first of a batch than among the last."""
    half = len(forward) / 2 - 0.5
    pushes = []
    for place, (first, second) in enumerate(zip(forward, reversed(backward), strict=True)):
        if first is None or second is None:
            return None
        if place != half:
            pushes.append(first - second if place < half else second - first)
    return float(np.mean(pushes)) if pushes else None


def _compare_repeats(probes: Sequence[Probe], answers: Sequence[Grades]) -> Iterator[float | None]:
    """Yield, for each pair asked repeatedly, the share of two answers that differ."""
    groups: dict[int, list[int | None]] = defaultdict(list)
    for place, (probe, grades) in enumerate(zip(probes, answers, strict=True)):
        if probe.kind is ProbeKind.REPEAT:
            groups[place if probe.control is None else probe.control].append(grades[0])
    for given in groups.values():
        known = [grade for grade in given if grade is not None]
        n = len(known)
        same = sum(count * (count - 1) for count in Counter(known).values())
        yield 1 - same / (n * (n - 1)) if n > 1 else None


def _conclude(kind: ProbeKind, tally: _Tally) -> ProbeResult:
    values = np.array(tally.values)
    shift = kind in SHIFTS
    bound = SHIFTS[kind] if shift else SHARES[kind]
    if not len(values):
        estimate = unbounded(None, "no_pairs", level=LEVEL)
    elif shift or kind is ProbeKind.REPEAT:
        estimate = bounded(values.mean(), paired_interval(values, level=LEVEL))
    else:
        interval = proportion_interval(int(values.sum()), len(values), level=LEVEL)
        estimate = bounded(values.mean(), interval)
    return ProbeResult(
        kind=kind,
        n=len(values),
        failed=tally.failed,
        estimate=estimate,
        bound=bound,
        exposed=len(values) >= FEWEST and _is_beyond(estimate, bound),
    )


def _is_beyond(estimate: Estimate, bound: float) -> bool:
    """Whether all of the interval lies beyond the bound; values all equal are their own."""
    low, high = estimate.ci or (estimate.value or 0.0, estimate.value or 0.0)
    return high < bound if bound < 0 else low > bound
