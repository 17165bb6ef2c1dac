"""Starting a run from a page: what to ask of whom, a probe first, and off it goes."""

from collections.abc import Mapping
from typing import Annotated, Any, Final

import msgspec
from litestar import Response
from msgspec import Meta, Struct

from reteval.contract.api_keys import Scope
from reteval.contract.audit import AuditEvent
from reteval.contract.kinds import PRESETS as SUITES
from reteval.contract.limits import MAX_NAME_BYTES, MAX_PAGE, MAX_WAIT_S
from reteval.contract.presets import PRESETS
from reteval.contract.probes import Probe, ProbeRequest
from reteval.contract.problems import ProblemItem
from reteval.contract.runs import RunRequest
from service.api.bodies import AnyRequest
from service.api.problems import note_denial
from service.core import endpoints, probes, runs, test_sets
from service.core.backend import Backend
from service.core.decoding import decode
from service.errors import InvalidError, ServiceError
from service.pages.forms import read_fields, read_form
from service.pages.rendering import show
from service.pages.routing import Deployed, lead_to, shows, takes

FIELDS: Final = (
    "test_set",
    "url",
    "saved",
    "preset",
    "header",
    "value",
    "label",
    "metrics",
    "split",
    "adversarial",
    "more",
)
"""Of the form, all of them texts."""


class StartParameters(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the form is filled in with."""

    test_set: str = ""
    label: str = ""


class ProbeParameters(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How long a page waits for a probe, in seconds."""

    wait: Annotated[float, Meta(ge=0, le=MAX_WAIT_S)] = 20.0


@shows("/runs/new", "showStartRun", scope=Scope.RUNS_WRITE, query=StartParameters)
async def show_start_run(request: AnyRequest, backend: Deployed) -> Response[bytes]:
    """Show the form."""
    sent = read_fields(request, StartParameters)
    filled = {"test_set": sent.test_set, "label": sent.label}
    return await _show_form(request, backend, filled)


@takes("/runs/probe", "probeFromPage", scope=Scope.RUNS_WRITE)
async def probe_endpoint(request: AnyRequest, backend: Deployed) -> Response[bytes]:
    """Send a few queries, and show what came back above the form as it was filled in."""
    patience = read_fields(request, ProbeParameters).wait
    fields = await read_form(request)
    try:
        fields = _adopt(fields)
        asked = decode(_write(describe_probe(fields)), ProbeRequest)
        probe = await probes.open_probe(backend, asked, wait_s=patience)
    except ServiceError as exc:
        return await _show_form(request, backend, fields, refusal=exc)
    return await _show_form(request, backend, fields, probe=probe)


@takes("/runs", "startRun", scope=Scope.RUNS_WRITE, event=AuditEvent.RUN_CREATED)
async def start_run(request: AnyRequest, backend: Deployed) -> Response[Any]:
    """Start the run, and lead to where it can be watched."""
    fields = await read_form(request)
    try:
        asked = decode(_write(describe_run(fields)), RunRequest)
        run = await runs.create_run(backend, asked)
    except ServiceError as exc:
        return await _show_form(request, backend, fields, refusal=exc)
    return lead_to(f"/runs/{run.id}")


def describe_endpoint(fields: Mapping[str, str]) -> dict[str, Any]:
    """Return the endpoint that a form describes; the JSON of `more` goes over the rest.

    Raises:
        InvalidError: `more` is no JSON object.
    """
    named = {name: fields.get(name, "").strip() for name in ("url", "saved", "preset")}
    header = fields.get("header", "").strip()
    headers = {"headers": {header: fields.get("value", "").strip()}} if header else {}
    return {name: value for name, value in named.items() if value} | headers | _read_more(fields)


def describe_probe(fields: Mapping[str, str]) -> dict[str, Any]:
    """Return the body of the probe that a form asks for."""
    return {"endpoint": describe_endpoint(fields), "test_set": fields.get("test_set", "").strip()}


def describe_run(fields: Mapping[str, str]) -> dict[str, Any]:
    """Return the body of the run that a form asks for."""
    metrics = fields.get("metrics", "").replace(",", " ").split()
    preset = fields.get("adversarial", "")
    return {
        **describe_probe(fields),
        "label": fields.get("label", "").strip(),
        "split": fields.get("split", "").strip(),
        **({"metrics": metrics} if metrics else {}),
        **({"adversarial": {"preset": preset}} if preset else {}),
    }


def _adopt(fields: dict[str, str]) -> dict[str, str]:
    """Return the form with a probe's suggestion taken over, if one of them was chosen."""
    if not fields.get("patch"):
        return fields
    patch = _read_object(fields["patch"], "/patch").get("endpoint", {})
    more = {**_read_more(fields), **patch}
    return {**fields, "more": msgspec.json.format(msgspec.json.encode(more), indent=1).decode()}


def _read_more(fields: Mapping[str, str]) -> dict[str, Any]:
    text = fields.get("more", "").strip()
    return _read_object(text, "/more") if text else {}


def _read_object(text: str, pointer: str) -> dict[str, Any]:
    try:
        return msgspec.json.decode(text, type=dict[str, Any])
    except msgspec.DecodeError as exc:
        item = ProblemItem(
            pointer=pointer,
            message=f"this is no JSON object: {exc}",
            fix='Write what belongs to the endpoint, such as {"hits": "items", "id": "doc_id"}.',
        )
        raise InvalidError(
            "The description of the endpoint cannot be read.", errors=[item]
        ) from exc


def _write(body: dict[str, Any]) -> bytes:
    return msgspec.json.encode(body)


async def _show_form(
    request: AnyRequest,
    backend: Backend,
    fields: Mapping[str, str],
    *,
    probe: Probe | None = None,
    refusal: ServiceError | None = None,
) -> Response[bytes]:
    if refusal:
        note_denial(request, refusal)
    sets = await test_sets.list_test_sets(backend, name="", cursor="", limit=MAX_PAGE)
    saved = await endpoints.list_endpoints(backend, cursor="", limit=MAX_PAGE)
    return await show(
        request,
        "start.html",
        status=refusal.status if refusal else 200,
        fields={name: fields.get(name, "") for name in FIELDS},
        names=list(dict.fromkeys(one.name for one in sets.items)),
        saved=saved.items,
        presets=PRESETS.values(),
        suites=list(SUITES),
        probe=probe,
        refusal=refusal,
        longest=MAX_NAME_BYTES,
    )


HANDLERS: Final = (show_start_run, probe_endpoint, start_run)
