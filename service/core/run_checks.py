"""The rules of `POST /v1/runs` beyond types and bounds, and what a run resolves to."""

import contextlib
from collections.abc import Iterator
from typing import Final
from zoneinfo import available_timezones

from msgspec import Struct

from reteval.contract import limits
from reteval.contract.hostile import HOSTILE_GROUPS
from reteval.contract.kinds import KINDS, OUT_OF_CORPUS_TIERS, PRESETS, SUITE
from reteval.contract.metrics import Metric, UnknownMetricError, expand_metrics, parse_metric
from reteval.contract.problems import ProblemItem
from reteval.contract.runs import AdversarialRequest, RunRequest, Window
from service.core.decoding import escape
from service.core.endpoint_checks import check_description, check_target, check_variants
from service.core.model_checks import check_model, check_model_target
from service.core.texts import check_text
from service.egress import Policy
from service.errors import InvalidError

MIN_DEFAULT_DEPTH: Final = 10
MAX_ERRORS: Final = 20
OUT_OF_CORPUS_PREFIX: Final = "out_of_corpus."
UNJUDGED_KINDS: Final = (
    *(f"{OUT_OF_CORPUS_PREFIX}{tier}" for tier in OUT_OF_CORPUS_TIERS),
    *HOSTILE_GROUPS,
)


class Resolved(Struct, frozen=True, kw_only=True):
    """Metrics with their cut-offs, and the depth that is asked for."""

    metrics: tuple[Metric, ...]
    depth: int


def check_run(request: RunRequest, policy: Policy) -> Resolved:
    """Check a run request and resolve its metrics and depth.

    Raises:
        InvalidError: every rule it breaks (at most 20), each with its place and a fix.
        EndpointNotAllowedError: the endpoint, or the model that writes paraphrases, is outside
            the egress policy.
    """
    metrics, items = _read_metrics(request)
    items += check_names(request)
    items += check_window(request.limits.window)
    items += check_description(request.endpoint)
    if request.adversarial is not None:
        items += check_adversarial(request.adversarial)
        items += check_model(request.adversarial)
        items += check_variants(request.endpoint)
    items += _check_depth(request, metrics)
    if items:
        raise InvalidError("The run request breaks a rule.", errors=items[:MAX_ERRORS])
    check_target(request.endpoint, policy)
    check_model_target(request.adversarial, policy)
    return Resolved(metrics=metrics, depth=_choose_depth(request, metrics))


def _read_metrics(request: RunRequest) -> tuple[tuple[Metric, ...], list[ProblemItem]]:
    items = []
    for index, name in enumerate(request.metrics):
        try:
            expand_metrics([name], request.k_values)
        except UnknownMetricError as exc:
            items.append(_metric_item(f"/metrics/{index}", exc))
    return (() if items else expand_metrics(request.metrics, request.k_values)), items


def _metric_item(pointer: str, exc: UnknownMetricError) -> ProblemItem:
    return ProblemItem(
        pointer=pointer, message=str(exc), fix="GET /v1/metrics lists what can be asked for."
    )


def check_window(window: Window | None) -> list[ProblemItem]:
    """Check the hours at which an endpoint may be called."""
    if window is None:
        return []
    items = []
    if window.zone not in available_timezones():
        items.append(
            ProblemItem(
                pointer="/limits/window/zone",
                message=f"there is no time zone {window.zone!r}",
                fix="Use a name such as Europe/Lisbon, or UTC.",
            )
        )
    if window.opens == window.closes:
        items.append(
            ProblemItem(
                pointer="/limits/window/closes",
                message="the window opens and closes at the same time",
                fix="Leave `window` out to send at any hour.",
            )
        )
    return items


def check_names(request: RunRequest) -> list[ProblemItem]:
    """Check the texts that a run is labelled with."""
    items = [
        *check_text(request.test_set, pointer="/test_set", max_bytes=limits.MAX_NAME_BYTES),
        *check_text(request.label, pointer="/label", max_bytes=limits.MAX_NAME_BYTES),
    ]
    if len(request.meta) > limits.MAX_META_ENTRIES:
        items.append(
            ProblemItem(
                pointer="/meta",
                message=f"{len(request.meta)} entries; at most {limits.MAX_META_ENTRIES}",
                fix="Keep the entries that readers of the result need.",
            )
        )
    for name, value in request.meta.items():
        pointer = f"/meta/{escape(name)}"
        items += check_text(name, pointer=pointer, max_bytes=limits.MAX_NAME_BYTES)
        items += check_text(value, pointer=pointer, max_bytes=limits.MAX_META_VALUE_BYTES)
    return items


def check_adversarial(request: AdversarialRequest) -> Iterator[ProblemItem]:
    """Check names of suite, preset, kinds and metric."""
    if request.suite not in (None, SUITE):
        yield ProblemItem(
            pointer="/adversarial/suite",
            message=f"there is no suite {request.suite!r}",
            fix=f"Use {SUITE!r}, or leave it out for the newest.",
        )
    if request.preset not in PRESETS:
        yield ProblemItem(
            pointer="/adversarial/preset",
            message=f"there is no preset {request.preset!r}",
            fix=f"Use one of {', '.join(PRESETS)}.",
        )
    for index, kind in enumerate(request.kinds or ()):
        if kind not in KINDS and kind not in UNJUDGED_KINDS:
            yield ProblemItem(
                pointer=f"/adversarial/kinds/{index}",
                message=f"there is no kind {kind!r}",
                fix=f"Use one of {', '.join((*KINDS, *UNJUDGED_KINDS))}.",
            )
    for name in ("kinds", "severities"):
        if getattr(request, name) == []:
            yield ProblemItem(
                pointer=f"/adversarial/{name}",
                message="an empty list asks for nothing",
                fix=f"Leave {name!r} out to take the preset's.",
            )
    try:
        parse_metric(request.metric)
    except UnknownMetricError as exc:
        yield _metric_item("/adversarial/metric", exc)


def _check_depth(request: RunRequest, metrics: tuple[Metric, ...]) -> Iterator[ProblemItem]:
    deepest = _deepest(request, metrics)
    if request.depth is not None and request.depth < deepest:
        yield ProblemItem(
            pointer="/depth",
            message=f"a depth of {request.depth} cannot fill the cut-off {deepest}",
            fix=f"Ask for a depth of {deepest} or more, leave it out, or lower the cut-offs.",
        )


def _choose_depth(request: RunRequest, metrics: tuple[Metric, ...]) -> int:
    if request.depth is not None:
        return request.depth
    return max(MIN_DEFAULT_DEPTH, _deepest(request, metrics), *request.k_values)


def _deepest(request: RunRequest, metrics: tuple[Metric, ...]) -> int:
    cuts = [metric.k for metric in metrics if metric.k is not None]
    if request.adversarial is not None:
        with contextlib.suppress(UnknownMetricError):  # reported with its own place
            cuts.append(parse_metric(request.adversarial.metric).k or 0)
    return max(cuts, default=0)
