"""The client for asyncio code: the same calls and flows as `reteval.client`, awaited."""

from reteval._alerts import AsyncAlerts
from reteval._building import AsyncBuilder
from reteval._catalogues import AsyncCatalogues
from reteval._decisions import AsyncDecisions
from reteval._endpoints import AsyncEndpoints
from reteval._evaluations import AsyncEvaluations
from reteval._exporting import AsyncExporter
from reteval._judgings import AsyncJudgings
from reteval._keeping import AsyncKeeper
from reteval._leakage import AsyncLeakageChecks
from reteval._readiness import AsyncLooker
from reteval._runs import AsyncRuns
from reteval._schedules import AsyncSchedules
from reteval._suites import AsyncSuites
from reteval._test_sets import AsyncSets
from reteval._versions import AsyncVersions
from reteval._webhooks import AsyncWebhooks
from reteval.async_access import AsyncAccess


class AsyncClient(
    AsyncAccess,
    AsyncAlerts,
    AsyncBuilder,
    AsyncCatalogues,
    AsyncDecisions,
    AsyncEndpoints,
    AsyncEvaluations,
    AsyncExporter,
    AsyncJudgings,
    AsyncKeeper,
    AsyncLeakageChecks,
    AsyncLooker,
    AsyncRuns,
    AsyncSchedules,
    AsyncSets,
    AsyncSuites,
    AsyncVersions,
    AsyncWebhooks,
):
    """`Client` for asyncio: the same methods, awaited, and lists iterated with `async for`.

    `http` is an `httpx.AsyncClient` of your own; the other arguments are those of `Client`.
    """
