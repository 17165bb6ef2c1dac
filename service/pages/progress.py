"""A run that has not ended: how far it is, and the way to stop it."""

from typing import Any, Final

from litestar import Response
from litestar.params import FromPath

from reteval.contract.api_keys import Scope
from reteval.contract.audit import AuditEvent
from service.core import runs
from service.pages.routing import Deployed, lead_to, takes


@takes(
    "/runs/{run_id:str}/cancel",
    "cancelFromPage",
    scope=Scope.RUNS_WRITE,
    event=AuditEvent.RUN_CANCELLED,
)
async def cancel_run(backend: Deployed, run_id: FromPath[str]) -> Response[Any]:
    """Ask a run to stop, and show what became of it."""
    await runs.cancel_run(backend, run_id)
    return lead_to(f"/runs/{run_id}")


HANDLERS: Final = (cancel_run,)
