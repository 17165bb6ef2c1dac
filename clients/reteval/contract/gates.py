"""Gates: what a run has to fulfil, and the one verdict that every form of answer is made from."""

from enum import StrEnum
from typing import Annotated, Final

from msgspec import Meta, Struct

from reteval.contract import limits
from reteval.contract.comparisons import RunId, Scope
from reteval.contract.diagnostics import DiagnosticCode
from reteval.contract.runs import RunStatus, TestSetRef
from reteval.contract.shown import Tabular

MAX_RULES: Final = 100
"""Rules of one sort in a gate."""

Share = Annotated[float, Meta(ge=0, le=1)]
MetricName = Annotated[str, Meta(min_length=1, max_length=64)]
SliceName = Annotated[str, Meta(min_length=1, max_length=600)]
Queries = Annotated[int, Meta(ge=1, le=limits.MAX_QUERIES)]


class By(StrEnum):
    """What is held against a threshold: the number itself, or the worse end of its interval."""

    POINT = "point"
    INTERVAL = "interval"


class Rule(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What all rules on a measured number have. `min_queries` replaces the gate's own."""

    by: By = By.POINT
    min_queries: Queries | None = None


class Floor(Rule, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A metric's mean, over all queries or in a slice such as `tag:faq`, is at least so much."""

    metric: MetricName
    at_least: Annotated[float, Meta(ge=-1, le=1)]
    slice: SliceName | None = None


class DropLimit(Rule, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A metric fell by at most `max_drop` points, paired, from the baseline to the run.

    By interval, the lower end of the paired difference decides: the drop it cannot rule out.
    """

    metric: MetricName
    max_drop: Annotated[float, Meta(ge=-1, le=1)]
    slice: SliceName | None = None


class KindLimit(Rule, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Queries changed in one way lose at most `max_drop` points against the same ones clean.

    Without `severity`, every severity that was run has to hold.
    """

    kind: Annotated[str, Meta(min_length=1, max_length=200)]
    max_drop: Annotated[float, Meta(ge=-1, le=1)]
    severity: Annotated[int, Meta(ge=1, le=3)] | None = None


class UnjudgedCap(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """At most this share of the documents in the top `k` is unjudged: 1 - judged@k."""

    at_most: Share
    k: Annotated[int, Meta(ge=1, le=limits.MAX_DEPTH)] = 10


class Caps(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Upper bounds: share of requests without an answer, latency in milliseconds, unjudged."""

    error_rate: Share | None = None
    p95_ms: Annotated[float, Meta(gt=0)] | None = None
    unjudged: UnjudgedCap | None = None


class NewestRun(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The newest completed run over the same test set with a label, of a branch, or both.

    `branch` is what `meta.branch` of the run says.
    """

    label: Annotated[str, Meta(max_length=limits.MAX_NAME_BYTES)] = ""
    branch: Annotated[str, Meta(max_length=limits.MAX_NAME_BYTES)] = ""


class Gate(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A gate file. A rule whose number is missing, or rests on too few queries, never passes.

    `block_on` adds findings to those of severity `block`, which always block.
    `require_conclusive`: a rule holds only if the whole interval is on the right side, fails
    only if it is on the wrong one, and is inconclusive between. `on` as in a comparison.
    """

    name: Annotated[str, Meta(max_length=limits.MAX_NAME_BYTES)] = "gate"
    baseline: RunId | NewestRun | None = None
    floors: Annotated[tuple[Floor, ...], Meta(max_length=MAX_RULES)] = ()
    drops: Annotated[tuple[DropLimit, ...], Meta(max_length=MAX_RULES)] = ()
    adversarial: Annotated[tuple[KindLimit, ...], Meta(max_length=MAX_RULES)] = ()
    caps: Caps = Caps()
    block_on: Annotated[tuple[DiagnosticCode, ...], Meta(max_length=MAX_RULES)] = ()
    min_queries: Queries = 1
    require_conclusive: bool = False
    on: Scope | None = None


class GateRequest(Gate, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The body of `POST /v1/gates/evaluate`: a gate, and the run or comparison it is held to.

    `comparison` stands for its candidate as the run and its baseline as the baseline.
    """

    run: RunId | None = None
    comparison: RunId | None = None


class RuleStatus(StrEnum):
    """How a rule came out; everything but `pass` keeps a gate from passing."""

    PASS = "pass"  # noqa: S105 - no secret
    FAIL = "fail"
    BLOCKED = "blocked"
    INCONCLUSIVE = "inconclusive"
    ERROR = "error"


class GateReason(StrEnum):
    """Why a rule came out as it did. Documented in `docs/gates.md`."""

    HOLDS = "holds"
    BELOW_FLOOR = "below_floor"
    DROPPED = "dropped"
    ABOVE_CAP = "above_cap"
    UNDECIDED = "undecided"
    BLOCKING_FINDING = "blocking_finding"
    RUN_FAILED = "run_failed"
    RUN_CANCELLED = "run_cancelled"
    NO_NUMBERS = "no_numbers"
    TOO_FEW_QUERIES = "too_few_queries"
    NO_VALUE = "no_value"
    NO_INTERVAL = "no_interval"
    METRIC_NOT_MEASURED = "metric_not_measured"
    SLICE_NOT_FOUND = "slice_not_found"
    KIND_NOT_RUN = "kind_not_run"
    NO_BASELINE = "no_baseline"
    BASELINE_FAILED = "baseline_failed"
    OTHER_TEST_SET = "other_test_set"
    COMPARISON_FAILED = "comparison_failed"
    NOT_COMPARABLE = "not_comparable"


class GateOutcome(StrEnum):
    """The verdict over all rules."""

    PASS = "pass"  # noqa: S105 - no secret
    FAIL = "fail"
    RUN_FAILED = "run_failed"
    BLOCKED = "blocked"
    INCONCLUSIVE = "inconclusive"


EXIT_CODES: Final = {
    GateOutcome.PASS: 0,
    GateOutcome.FAIL: 1,
    GateOutcome.RUN_FAILED: 3,
    GateOutcome.BLOCKED: 4,
    GateOutcome.INCONCLUSIVE: 5,
}
"""What `reteval gate` tells the shell; 2 is left to wrong usage."""


class RuleResult(Struct, frozen=True, kw_only=True):
    """One rule against one run. `pointer` is its place in the gate, `rule` its text.

    `observed` and `interval` are in the unit of `threshold` (metric points, shares,
    milliseconds; a difference is candidate minus baseline), over `n` queries.
    """

    pointer: str
    rule: str
    status: RuleStatus
    reason: GateReason
    message: str
    observed: float | None = None
    interval: tuple[float, float] | None = None
    threshold: float | None = None
    n: int | None = None


class GateRun(Struct, frozen=True, kw_only=True):
    """A run as a gate saw it."""

    id: str
    label: str
    status: RunStatus
    test_set: TestSetRef
    timestamp: str


class GateVerdict(Tabular, Struct, frozen=True, kw_only=True):
    """Whether a run may pass, and why. `gate` is the gate with every default filled in."""

    verdict: GateOutcome
    exit_code: int
    sentence: str
    name: str
    run: GateRun
    baseline: GateRun | None
    comparisons: tuple[str, ...]
    rules: tuple[RuleResult, ...]
    gate: Gate

    def raise_for_gate(self) -> None:
        """Do nothing where the gate passes.

        Raises:
            GateFailedError: it does not.
        """
        if self.verdict is not GateOutcome.PASS:
            raise GateFailedError(self)

    def metric_of(self, rule: RuleResult) -> str | None:
        """Return the metric that a rule is about; None where it is about something else."""
        floors = {f"/floors/{index}": one.metric for index, one in enumerate(self.gate.floors)}
        drops = {f"/drops/{index}": one.metric for index, one in enumerate(self.gate.drops)}
        return (floors | drops).get(rule.pointer)


class GateFailedError(AssertionError):
    """A gate that did not pass; an assertion, so that whatever runs tests calls it a failure.

    `result` is the verdict, `rules` those that did not hold. `metric`, `value` and `threshold`
    are of the first of them, None where it has none.
    """

    def __init__(self, result: GateVerdict) -> None:
        super().__init__(result)
        self.result = result
        self.rules = tuple(rule for rule in result.rules if rule.status is not RuleStatus.PASS)
        first = next(iter(self.rules), None)
        self.metric = None if first is None else result.metric_of(first)
        self.value = None if first is None else first.observed
        self.threshold = None if first is None else first.threshold

    def __str__(self) -> str:
        """Return the verdict in a sentence, then a line for each rule that did not hold."""
        lines = [f"{rule.status.value}: {rule.message}" for rule in self.rules]
        return "\n  ".join([self.result.sentence, *lines])


class GatePending(Struct, frozen=True, kw_only=True):
    """What a gate still waits for: a run that has not ended, or comparisons that have not."""

    status: str
    waiting_for: tuple[str, ...]
    links: dict[str, str]
    poll_after_s: float


class GateFormat(StrEnum):
    """The forms a verdict is answered in."""

    JSON = "json"
    TEXT = "text"
    JUNIT = "junit"
    MARKDOWN = "markdown"


EXIT_CODE_HEADER: Final = "X-Reteval-Exit-Code"
"""Carries `exit_code` in every form of answer."""
