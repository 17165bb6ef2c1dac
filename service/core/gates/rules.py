"""One rule against one run: whether it holds, and the reason in words and as a code."""

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import Struct

from reteval.contract.gates import (
    By,
    Caps,
    DropLimit,
    Floor,
    Gate,
    GateReason,
    KindLimit,
    Rule,
    RuleResult,
    RuleStatus,
)
from reteval.contract.results import Results
from service.core.gates.readings import (
    Against,
    Gap,
    Reading,
    read_drop,
    read_error_rate,
    read_floor,
    read_kind,
    read_p95,
    read_unjudged,
)

_WORST: Final = (
    RuleStatus.PASS,
    RuleStatus.INCONCLUSIVE,
    RuleStatus.FAIL,
    RuleStatus.BLOCKED,
    RuleStatus.ERROR,
)


_NOISE: Final = 1e-12
"""A drop of 0.8 to 0.78 is 0.02, whatever the last bit of their difference says."""


class Demand(Struct, frozen=True, kw_only=True):
    """What a number has to be: at least `threshold`, or at most it if `most`."""

    pointer: str
    rule: str
    threshold: float
    most: bool
    broken: GateReason
    by: By = By.POINT
    min_queries: int = 1
    conclusive: bool = False

    def holds(self, value: float) -> bool:
        """Whether a value is on the right side."""
        if self.most:
            return value <= self.threshold + _NOISE
        return value >= self.threshold - _NOISE

    def worse_end(self, interval: tuple[float, float]) -> float:
        """Return the end of an interval that is nearer to breaking the rule."""
        return interval[1] if self.most else interval[0]

    def better_end(self, interval: tuple[float, float]) -> float:
        """Return the other end."""
        return interval[0] if self.most else interval[1]


def judge_rules(gate: Gate, results: Results, against: Against) -> Iterator[RuleResult]:
    """Yield the result of every rule on a number, in the order of the gate."""
    for index, floor in enumerate(gate.floors):
        yield judge(_demand_floor(gate, floor, index), read_floor(results, floor))
    for index, limit in enumerate(gate.drops):
        yield judge(_demand_drop(gate, limit, index), read_drop(against, limit))
    for index, kind in enumerate(gate.adversarial):
        demand = _demand_kind(gate, kind, index)
        yield worst([judge(demand, reading) for reading in read_kind(results, kind)])
    yield from _judge_caps(gate.caps, results)


def judge(demand: Demand, reading: Reading | Gap) -> RuleResult:
    """Hold a number to a demand; a missing one, or one on too few queries, never passes."""
    if isinstance(reading, Gap):
        return RuleResult(
            pointer=demand.pointer,
            rule=demand.rule,
            status=RuleStatus.ERROR,
            reason=reading.reason,
            message=reading.message,
            threshold=demand.threshold,
        )
    status, reason, message = _decide(demand, reading)
    return RuleResult(
        pointer=demand.pointer,
        rule=demand.rule,
        status=status,
        reason=reason,
        message=reading.of + message,
        observed=reading.value,
        interval=reading.interval,
        threshold=demand.threshold,
        n=reading.n,
    )


def worst(results: Sequence[RuleResult]) -> RuleResult:
    """Return the result that a set of them comes to: the worst, then the largest number."""
    return max(results, key=lambda one: (_WORST.index(one.status), one.observed or 0.0))


def _decide(demand: Demand, reading: Reading) -> tuple[RuleStatus, GateReason, str]:
    if reading.n < demand.min_queries:
        message = f"{reading.n} queries are fewer than the {demand.min_queries} declared"
        return RuleStatus.ERROR, GateReason.TOO_FEW_QUERIES, message
    if demand.conclusive or demand.by is By.INTERVAL:
        return _decide_by_interval(demand, reading)
    if demand.holds(reading.value):
        return RuleStatus.PASS, GateReason.HOLDS, _say(demand, reading.value)
    return RuleStatus.FAIL, demand.broken, _say(demand, reading.value)


def _decide_by_interval(demand: Demand, reading: Reading) -> tuple[RuleStatus, GateReason, str]:
    if reading.interval is None:
        message = f"{_show(reading.value)} has no interval, which the rule needs"
        return RuleStatus.ERROR, GateReason.NO_INTERVAL, message
    end = demand.worse_end(reading.interval)
    name = "upper" if demand.most else "lower"
    message = f"{name} end {_say(demand, end)} (mean {_show(reading.value)})"
    if demand.holds(end):
        return RuleStatus.PASS, GateReason.HOLDS, message
    if demand.conclusive and demand.holds(demand.better_end(reading.interval)):
        low, high = reading.interval
        message = (
            f"{_show(demand.threshold)} lies within {_show(low)} .. {_show(high)}; "
            "more queries are needed to tell"
        )
        return RuleStatus.INCONCLUSIVE, GateReason.UNDECIDED, message
    return RuleStatus.FAIL, demand.broken, message


def _judge_caps(caps: Caps, results: Results) -> Iterator[RuleResult]:
    if caps.error_rate is not None:
        text = f"at most {caps.error_rate:g} of the requests have no answer"
        yield judge(_cap("error_rate", text, caps.error_rate), read_error_rate(results))
    if caps.p95_ms is not None:
        text = f"p95 latency is at most {caps.p95_ms:g} ms"
        yield judge(_cap("p95_ms", text, caps.p95_ms), read_p95(results))
    if caps.unjudged is not None:
        text = f"at most {caps.unjudged.at_most:g} of the top {caps.unjudged.k} is unjudged"
        demand = _cap("unjudged", text, caps.unjudged.at_most)
        yield judge(demand, read_unjudged(results, caps.unjudged))


def _cap(name: str, text: str, most: float) -> Demand:
    return Demand(
        pointer=f"/caps/{name}", rule=text, threshold=most, most=True, broken=GateReason.ABOVE_CAP
    )


def _demand_floor(gate: Gate, floor: Floor, index: int) -> Demand:
    return Demand(
        pointer=f"/floors/{index}",
        rule=f"{floor.metric}{_where(floor.slice)} is at least {floor.at_least:g}"
        f"{_how(gate, floor)}",
        threshold=floor.at_least,
        most=False,
        broken=GateReason.BELOW_FLOOR,
        by=_by(gate, floor),
        min_queries=floor.min_queries or gate.min_queries,
        conclusive=gate.require_conclusive,
    )


def _demand_drop(gate: Gate, limit: DropLimit, index: int) -> Demand:
    return Demand(
        pointer=f"/drops/{index}",
        rule=f"{limit.metric}{_where(limit.slice)} drops by at most {limit.max_drop:g} "
        f"from the baseline{_how(gate, limit)}",
        # The number is run minus baseline; 0.0 - x keeps a limit of 0 from becoming -0.
        threshold=0.0 - limit.max_drop,
        most=False,
        broken=GateReason.DROPPED,
        by=_by(gate, limit),
        min_queries=limit.min_queries or gate.min_queries,
        conclusive=gate.require_conclusive,
    )


def _demand_kind(gate: Gate, kind: KindLimit, index: int) -> Demand:
    severity = "" if kind.severity is None else f" at severity {kind.severity}"
    return Demand(
        pointer=f"/adversarial/{index}",
        rule=f"{kind.kind}{severity} loses at most {kind.max_drop:g} against the clean queries"
        f"{_how(gate, kind)}",
        threshold=kind.max_drop,
        most=True,
        broken=GateReason.DROPPED,
        by=_by(gate, kind),
        min_queries=kind.min_queries or gate.min_queries,
        conclusive=gate.require_conclusive,
    )


def _by(gate: Gate, rule: Rule) -> By:
    return By.INTERVAL if gate.require_conclusive else rule.by


def _how(gate: Gate, rule: Rule) -> str:
    return f" (by {_by(gate, rule)})"


def _where(name: str | None) -> str:
    return "" if name is None else f" in {name}"


def _say(demand: Demand, value: float) -> str:
    """Compare in words; the sides follow the rule's own comparison, never rounding."""
    if demand.most:
        words = "is within" if demand.holds(value) else "is above"
    else:
        words = "reaches" if demand.holds(value) else "is below"
    return f"{_show(value)} {words} {_show(demand.threshold)}"


def _show(value: float) -> str:
    return f"{value:.4g}"
