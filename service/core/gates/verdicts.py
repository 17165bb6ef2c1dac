"""A gate against a report: every rule's result, and the one verdict they come to. Pure."""

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import structs

from reteval.contract.diagnostics import Severity
from reteval.contract.gates import (
    EXIT_CODES,
    Gate,
    GateOutcome,
    GateReason,
    GateRun,
    GateVerdict,
    RuleResult,
    RuleStatus,
)
from reteval.contract.results import Results
from reteval.contract.runs import RunStatus, TestSetRef
from service.core.gates.readings import Against, Gap, Reading, count_scored
from service.core.gates.rules import Demand, judge, judge_rules

USABLE: Final = (RunStatus.COMPLETED, RunStatus.COMPLETED_WITH_ERRORS)
"""How a run has to have ended for its numbers to count."""
NO_BASELINE: Final = Against(gap=Gap(GateReason.NO_BASELINE, "no baseline was given"))


def evaluate(gate: Gate, results: Results, against: Against = NO_BASELINE) -> GateVerdict:
    """Hold a run's report to a gate. `against` is what its `drops` are measured by."""
    against = _matching(against, results.id)
    rules = tuple(_judge_all(gate, results, against))
    outcome = _conclude(rules)
    return GateVerdict(
        verdict=outcome,
        exit_code=EXIT_CODES[outcome],
        sentence=_summarise(outcome, rules),
        name=gate.name,
        run=show_run(results),
        baseline=against.run,
        comparisons=tuple(report.id for report in against.reports),
        rules=rules,
        gate=Gate(**{name: getattr(gate, name) for name in Gate.__struct_fields__}),
    )


def show_run(results: Results) -> GateRun:
    """Return what a verdict says about a run."""
    pinned = results.test_set
    return GateRun(
        id=results.id,
        label=results.label,
        status=results.status,
        test_set=TestSetRef(
            id=pinned.id, name=pinned.name, version=pinned.version, hash=pinned.hash
        ),
        timestamp=results.timestamp,
    )


def _matching(against: Against, run_id: str) -> Against:
    """Keep only comparisons of this run with this baseline."""
    baseline = None if against.run is None else against.run.id
    fitting = tuple(
        report
        for report in against.reports
        if (report.candidate.run, report.baseline.run) == (run_id, baseline)
    )
    return structs.replace(against, reports=fitting)


def _judge_all(gate: Gate, results: Results, against: Against) -> Iterator[RuleResult]:
    yield _judge_run(results)
    yield from _judge_findings(gate, results)
    judged = [*_judge_size(gate, results), *judge_rules(gate, results, against)]
    if results.status in USABLE and results.metrics is not None:
        yield from judged
        return
    for one in judged:
        yield RuleResult(
            pointer=one.pointer,
            rule=one.rule,
            status=RuleStatus.ERROR,
            reason=GateReason.NO_NUMBERS,
            message="the run has no numbers that count",
            threshold=one.threshold,
        )


def _judge_run(results: Results) -> RuleResult:
    good = results.status in USABLE and results.metrics is not None
    reason = GateReason.HOLDS if good else GateReason.RUN_FAILED
    if results.status is RunStatus.CANCELLED:
        reason = GateReason.RUN_CANCELLED
    why = f": {results.reason}" if isinstance(results.reason, str) else ""
    return RuleResult(
        pointer="/run",
        rule="the run has completed",
        status=RuleStatus.PASS if good else RuleStatus.ERROR,
        reason=reason,
        message=f"it is {results.status}{why}",
    )


def _judge_findings(gate: Gate, results: Results) -> Iterator[RuleResult]:
    blocking = [
        found
        for found in results.diagnostics
        if found.severity is Severity.BLOCK or found.code in gate.block_on
    ]
    rule = "no finding blocks"
    for found in blocking:
        yield RuleResult(
            pointer="/block_on",
            rule=rule,
            status=RuleStatus.BLOCKED,
            reason=GateReason.BLOCKING_FINDING,
            message=f"{found.code}: {found.message} {found.fix}",
        )
    if not blocking:
        yield RuleResult(
            pointer="/block_on",
            rule=rule,
            status=RuleStatus.PASS,
            reason=GateReason.HOLDS,
            message="none does",
        )


def _judge_size(gate: Gate, results: Results) -> Iterator[RuleResult]:
    if gate.min_queries == 1:
        return
    n = count_scored(results)
    demand = Demand(
        pointer="/min_queries",
        rule=f"at least {gate.min_queries} queries are scored",
        threshold=gate.min_queries,
        most=False,
        broken=GateReason.TOO_FEW_QUERIES,
    )
    yield judge(demand, Reading(value=n, interval=None, n=n))


def _conclude(rules: Sequence[RuleResult]) -> GateOutcome:
    """Weigh the results: no run before no trust, no trust before broken, broken before open."""
    statuses = {rule.status for rule in rules}
    if rules[0].status is not RuleStatus.PASS:
        return GateOutcome.RUN_FAILED
    if RuleStatus.BLOCKED in statuses:
        return GateOutcome.BLOCKED
    if statuses & {RuleStatus.FAIL, RuleStatus.ERROR}:
        return GateOutcome.FAIL
    if RuleStatus.INCONCLUSIVE in statuses:
        return GateOutcome.INCONCLUSIVE
    return GateOutcome.PASS


def _summarise(outcome: GateOutcome, rules: Sequence[RuleResult]) -> str:
    if outcome is GateOutcome.PASS:
        return f"The gate passes: all {len(rules)} checks hold."
    if outcome is GateOutcome.RUN_FAILED:
        return f"The gate does not pass: {rules[0].message}."
    open_rules = [rule for rule in rules if rule.status is not RuleStatus.PASS]
    cause = next((r for r in open_rules if r.status is RuleStatus.BLOCKED), open_rules[0])
    more = f", and {len(open_rules) - 1} more" if len(open_rules) > 1 else ""
    verb = {GateOutcome.BLOCKED: "is blocked", GateOutcome.INCONCLUSIVE: "cannot tell"}
    said = verb.get(outcome, "fails")
    return f"The gate {said}: {cause.rule}: {cause.message.rstrip('.')}{more}."
