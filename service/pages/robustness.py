"""Robustness of a run: what changed, odd and unanswerable queries came to, and the variants."""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from litestar import Response
from litestar.params import FromPath
from msgspec import UNSET, Struct

from reteval.contract.adversarial import AdversarialReport
from reteval.contract.api_keys import Scope
from reteval.contract.hostile import HostileCase, HostileVerdict
from service.api.bodies import AnyRequest
from service.api.parameters import VariantParameters
from service.core import reports
from service.core.grants import RUN
from service.pages.charts import forests
from service.pages.charts.drawing import Drawing, draw
from service.pages.charts.heats import plot_heat
from service.pages.forms import read_fields
from service.pages.rendering import frame, show
from service.pages.routing import Deployed, shows


class HostileMatrix(Struct, frozen=True, kw_only=True):
    """Odd and hostile strings: how many of each group came to what, and which went wrong."""

    counts: dict[str, dict[HostileVerdict, int]]
    odd: tuple[HostileCase, ...]
    well: tuple[HostileCase, ...]


@shows(
    "/runs/{run_id:str}/robustness",
    "showRobustness",
    scope=Scope.RESULTS_READ,
    shared=RUN,
    query=VariantParameters,
)
async def show_robustness(
    request: AnyRequest, backend: Deployed, run_id: FromPath[str]
) -> Response[bytes]:
    """Show the adversarial block of a report, and a page of the variants."""
    sent = read_fields(request, VariantParameters)
    report = await reports.read_results(backend, run_id)
    if report.adversarial is UNSET:
        return await show(request, "robustness_empty.html", report=report)
    found = report.adversarial
    page = await reports.page_variants(
        backend, run_id, kind=sent.kind, cursor=sent.cursor, limit=sent.limit
    )
    return await show(
        request,
        "robustness.html",
        report=report,
        found=found,
        kinds=forests.sort_kinds(found),
        drawings=await _draw(request, found),
        hostile=None if found.hostile is UNSET else arrange_cases(found.hostile),
        verdicts=[str(verdict) for verdict in HostileVerdict],
        page=page,
        sent=sent,
        names=_name_kinds(found),
    )


def arrange_cases(cases: Sequence[HostileCase]) -> HostileMatrix:
    """Count cases by group and verdict, and put what went wrong before what went well."""
    groups = dict.fromkeys(case.group for case in cases)
    counts = {
        group: dict(Counter(case.verdict for case in cases if case.group == group))
        for group in groups
    }
    order = list(HostileVerdict)
    odd = [case for case in cases if case.verdict is not HostileVerdict.OK]
    return HostileMatrix(
        counts=counts,
        odd=tuple(sorted(odd, key=lambda case: -order.index(case.verdict))),
        well=tuple(case for case in cases if case.verdict is HostileVerdict.OK),
    )


async def _draw(request: AnyRequest, found: AdversarialReport) -> dict[str, Drawing]:
    if not any(kind.drop.mean is not None for kind in found.kinds):
        return {}
    link = frame(request)["link"]
    path = link(request.url.path, kind="KIND") + "#variants"
    return await draw(forests.plot_kinds(found), plot_heat(found, path=path))


def _name_kinds(found: AdversarialReport) -> list[str]:
    """Return the kinds that variants were made of, as the list of variants calls them."""
    control = (found.control.kind,) if found.control else ()
    kept = (kind.kind for kind in found.kinds)
    changing = (kind.kind for kind in found.changing)
    return list(dict.fromkeys((*control, *kept, *changing)))


HANDLERS: Final = (show_robustness,)
