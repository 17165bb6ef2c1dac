"""Diagnosis of a run: each finding with the rows that show it, its fix, and the patch to copy."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from litestar import Response
from litestar.params import FromPath
from msgspec import UNSET, Struct

from reteval.contract.api_keys import Scope
from reteval.contract.diagnostics import Diagnostic, Severity
from service.api.bodies import AnyRequest
from service.core import reports
from service.core.grants import RUN
from service.pages.rendering import show
from service.pages.routing import Deployed, shows

_GRAVEST_FIRST: Final = (Severity.BLOCK, Severity.WARN, Severity.INFO)
_BEFORE_AFTER: Final = {
    "returned": "returned, before",
    "judged": "judged, before",
    "both_become": "both, after the patch",
}


class Finding(Struct, frozen=True, kw_only=True):
    """A diagnostic with its evidence as a table: names of fields, titles of columns, rows."""

    diagnostic: Diagnostic
    columns: tuple[str, ...]
    titles: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@shows("/runs/{run_id:str}/diagnosis", "showDiagnosis", scope=Scope.RESULTS_READ, shared=RUN)
async def show_diagnosis(
    request: AnyRequest, backend: Deployed, run_id: FromPath[str]
) -> Response[bytes]:
    """Show everything the run's report has to say besides numbers."""
    results = await reports.read_results(backend, run_id)
    return await show(
        request,
        "diagnosis.html",
        results=results,
        findings=arrange(results.diagnostics),
        leakage=None if results.leakage is UNSET else results.leakage,
    )


def arrange(diagnostics: Iterable[Diagnostic]) -> list[Finding]:
    """Order findings, the gravest first, and lay out their evidence."""
    ordered = sorted(diagnostics, key=lambda one: _GRAVEST_FIRST.index(one.severity))
    return [_lay_out(one) for one in ordered]


def _lay_out(one: Diagnostic) -> Finding:
    columns = tuple(dict.fromkeys(name for row in one.evidence for name in row))
    known = _BEFORE_AFTER if "both_become" in columns else {}
    return Finding(
        diagnostic=one,
        columns=columns,
        titles=tuple(known.get(name, name.replace("_", " ")) for name in columns),
        rows=tuple(tuple(tell(row.get(name, "")) for name in columns) for row in one.evidence),
    )


def tell(value: Any) -> str:
    """Write a value of a row of evidence, whatever it is."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, Mapping):
        return ", ".join(f"{name}: {tell(part)}" for name, part in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(tell, value))
    return str(value)


HANDLERS: Final = (show_diagnosis,)
