"""What limits cost: a request of a key that is let through, and a run that is accepted.

Beside them the same without limits, on one embedded store that writes everything to disk: reading a
run's record, which is the least that an answer costs, and accepting a run under no quota. The way
not taken, asking the store about every request, stands beside.
"""

import argparse
import asyncio
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from statistics import median

import msgspec
import redis

from reteval.contract.endpoints import Endpoint
from reteval.contract.quotas import QuotaName
from reteval.contract.runs import Estimate, RunRequest, TestSetRef
from reteval.contract.testsets import Judgment, Query, Scale, TestSet, TestSetStats
from service.core.limiter import Limiter, RateRules
from service.embedded import EmbeddedServer
from service.queue import RUNS
from service.store import keys
from service.store.keys import DEFAULT_TENANT, new_id
from service.store.quotas import NO_QUOTAS, Quotas
from service.store.rates import Grant, RateRule, Rates
from service.store.records import RunSpec, TestSetDraft
from service.store.store import Store

RULE = RateRule(requests=10_000_000, window_s=60, per_day=100_000_000)
ALL: Quotas = {str(name): 10**12 for name in QuotaName}
ROUNDS = 5


class Counted(Rates):
    """Rates that count how often they are asked."""

    def __init__(self, inner: Rates) -> None:
        self._inner = inner
        self.asked = 0

    async def take(
        self, tenant: str, caller: str, rule: RateRule, *, wanted: int = 1, unused: int = 0
    ) -> Grant:
        """Pass on what is asked."""
        self.asked += 1
        return await self._inner.take(tenant, caller, rule, wanted=wanted, unused=unused)


def main() -> int:
    """Print the table, then a line a figure; 1 if a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--requests", type=int, default=2_000, help="of a round")
    parser.add_argument("--runs", type=int, default=20, help="accepted in a round")
    parser.add_argument("--waiting", type=int, default=900, help="runs that wait meanwhile")
    parser.add_argument("--objects", type=int, default=10_000, help="objects stored meanwhile")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        data.mkdir(mode=0o700)
        with EmbeddedServer(data) as server:
            figures = asyncio.run(measure(options, server.url))
    missed = 0
    for name, value, goal in figures:
        print(f"figure {name} {value:.4f} goal <= {goal:.4f}")
        missed += value > goal
    return int(missed > 0)


async def measure(options: argparse.Namespace, url: str) -> list[tuple[str, float, float]]:
    """Time everything in turns, so that a slow moment of the machine is everybody's."""
    store = Store.connect(url)
    try:
        spec = await prepare(store, options, url)
        rates = Counted(store.rates)
        limiter = Limiter(rates, RateRules(keys=RULE, failures=RULE))

        async def ask() -> object:
            return await store.rates.take(DEFAULT_TENANT, "key_b", RULE)

        async def accept(quotas: Quotas) -> object:
            return await create(store, spec, quotas)

        works: dict[str, tuple[int, Callable[[], Awaitable[object]]]] = {
            "read a run": (options.requests, lambda: store.runs.get(DEFAULT_TENANT, spec.id)),
            "let a request through": (
                options.requests,
                lambda: limiter.pass_key(DEFAULT_TENANT, "key_a"),
            ),
            "ask about each": (options.requests, ask),
            "accept a run": (options.runs, lambda: accept(NO_QUOTAS)),
            "accept under quotas": (options.runs, lambda: accept(ALL)),
        }
        times: dict[str, list[float]] = {name: [] for name in works}
        for _ in range(ROUNDS):
            for name, (count, work) in works.items():
                times[name].append(await time_of(work, count))
    finally:
        await store.close()
    took = {name: median(values) for name, values in times.items()}
    for name, seconds in took.items():
        print(f"{name:<24}{1e6 * seconds:>10.1f} us")
    return [
        ("limits_asks_per_request", rates.asked / (ROUNDS * options.requests), 0.05),
        ("limits_pass_over_read", took["let a request through"] / took["read a run"], 0.25),
        ("limits_accept_over_bare", took["accept under quotas"] / took["accept a run"], 2.0),
    ]


async def time_of(work: Callable[[], Awaitable[object]], count: int) -> float:
    """Return the seconds that one takes, one after the other."""
    began = time.perf_counter()
    for _ in range(count):
        await work()
    return (time.perf_counter() - began) / count


async def prepare(store: Store, options: argparse.Namespace, url: str) -> RunSpec:
    """Fill the store as that of a busy team is; return the spec of a run."""
    spec = spec_of(await upload(store))
    for _ in range(options.waiting):
        await create(store, spec, NO_QUOTAS)
    with redis.Redis.from_url(url) as client:
        sizes = {f"run_{number}": 10_000 for number in range(options.objects)}
        client.hset(keys.sizes(DEFAULT_TENANT), mapping=sizes)
        client.delete(f"{keys.sizes(DEFAULT_TENANT)}:total")
    await store.runs.create(
        DEFAULT_TENANT, spec, secrets=None, idempotency=None, queue=RUNS, quotas=ALL
    )
    return spec


async def upload(store: Store) -> TestSet:
    """Store a test set of one query."""
    staging = await store.test_sets.stage(DEFAULT_TENANT)
    await staging.write([Query(id="q", query="a", relevant=[Judgment("d", 1)])])
    draft = TestSetDraft(
        name="set",
        hash="sha256:set",
        scale=Scale(),
        relevant_from=1,
        language="",
        id_rule="",
        allow_unscorable=False,
        stats=TestSetStats(
            queries=1,
            scorable=1,
            unscorable=0,
            expect_nothing=0,
            variants=0,
            judgments=1,
            grades={"1": 1},
        ),
        warnings=(),
    )
    made, _ = await store.test_sets.commit(DEFAULT_TENANT, staging, draft, created_at="")
    return made


def spec_of(test_set: TestSet) -> RunSpec:
    """Return the spec of a run over a set."""
    return RunSpec(
        id=new_id("run"),
        request=RunRequest(test_set=test_set.id, endpoint=Endpoint(url="http://192.0.2.1/")),
        test_set=TestSetRef(
            id=test_set.id, name=test_set.name, version=test_set.version, hash=test_set.hash
        ),
        depth=10,
        metrics=("mrr",),
        planned=Estimate(clean=1, adversarial=0, bytes=10_000),
        egress="public",
        code_version="",
    )


async def create(store: Store, spec: RunSpec, quotas: Quotas) -> object:
    """Accept a run like another one."""
    made = msgspec.structs.replace(spec, id=new_id("run"))
    return await store.runs.create(
        DEFAULT_TENANT, made, secrets=None, idempotency=None, queue=RUNS, quotas=quotas
    )


if __name__ == "__main__":
    sys.exit(main())
