"""Traces: nothing without the packages, nothing unless switched on, and then one context."""

import os
import subprocess
import sys
from pathlib import Path

from tests.spans import install_exporter, read_spans

ROOT = Path(__file__).parents[3]
BLOCKED = """
import sys
sys.modules["opentelemetry"] = None
"""
WORK = """
from service.tracing import current_traceparent, flush_tracing, is_traced, note, span, start_tracing
import os
start_tracing(os.environ, part="test")
with span("outer", serves=True, **{"reteval.job": "run_1"}):
    note(**{"http.response.status_code": 200})
    carried = current_traceparent()
with span("inner", parent=carried):
    pass
flush_tracing()
print(is_traced(), carried)
"""


def run(script: str, **environ: str) -> tuple[str, str]:
    """Run a script in a fresh process; return what it printed and logged."""
    kept = {name: text for name, text in os.environ.items() if not name.startswith("OTEL_")}
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=ROOT,
        env=kept | environ,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip(), done.stderr + done.stdout


def test_absent_packages_cost_nothing() -> None:
    """Without OpenTelemetry every call works and does nothing."""
    assert run(BLOCKED + WORK)[0] == "False"


def test_switched_off_by_default() -> None:
    """With the packages, but no exporter named, nothing is traced."""
    assert run(WORK)[0] == "False"


def test_missing_exporter_is_a_warning() -> None:
    """An exporter that no package brings is named in the log, and the work goes on."""
    for name, wanted in (("none-such", "none-such"), ("otlp", "otlp_proto_http")):
        printed, log = run(WORK, OTEL_TRACES_EXPORTER=name)
        assert printed.endswith("False")
        assert "tracing.unavailable" in log
        assert wanted in log


def test_absent_packages_switched_on_is_a_warning() -> None:
    """An exporter without OpenTelemetry itself is no reason to stop, either."""
    printed, log = run(BLOCKED + WORK, OTEL_TRACES_EXPORTER="otlp")
    assert printed.endswith("False")
    assert "tracing.unavailable" in log


def test_context_is_carried_as_a_header(tmp_path: Path) -> None:
    """A span made from a traceparent is a child of the span it came from, with its facts."""
    printed, _ = run(WORK, **install_exporter(tmp_path))
    outer, inner = read_spans(tmp_path)
    assert printed.startswith(f"True 00-{outer.trace[2:]}-{outer.id[2:]}-")
    assert (inner.trace, inner.parent, outer.parent) == (outer.trace, outer.id, "")
    assert outer.facts == {"reteval.job": "run_1", "http.response.status_code": 200}
    assert (outer.part, outer.kind, inner.kind) == (
        "reteval-test",
        "SpanKind.SERVER",
        "SpanKind.CONSUMER",
    )


def test_service_name_is_the_operators(tmp_path: Path) -> None:
    """OTEL_SERVICE_NAME stands."""
    run(WORK, OTEL_SERVICE_NAME="search-eval", **install_exporter(tmp_path))
    assert {span.part for span in read_spans(tmp_path)} == {"search-eval"}
