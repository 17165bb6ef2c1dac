"""Run, compare, decide: what a pipeline asks of the service, and what comes of it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from reteval._gates import Held
from reteval._uploads import UploadOptions
from reteval.ci.worst import choose_primary, find_rankings, find_worst
from reteval.client import Client
from reteval.contract.comparisons import ComparisonReport, ComparisonRequest
from reteval.contract.gates import GateFormat, GateVerdict
from reteval.contract.outcomes import QueryRow
from reteval.contract.results import Results
from reteval.contract.runs import Run
from reteval.contract.testsets import TestSet
from reteval.errors import ClientError, NotFoundError, RetevalError

WRONG_USAGE: Final = 2
NO_VERDICT: Final = 3
NO_VERDICT_NAME: Final = "no verdict"
_WORST: Final = 10


class Plan(Struct, frozen=True, kw_only=True):
    """What is run and what it is held to.

    `request` is the body of the run without its test set. With `files`, they are uploaded under
    the name `test_set`, or their own. `branch` is looked up in `meta.branch` of earlier runs.
    """

    test_set: str
    request: dict[str, Any]
    gate: Path
    files: tuple[Path, ...] = ()
    baseline: str = ""
    label: str = ""
    branch: str = ""
    require_conclusive: bool = False
    timeout_s: float | None = None
    rows: int = 0


class Evaluation(Struct, frozen=True, kw_only=True):
    """A verdict with what it rests on, or the `trouble` that kept it from being given.

    Every form of answer, and the exit code, are made from this. `worst` are the queries with the
    least of `primary`; `forms` are the verdict as the service writes it.
    """

    page: str = ""
    run: str = ""
    verdict: GateVerdict | None = None
    trouble: str = ""
    fault: int = NO_VERDICT
    results: Results | None = None
    comparison: ComparisonReport | None = None
    primary: str = ""
    worst: tuple[QueryRow, ...] = ()
    rankings: dict[str, list[str]] = {}
    forms: dict[GateFormat, str] = {}

    @property
    def exit_code(self) -> int:
        """What the shell is told: the verdict's own, or that there is none."""
        return self.fault if self.verdict is None else self.verdict.exit_code

    @property
    def outcome(self) -> str:
        """The verdict in a word or two."""
        return NO_VERDICT_NAME if self.verdict is None else self.verdict.verdict.value


def evaluate(
    client: Client,
    plan: Plan,
    *,
    on_start: Callable[[Run, str], object],
    on_progress: Callable[[Run], object] | None = None,
) -> Evaluation:
    """Carry out a plan to its verdict. What goes wrong on the way is told, not raised."""
    run: Run | None = None
    try:
        test_set = _find_test_set(client, plan)
        baseline = _find_baseline(client, plan, test_set)
        run = client.run({"test_set": test_set.id, **plan.request})
        on_start(run, page_of(client, run.id))
        client.wait(run.id, timeout_s=plan.timeout_s, on_progress=on_progress)
        return _decide(client, plan, run.id, baseline)
    except (ClientError, OSError, ValueError) as exc:
        return _without_verdict(client, run, exc, WRONG_USAGE)
    except RetevalError as exc:
        return _without_verdict(client, run, exc, NO_VERDICT)


def page_of(client: Client, run_id: str) -> str:
    """Return the address at which people look at a run."""
    return f"{client.url}/runs/{run_id}"


def _without_verdict(client: Client, run: Run | None, exc: Exception, fault: int) -> Evaluation:
    if run is None:
        return Evaluation(trouble=str(exc), fault=fault)
    page = page_of(client, run.id)
    return Evaluation(page=page, run=run.id, trouble=str(exc), fault=fault)


def _find_test_set(client: Client, plan: Plan) -> TestSet:
    if not plan.files:
        return client.test_set(plan.test_set)
    named: UploadOptions = {"name": plan.test_set} if plan.test_set else {}
    return client.upload(*plan.files, **named)


def _find_baseline(client: Client, plan: Plan, test_set: TestSet) -> str:
    """Return the run to compare with, as it was before ours; empty where there is none.

    A run over this very version goes first; one over another version is what is left, and the
    gate says what it makes of that.
    """
    if plan.baseline or not (plan.label or plan.branch):
        return plan.baseline
    wanted = {"label": plan.label or None, "branch": plan.branch or None}
    for over in (test_set.id, test_set.name):
        try:
            return client.latest(test_set=over, **wanted).id
        except NotFoundError:
            continue
    return ""


def _decide(client: Client, plan: Plan, run_id: str, baseline: str) -> Evaluation:
    held: Held = {"run": run_id}
    if baseline:
        held["baseline"] = baseline
    else:  # the gate says that there is none
        held["baseline_label"], held["baseline_branch"] = plan.label, plan.branch
    if plan.require_conclusive:
        held["require_conclusive"] = True
    verdict = client.gate(plan.gate, timeout_s=plan.timeout_s, **held)
    if verdict.baseline is not None:  # so that each form is about the same two runs
        baseline = verdict.baseline.id
        held = {**held, "baseline": baseline, "baseline_label": "", "baseline_branch": ""}
    forms = {
        form: client.gate_document(plan.gate, form, timeout_s=plan.timeout_s, **held).body.decode()
        for form in (GateFormat.TEXT, GateFormat.MARKDOWN, GateFormat.JUNIT)
    }
    results = client.results(run_id)
    comparison = _compare(client, baseline, verdict, plan.timeout_s) if baseline else None
    primary = comparison.primary if comparison else choose_primary(results)
    worst = find_worst(client, run_id, primary, max(plan.rows, _WORST))
    return Evaluation(
        page=page_of(client, run_id),
        run=run_id,
        verdict=verdict,
        results=results,
        comparison=comparison,
        primary=primary,
        worst=worst,
        rankings=find_rankings(client, run_id, worst[: plan.rows]),
        forms=forms,
    )


def _compare(
    client: Client, baseline: str, verdict: GateVerdict, timeout_s: float | None
) -> ComparisonReport | None:
    """Compare in all metrics, as the gate did in its own; None where that cannot be done."""
    asked = ComparisonRequest(baseline=baseline, candidate=verdict.run.id, on=verdict.gate.on)
    try:
        comparison = client.compare(asked)
    except ClientError:
        return None
    return client.wait_comparison(comparison.id, timeout_s=timeout_s).report
