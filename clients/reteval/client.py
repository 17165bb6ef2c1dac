"""The client for synchronous code: all that can be asked of the service, under one name."""

from reteval._alerts import Alerts
from reteval._building import Builder
from reteval._catalogues import Catalogues
from reteval._decisions import Decisions
from reteval._endpoints import Endpoints
from reteval._evaluations import Evaluations
from reteval._exporting import Exporter
from reteval._judgings import Judgings
from reteval._keeping import Keeper
from reteval._leakage import LeakageChecks
from reteval._readiness import Looker
from reteval._runs import Runs
from reteval._schedules import Schedules
from reteval._suites import Suites
from reteval._test_sets import Sets
from reteval._versions import Versions
from reteval._webhooks import Webhooks
from reteval.access import Access


class Client(
    Access,
    Alerts,
    Builder,
    Catalogues,
    Decisions,
    Endpoints,
    Evaluations,
    Exporter,
    Judgings,
    Keeper,
    LeakageChecks,
    Looker,
    Runs,
    Schedules,
    Sets,
    Suites,
    Versions,
    Webhooks,
):
    """A connection to the service; use it as a context manager, or `close()` it.

    `url` and `api_key` default to the environment's `RETEVAL_URL` and `RETEVAL_API_KEY`, and
    those to the service on this machine. `http` is an `httpx.Client` of your own, for proxies
    and certificates; it stays open. `timeout_s` bounds each read and write of an exchange.
    May be shared between threads. Every method raises `RetevalError` (see `reteval.errors`).
    """
