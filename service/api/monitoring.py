"""`GET /metrics`: the state of the deployment and of this process, as Prometheus reads it."""

from collections.abc import Callable, Iterable, Iterator
from typing import Final

from litestar import Response
from litestar.di import NamedDependency
from litestar.params import SkipValidation
from msgspec import Struct
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from reteval.contract.api_keys import Scope
from service.api.bodies import AnyRequest
from service.api.observing import find_traffic
from service.api.operations import TEXT, Answer, Operation, reads
from service.core.backend import Backend
from service.core.measurements import Measurements, QueueLoad, Series, measure

PLAIN: Final = "text/plain; version=0.0.4"

Deployed = NamedDependency[SkipValidation[Backend]]
Rows = Iterable[tuple[tuple[str, ...], float]]


class Gauge(Struct, frozen=True):
    """A number that moves both ways, read from the store; `rows` are label values and values."""

    name: str
    labels: tuple[str, ...]
    about: str
    rows: Callable[[Measurements], Rows]


class Total(Struct, frozen=True):
    """A number that only grows: one of the deployment's counters."""

    name: str
    labels: tuple[str, ...]
    about: str
    counter: str


GAUGES: Final = (
    Gauge(
        "reteval_queue_age_seconds",
        ("queue",),
        "How long the oldest unit that a worker could take has waited for one",
        lambda seen: [((name,), seen.backlog.age_s(name)) for name in seen.calls],
    ),
    Gauge(
        "reteval_queue_units",
        ("queue", "state"),
        "Units of jobs: `claimable` now, `held` by a worker, `waiting` for their hour",
        lambda seen: [
            ((name, state), getattr(load, state))
            for name, load in _loads(seen)
            for state in ("claimable", "held", "waiting")
        ],
    ),
    Gauge(
        "reteval_queue_jobs",
        ("queue",),
        "Jobs that have not ended",
        lambda seen: [((name,), load.jobs) for name, load in _loads(seen)],
    ),
    Gauge(
        "reteval_queue_calls",
        ("queue",),
        "Wake-up calls that no worker has taken yet",
        lambda seen: [((name,), count) for name, count in seen.calls.items()],
    ),
    Gauge(
        "reteval_workers",
        ("queue",),
        "Worker processes that gave a sign of life within 90 s",
        lambda seen: [((name,), count) for name, count in seen.workers.items()],
    ),
    Gauge(
        "reteval_jobs",
        ("kind", "status"),
        "Jobs that have not ended: `run`, `cmp` (comparison), `prb` (probe), `prv` (preview), "
        "`lk` (leakage check)",
        lambda seen: [
            (tuple(state.split(" ")), count) for state, count in seen.backlog.states.items()
        ],
    ),
    Gauge(
        "reteval_store_used_bytes",
        (),
        "Memory that the store uses",
        lambda seen: [((), seen.memory.used)],
    ),
    Gauge(
        "reteval_store_max_bytes",
        (),
        "Memory that the store may use; 0 is no bound",
        lambda seen: [((), seen.memory.bound)],
    ),
    Gauge(
        "reteval_store_findings",
        (),
        "Unsafe things about the store's configuration; `/readyz` names them",
        lambda seen: [((), seen.findings)],
    ),
)
TOTALS: Final = (
    Total("reteval_jobs_ended_total", ("kind", "status"), "Jobs that ended", "jobs_ended"),
    Total(
        "reteval_requests_total",
        ("target", "outcome"),
        "Requests to search endpoints: `ok`, `ok_empty`, or why they failed or were skipped",
        "requests",
    ),
    Total(
        "reteval_lease_losses_total",
        ("how",),
        "Units that a worker lost: it found out (`refused`), or fell silent (`lapsed`)",
        "lease_losses",
    ),
    Total(
        "reteval_reaper_actions_total",
        ("action",),
        "What the reaper did: a `round`, a job `woken`, an ended one `forgotten`, a round `failed`",
        "reaper",
    ),
    Total(
        "reteval_schedules_total",
        ("outcome",),
        "Times at which scheduled runs were due: `started`, `overlapped`, `missed` or `refused`",
        "schedules",
    ),
    Total(
        "reteval_alerts_total",
        ("finding", "outcome"),
        "Runs that alerts looked at: `failing`, `passing` or `neither`; webhooks `told`, or "
        "`quiet`",
        "alerts",
    ),
)


@reads(
    "/metrics",
    Operation(
        id="getMetricsPage",
        tag="operations",
        scope=Scope.ADMIN,
        summary="Read what is measured of the service, for Prometheus",
        about="`reteval_store_up` is 0 and the deployment's numbers are absent while the store "
        "does not answer. Needs a key where `/v1` does, since it names endpoints of all teams.",
        answers={200: Answer(about="Prometheus' text format", media={TEXT: None})},
    ),
)
async def get_metrics_page(request: AnyRequest, backend: Deployed) -> Response[bytes]:
    """Answer the numbers of the deployment and of this process."""
    seen = await measure(backend)
    registry = CollectorRegistry()
    registry.register(_Snapshot(seen, backend.code_version))
    own = find_traffic(request.app.state).registry
    return Response(generate_latest(registry) + generate_latest(own), media_type=PLAIN)


class _Snapshot(Collector):
    def __init__(self, seen: Measurements | None, version: str) -> None:
        self._seen = seen
        self._version = version

    def collect(self) -> Iterator[Metric]:
        yield _gauge("reteval_build_info", ("version",), "Always 1", [((self._version,), 1)])
        up = self._seen is not None
        yield _gauge("reteval_store_up", (), "1 if the store answers", [((), up)])
        if self._seen is None:
            return
        for gauge in GAUGES:
            yield _gauge(gauge.name, gauge.labels, gauge.about, gauge.rows(self._seen))
        for total in TOTALS:
            yield _total(total, self._seen.totals)


def _loads(seen: Measurements) -> Iterable[tuple[str, QueueLoad]]:
    return ((name, seen.backlog.load(name)) for name in seen.calls)


def _gauge(name: str, labels: tuple[str, ...], about: str, rows: Rows) -> GaugeMetricFamily:
    family = GaugeMetricFamily(name, about, labels=labels)
    for values, number in rows:
        family.add_metric(values, number)
    return family


def _total(total: Total, totals: dict[Series, int]) -> CounterMetricFamily:
    family = CounterMetricFamily(total.name, total.about, labels=total.labels)
    for series, count in totals.items():
        if series.counter == total.counter:
            target = (series.target,) if "target" in total.labels else ()
            family.add_metric((*target, *series.label.split("/")), count)
    return family


HANDLERS: Final = (get_metrics_page,)
