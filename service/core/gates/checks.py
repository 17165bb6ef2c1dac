"""The rules of a gate beyond types and bounds, and its metrics under their canonical names."""

from collections.abc import Iterator, Sequence
from typing import Final, TypeVar

from msgspec import structs

from reteval.contract.gates import Caps, DropLimit, Floor, GateRequest, NewestRun
from reteval.contract.kinds import KINDS
from reteval.contract.limits import MAX_METRICS
from reteval.contract.metrics import UnknownMetricError, parse_metric
from reteval.contract.problems import ProblemItem
from service.core.texts import check_text
from service.errors import InvalidError

MAX_ERRORS: Final = 20
R = TypeVar("R", Floor, DropLimit)


def check_gate(request: GateRequest) -> GateRequest:
    """Return the gate with every metric under its canonical name.

    Raises:
        InvalidError: every rule it breaks (at most 20), each with its place and a fix.
    """
    items = [
        *_check_subject(request),
        *_check_metrics("/floors", request.floors),
        *_check_metrics("/drops", request.drops),
        *_check_kinds(request),
        *_check_content(request),
        *check_text(request.name, pointer="/name", max_bytes=200),
    ]
    if items:
        raise InvalidError("The gate breaks a rule.", errors=items[:MAX_ERRORS])
    return structs.replace(
        request, floors=_canonical(request.floors), drops=_canonical(request.drops)
    )


def _canonical(rules: Sequence[R]) -> tuple[R, ...]:
    return tuple(structs.replace(rule, metric=str(parse_metric(rule.metric))) for rule in rules)


def _check_subject(request: GateRequest) -> Iterator[ProblemItem]:
    if (request.run is None) == (request.comparison is None):
        yield ProblemItem(
            pointer="/run",
            message="give either a run or a comparison",
            fix="Send `run` (or ?run=) with the id of the run that is held to the gate.",
        )
    if request.comparison is not None and request.baseline is not None:
        yield ProblemItem(
            pointer="/baseline",
            message="a comparison has its own baseline",
            fix="Leave `baseline` out, or send `run` in place of `comparison`.",
        )
    if request.run is not None and request.run == request.baseline:
        yield ProblemItem(
            pointer="/baseline",
            message="a run compared with itself never drops",
            fix="Name another run as the baseline.",
        )
    if request.baseline == NewestRun():
        yield ProblemItem(
            pointer="/baseline",
            message="neither a label nor a branch says which run is meant",
            fix="Write {label: main}, {branch: main}, or both.",
        )
    if request.drops and request.baseline is None and request.comparison is None:
        yield ProblemItem(
            pointer="/baseline",
            message="`drops` are measured against a baseline, and there is none",
            fix="Add `baseline`: the id of a run, or {branch: main} for its newest run.",
        )


def _check_metrics(place: str, rules: Sequence[Floor | DropLimit]) -> Iterator[ProblemItem]:
    for index, rule in enumerate(rules):
        try:
            parse_metric(rule.metric)
        except UnknownMetricError as exc:
            yield ProblemItem(
                pointer=f"{place}/{index}/metric",
                message=str(exc),
                fix="GET /v1/metrics lists what can be measured.",
            )


def _check_kinds(request: GateRequest) -> Iterator[ProblemItem]:
    for index, rule in enumerate(request.adversarial):
        if rule.kind not in KINDS:
            yield ProblemItem(
                pointer=f"/adversarial/{index}/kind",
                message=f"there is no kind {rule.kind!r}",
                fix=f"Use one of {', '.join(KINDS)}.",
            )


def _check_content(request: GateRequest) -> Iterator[ProblemItem]:
    rules = (*request.floors, *request.drops, *request.adversarial, *request.block_on)
    if not rules and request.caps == Caps() and request.min_queries == 1:
        yield ProblemItem(
            pointer="",
            message="the gate has no rule, so it could not fail",
            fix="Add floors, drops, adversarial, caps, block_on or min_queries.",
        )
    if len({rule.metric for rule in request.drops}) > MAX_METRICS:
        yield ProblemItem(
            pointer="/drops",
            message=f"more than {MAX_METRICS} metrics cannot be compared at once",
            fix="Keep the metrics that decide.",
        )
