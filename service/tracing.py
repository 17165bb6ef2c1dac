"""Traces: spans of requests and jobs, where OpenTelemetry is installed and switched on.

The packages are no requirement. Without them, or without an exporter, a span costs a call that
does nothing. The context of a request travels to its job as a W3C `traceparent` in the record.
"""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import entry_points
from typing import Any, Final

import structlog

try:
    from opentelemetry import propagate, trace
except ImportError:
    INSTALLED = False
else:
    INSTALLED = True

EXPORTER: Final = "OTEL_TRACES_EXPORTER"
"""OpenTelemetry's own variable: the exporter's name; empty or `none` switches traces off."""
PROTOCOL: Final = "OTEL_EXPORTER_OTLP_PROTOCOL"
_NAME: Final = "OTEL_SERVICE_NAME"
_ROOT: Final = "reteval"
_log = structlog.get_logger("reteval.tracing")


def start_tracing(environ: Mapping[str, str], *, part: str) -> None:
    """Export spans as OpenTelemetry's variables say; `part` names this process in them.

    A tracer that another tool has set up before (`opentelemetry-instrument`) is left alone.
    """
    name = environ.get(EXPORTER, "none")
    if name in ("", "none"):
        return
    try:
        _export(name, environ, part)
    except (ImportError, LookupError) as exc:
        _log.warning("tracing.unavailable", exporter=name, error=str(exc))


def flush_tracing() -> None:
    """Send what is still buffered, before a process ends that runs no exit handlers."""
    if INSTALLED and hasattr(provider := trace.get_tracer_provider(), "force_flush"):
        provider.force_flush()


def is_traced() -> bool:
    """Tell whether spans are kept by anybody."""
    return INSTALLED and hasattr(trace.get_tracer_provider(), "force_flush")


@contextmanager
def span(name: str, *, parent: str = "", serves: bool = False, **facts: Any) -> Iterator[None]:
    """Time the block as a span under `parent`, a traceparent; errors that leave it are noted."""
    if not INSTALLED:
        yield
        return
    context = propagate.extract({"traceparent": parent}) if parent else None
    kind = trace.SpanKind.SERVER if serves else trace.SpanKind.CONSUMER
    with trace.get_tracer(_ROOT).start_as_current_span(
        name, context=context, kind=kind, attributes=facts
    ):
        yield


def note(**facts: Any) -> None:
    """Add facts to the span that is under way."""
    if INSTALLED:
        trace.get_current_span().set_attributes(facts)


def current_traceparent() -> str:
    """Return the context of the span under way as a header's value; empty if there is none."""
    carrier: dict[str, str] = {}
    if INSTALLED:
        propagate.inject(carrier)
    return carrier.get("traceparent", "")


def _export(name: str, environ: Mapping[str, str], part: str) -> None:
    from opentelemetry.sdk.resources import SERVICE_NAME, Resource  # noqa: PLC0415 - only if wanted
    from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415
    from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415

    if name == "otlp":
        wire = environ.get(PROTOCOL, "http/protobuf").partition("/")[0]
        name = f"otlp_proto_{wire}"
    found = entry_points(group="opentelemetry_traces_exporter", name=name)
    if not found:
        raise LookupError(f"no package brings the exporter {name!r}")
    own = {} if environ.get(_NAME) else {SERVICE_NAME: f"{_ROOT}-{part}"}
    provider = TracerProvider(resource=Resource.create(own | {"process.pid": os.getpid()}))
    provider.add_span_processor(BatchSpanProcessor(next(iter(found)).load()()))
    trace.set_tracer_provider(provider)
