import math
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reteval.contract.adversarial import Drop
from reteval.contract.comparisons import Verdict
from reteval.contract.diagnostics import Diagnostic, DiagnosticCode, Severity
from reteval.contract.gates import (
    EXIT_CODES,
    Gate,
    GateOutcome,
    GateReason,
    GateVerdict,
    RuleResult,
    RuleStatus,
)
from reteval.contract.results import Counts, Latency, Results, Slice
from reteval.contract.runs import RunStatus
from service.core.gates.readings import Against, Gap
from service.core.gates.verdicts import evaluate
from tests.unit.reteval.decisions import (
    a_comparison_report,
    a_difference,
    a_gate_run,
    a_metric,
)
from tests.unit.reteval.documents import FEW, a_kind, a_report, a_summary, an_adversarial_report

BASELINE = a_gate_run(id="run_0", label="main")
AGAINST = Against(run=BASELINE, reports=(a_comparison_report(),))
MISMATCH = Diagnostic(
    code=DiagnosticCode.ID_MISMATCH, severity=Severity.BLOCK, message="No id.", fix="Map ids."
)


def gate(**fields: Any) -> Gate:
    """Return a gate from its JSON."""
    return msgspec.convert(fields, Gate)


def hold(fields: dict[str, Any], results: Results, against: Against = AGAINST) -> RuleResult:
    """Return the result of a gate's only rule."""
    (rule,) = evaluate(gate(**fields), results, against).rules[2:]
    return rule


def floor(**fields: Any) -> dict[str, Any]:
    """Return a gate of one floor under recall@5."""
    return {"floors": [{"metric": "recall@5", **fields}]}


def drop(**fields: Any) -> dict[str, Any]:
    """Return a gate of one limit on a drop of recall@5."""
    return {"drops": [{"metric": "recall@5", **fields}]}


def kind(**fields: Any) -> dict[str, Any]:
    """Return a gate of one limit on misspelled queries."""
    return {"adversarial": [{"kind": "typo.mixed", **fields}]}


# recall@5 of the report: 0.81 in 0.74 .. 0.88, n 49
@pytest.mark.parametrize(
    ("fields", "conclusive", "status", "reason"),
    [
        ({"at_least": 0.81}, False, "pass", "holds"),
        ({"at_least": 0.811}, False, "fail", "below_floor"),
        ({"at_least": 0.74, "by": "interval"}, False, "pass", "holds"),
        ({"at_least": 0.75, "by": "interval"}, False, "fail", "below_floor"),
        ({"at_least": 0.74}, True, "pass", "holds"),
        ({"at_least": 0.75}, True, "inconclusive", "undecided"),
        ({"at_least": 0.88}, True, "inconclusive", "undecided"),
        ({"at_least": 0.89}, True, "fail", "below_floor"),
        ({"at_least": 0.1, "min_queries": 50}, False, "error", "too_few_queries"),
        ({"at_least": 0.1, "min_queries": 49}, False, "pass", "holds"),
    ],
)
def test_floor_by_point_and_by_interval(
    *, fields: dict[str, Any], conclusive: bool, status: str, reason: str
) -> None:
    """The mean decides, or the lower end; where a decision is required, both ends do."""
    rule = hold({**floor(**fields), "require_conclusive": conclusive}, a_report())
    assert (rule.status, rule.reason) == (status, reason)
    assert (rule.observed, rule.interval, rule.n) == (0.81, (0.74, 0.88), 49)
    assert rule.threshold == fields["at_least"]


def test_outage_does_not_lift_a_run_over_its_floor() -> None:
    """Failed queries count as 0 under a floor, in the mean and at the interval's lower end."""
    summary = a_summary(bounds=(0.6, 0.9))
    rule = hold(floor(at_least=0.7), a_report(metrics={"recall@5": summary}))
    assert (rule.status, rule.observed, rule.interval) == ("fail", 0.6, (0.6, 0.88))


@pytest.mark.parametrize(
    ("difference", "fields", "conclusive", "status", "reason"),
    [
        (a_difference(-0.02), {"max_drop": 0.02}, False, "pass", "holds"),
        (a_difference(0.78 - 0.80), {"max_drop": 0.02}, False, "pass", "holds"),
        (a_difference(-0.021), {"max_drop": 0.02}, False, "fail", "dropped"),
        (a_difference(), {"max_drop": 0.03, "by": "interval"}, False, "pass", "holds"),
        (a_difference(), {"max_drop": 0.02, "by": "interval"}, False, "fail", "dropped"),
        (a_difference(), {"max_drop": 0.02}, True, "inconclusive", "undecided"),
        (a_difference(-0.1, (-0.2, -0.05)), {"max_drop": 0.02}, True, "fail", "dropped"),
        (a_difference(0.1, (0.05, 0.2)), {"max_drop": -0.05}, True, "pass", "holds"),
        (a_difference(None, None, reason="no_pairs"), {"max_drop": 1}, False, "error", "no_value"),
        (a_difference(math.nan), {"max_drop": 1}, False, "error", "no_value"),
        (
            a_difference(0.0, None, reason="no_variation"),
            {"max_drop": 0, "by": "interval"},
            False,
            "pass",
            "holds",
        ),
        (
            a_difference(0.0, None, reason="too_few"),
            {"max_drop": 0, "by": "interval"},
            False,
            "error",
            "no_interval",
        ),
        (
            a_difference(0.0, (math.nan, 1.0)),
            {"max_drop": 0, "by": "interval"},
            False,
            "error",
            "no_interval",
        ),
    ],
)
def test_drop_by_point_and_by_interval(
    *, difference: Any, fields: dict[str, Any], conclusive: bool, status: str, reason: str
) -> None:
    """A drop of the limit is allowed to the last bit; runs that agree everywhere did not drop."""
    report = a_comparison_report(metrics={"recall@5": a_metric(difference)})
    against = Against(run=BASELINE, reports=(report,))
    rule = hold({**drop(**fields), "require_conclusive": conclusive}, a_report(), against)
    assert (rule.status, rule.reason) == (status, reason)


def test_equal_differences_of_few_queries() -> None:
    """Five queries that agree are no evidence; six are."""
    same = a_difference(0.0, None, reason="no_variation")
    for n, status in ((5, RuleStatus.ERROR), (6, RuleStatus.PASS)):
        report = a_comparison_report(metrics={"recall@5": a_metric(same, n)})
        against = Against(run=BASELINE, reports=(report,))
        assert hold(drop(max_drop=0, by="interval"), a_report(), against).status is status


@pytest.mark.parametrize(
    ("verdict", "reason", "expected"),
    [
        (Verdict.INCONCLUSIVE, "low_overlap", "not_comparable"),
        (Verdict.INCONCLUSIVE, "no_variation", "holds"),
        (Verdict.NO_CHANGE, "identical_runs", "holds"),
    ],
)
@pytest.mark.parametrize("slice_name", [None, "tag:faq"])
def test_comparison_that_draws_no_conclusion(
    verdict: Verdict, reason: str, expected: str, slice_name: str | None
) -> None:
    """Numbers that the comparison itself does not trust pass no gate."""
    compared = msgspec.structs.replace(
        a_metric(a_difference(reason="no_variation")), verdict=verdict, reason=reason
    )
    report = a_comparison_report(metrics={"recall@5": compared})
    against = Against(run=BASELINE, reports=(report,))
    assert hold(drop(max_drop=1, slice=slice_name), a_report(), against).reason == expected


@pytest.mark.parametrize(
    ("kinds", "fields", "status", "reason"),
    [
        ([a_kind()], {"max_drop": 0.15}, "pass", "holds"),
        ([a_kind()], {"max_drop": 0.14}, "fail", "dropped"),
        ([a_kind()], {"max_drop": 0.2, "by": "interval"}, "pass", "holds"),
        ([a_kind()], {"max_drop": 0.19, "by": "interval"}, "fail", "dropped"),
        ([a_kind()], {"max_drop": 0.2, "severity": 2}, "error", "kind_not_run"),
        ([], {"max_drop": 1}, "error", "kind_not_run"),
        ([a_kind()], {"max_drop": 1, "min_queries": 49}, "error", "too_few_queries"),
        (
            [a_kind(), a_kind(severity=2, drop=Drop(mean=0.3, ci=None, method="t", level=0.95))],
            {"max_drop": 0.2},
            "fail",
            "dropped",
        ),
        (
            [a_kind(severity=2, drop=Drop(mean=None, ci=None, method="t", level=0.95)), a_kind()],
            {"max_drop": 0.2},
            "error",
            "no_value",
        ),
    ],
)
def test_kind_at_every_severity(
    kinds: list[Any], fields: dict[str, Any], status: str, reason: str
) -> None:
    """The upper end of the loss decides by interval; the worst severity decides the rule."""
    results = a_report(adversarial=an_adversarial_report(kinds=tuple(kinds)))
    rule = hold(kind(**fields), results)
    assert (rule.status, rule.reason) == (status, reason)


def test_kind_that_was_never_sent() -> None:
    """A run without changed queries cannot hold a limit on them."""
    rule = hold(kind(max_drop=1), a_report())
    assert (rule.status, rule.reason) == (RuleStatus.ERROR, GateReason.KIND_NOT_RUN)


COUNTS = Counts(planned=50, ok=45, ok_empty=1, failed=3, skipped=1, unscorable=0, duplicate_hits=0)
NO_LATENCY = Latency(
    n=0, p50=None, p90=None, p95=None, p99=None, mean=None, max=None, reason="none"
)


@pytest.mark.parametrize(
    ("caps", "changes", "status", "reason"),
    [
        ({"error_rate": 0.08}, {"counts": COUNTS}, "pass", "holds"),
        ({"error_rate": 0.07}, {"counts": COUNTS}, "fail", "above_cap"),
        (
            {"error_rate": 1},
            {"counts": msgspec.structs.replace(COUNTS, planned=0)},
            "error",
            "no_value",
        ),
        ({"p95_ms": 3}, {}, "pass", "holds"),
        ({"p95_ms": 2.9}, {}, "fail", "above_cap"),
        ({"p95_ms": 3}, {"latency_ms": NO_LATENCY}, "error", "no_value"),
        ({"unjudged": {"at_most": 0.2}}, {}, "error", "metric_not_measured"),
        (
            {"unjudged": {"at_most": 0.2}},
            {"metrics": {"judged@10": a_summary(0.8)}},
            "pass",
            "holds",
        ),
        (
            {"unjudged": {"at_most": 0.2, "k": 3}},
            {"metrics": {"judged@3": a_summary(0.7)}},
            "fail",
            "above_cap",
        ),
        (
            {"unjudged": {"at_most": 0.2}},
            {"metrics": {"judged@10": a_summary(None, reason="all_empty")}},
            "error",
            "no_value",
        ),
    ],
)
def test_caps(caps: dict[str, Any], changes: dict[str, Any], status: str, reason: str) -> None:
    """Requests without an answer, latency and unjudged documents are bounded above."""
    rule = hold({"caps": caps}, a_report(**changes))
    assert (rule.status, rule.reason) == (status, reason)


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"floors": [{"metric": "map", "at_least": 0}]}, "metric_not_measured"),
        (floor(at_least=0, slice="tag:none"), "slice_not_found"),
        ({"floors": [{"metric": "mrr", "at_least": 0, "slice": "tag:faq"}]}, "metric_not_measured"),
        ({"drops": [{"metric": "map", "max_drop": 1}]}, "metric_not_measured"),
        (drop(max_drop=1, slice="tag:none"), "slice_not_found"),
        (
            {"drops": [{"metric": "mrr", "max_drop": 1, "slice": "tag:faq"}]},
            "metric_not_measured",
        ),
    ],
)
def test_name_that_the_reports_do_not_have(fields: dict[str, Any], reason: str) -> None:
    """A metric or slice that is not there fails closed, and the message says what is."""
    results = a_report(slices={"tag:faq": Slice(n=20, metrics={"recall@5": a_summary()})})
    rule = hold(fields, results)
    assert (rule.status, rule.reason) == (RuleStatus.ERROR, reason)


def test_rules_on_slices() -> None:
    """A slice's own numbers decide."""
    results = a_report(slices={"tag:faq": Slice(n=20, metrics={"recall@5": a_summary(0.5, n=20)})})
    assert hold(floor(at_least=0.6, slice="tag:faq"), results).n == 20
    assert hold(drop(max_drop=0.1, slice="tag:faq"), results).status is RuleStatus.PASS
    assert hold(drop(max_drop=0.09, slice="tag:faq"), results).status is RuleStatus.FAIL


def test_many_slices_are_not_all_listed() -> None:
    """The message about a missing slice names the first ones."""
    slices = {f"tag:{n}": Slice(n=1, metrics={}) for n in range(20)}
    message = hold(floor(at_least=0, slice="tag:x"), a_report(slices=slices)).message
    assert message.endswith("tag:7, …")


@pytest.mark.parametrize(
    ("against", "reason"),
    [
        (Against(gap=Gap(GateReason.NO_BASELINE, "none")), "no_baseline"),
        (Against(run=BASELINE, gap=Gap(GateReason.BASELINE_FAILED, "x")), "baseline_failed"),
        (Against(run=BASELINE), "metric_not_measured"),
        (Against(run=a_gate_run(id="run_9"), reports=AGAINST.reports), "metric_not_measured"),
    ],
)
def test_drop_without_its_comparison(against: Against, reason: str) -> None:
    """No baseline, a failed one, or a comparison of other runs is never a pass."""
    rule = hold(drop(max_drop=1), a_report(), against)
    assert (rule.status, rule.reason) == (RuleStatus.ERROR, reason)


def test_drop_without_any_baseline() -> None:
    """Evaluating a report alone leaves its drops unanswered."""
    assert evaluate(gate(**drop(max_drop=1)), a_report()).rules[2].reason == "no_baseline"


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"status": RunStatus.FAILED, "metrics": None, "reason": "no_answers"}, "run_failed"),
        ({"status": RunStatus.CANCELLED, "metrics": None}, "run_cancelled"),
        ({"status": RunStatus.RUNNING}, "run_failed"),
        ({"metrics": None}, "run_failed"),
        ({"status": RunStatus.FAILED}, "run_failed"),
    ],
)
def test_run_without_numbers_that_count(changes: dict[str, Any], reason: str) -> None:
    """A failed, cancelled or unfinished run never passes, whatever numbers it carries."""
    fields = {**floor(at_least=0), "caps": {"p95_ms": 100}, "min_queries": 2}
    verdict = evaluate(gate(**fields), a_report(diagnostics=(MISMATCH,), **changes))
    assert (verdict.verdict, verdict.exit_code) == (GateOutcome.RUN_FAILED, 3)
    assert verdict.rules[0].reason == reason
    assert {rule.reason for rule in verdict.rules[2:]} == {GateReason.NO_NUMBERS}
    assert {rule.status for rule in verdict.rules[2:]} == {RuleStatus.ERROR}


@pytest.mark.parametrize(
    ("found", "block_on", "verdict"),
    [
        ((FEW,), [], "pass"),
        ((FEW,), ["few_queries"], "blocked"),
        ((MISMATCH,), [], "blocked"),
        ((MISMATCH, FEW), ["few_queries"], "blocked"),
    ],
)
def test_findings_that_block(
    found: tuple[Diagnostic, ...], block_on: list[str], verdict: str
) -> None:
    """Severity block always blocks, other findings where the gate says so, each with its row."""
    held = evaluate(gate(**floor(at_least=0.5), block_on=block_on), a_report(diagnostics=found))
    assert held.verdict == verdict
    assert held.exit_code == EXIT_CODES[held.verdict]
    blocked = [rule for rule in held.rules if rule.status is RuleStatus.BLOCKED]
    assert len(blocked) == (0 if verdict == "pass" else len(found))


def test_min_queries_is_a_rule_of_its_own() -> None:
    """The gate's minimum holds for the run as a whole and for every rule without its own."""
    fields = {**floor(at_least=0), "min_queries": 50}
    verdict = evaluate(gate(**fields), a_report())
    assert [rule.reason for rule in verdict.rules] == [
        GateReason.HOLDS,
        GateReason.HOLDS,
        GateReason.TOO_FEW_QUERIES,
        GateReason.TOO_FEW_QUERIES,
    ]
    assert verdict.verdict is GateOutcome.FAIL
    enough = evaluate(gate(**floor(at_least=0), min_queries=49), a_report())
    assert enough.verdict is GateOutcome.PASS


@pytest.mark.parametrize(
    ("floors", "findings", "verdict", "sentence"),
    [
        ([0.7], (), "pass", "The gate passes: all 3 checks hold."),
        ([0.89, 0.8], (), "fail", "The gate fails: recall@5 is at least 0.89"),
        ([0.8], (), "inconclusive", "The gate cannot tell: recall@5 is at least 0.8"),
        ([0.89], (MISMATCH,), "blocked", "The gate is blocked: no finding blocks: id_mismatch"),
    ],
)
def test_verdict_weighs_the_rules(
    floors: list[float], findings: tuple[Diagnostic, ...], verdict: str, sentence: str
) -> None:
    """Blocked goes before fail, fail before inconclusive; the sentence names the cause."""
    fields = {"floors": [{"metric": "recall@5", "at_least": least} for least in floors]}
    held = evaluate(
        gate(**fields, require_conclusive=True), a_report(diagnostics=findings), AGAINST
    )
    assert (held.verdict, held.exit_code) == (verdict, EXIT_CODES[GateOutcome(verdict)])
    assert held.sentence.startswith(sentence)


def test_verdict_names_everything_it_rests_on() -> None:
    """Run, baseline, comparisons and the gate with its defaults stand in the verdict."""
    held = evaluate(gate(**drop(max_drop=0.02)), a_report(), AGAINST)
    assert (held.run.id, held.baseline, held.comparisons) == ("run_1", BASELINE, ("cmp_1",))
    assert held.gate == gate(**drop(max_drop=0.02))
    assert msgspec.json.decode(msgspec.json.encode(held), type=GateVerdict) == held


numbers = st.floats(-1, 1) | st.none()


@given(
    mean=numbers,
    ends=st.tuples(st.floats(-1, 1), st.floats(-1, 1)).map(sorted) | st.none(),
    limit=st.floats(-1, 1),
    by=st.sampled_from(["point", "interval"]),
    conclusive=st.booleans(),
)
def test_pass_always_rests_on_a_number(
    *, mean: float | None, ends: list[float] | None, limit: float, by: str, conclusive: bool
) -> None:
    """Whatever comes, a pass has a number on the right side, and the exit code is the verdict's."""
    ci = None if ends is None else (ends[0], ends[1])
    report = a_comparison_report(metrics={"recall@5": a_metric(a_difference(mean, ci))})
    fields = {**drop(max_drop=limit, by=by), "require_conclusive": conclusive}
    held = evaluate(gate(**fields), a_report(), Against(run=BASELINE, reports=(report,)))
    assert held.exit_code == EXIT_CODES[held.verdict]
    if held.verdict is GateOutcome.PASS:
        strict = conclusive or by == "interval"
        decides = (ci[0] if ci else None) if strict else mean
        assert decides is not None
        assert mean is not None
        assert decides >= -limit - 1e-9
