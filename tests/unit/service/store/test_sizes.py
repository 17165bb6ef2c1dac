"""Bytes as they are counted, against a sum over everything that is in the store."""

import contextlib
from typing import Any

import msgspec
import redis

from reteval.contract.runs import RunStatus
from service.store import chunks, keys
from service.store.fencing import LostClaimError
from service.store.keys import DEFAULT_TENANT, LASTING_PARTS, new_id
from service.store.records import LeakageSpec
from service.store.sizes import Footprint
from service.store.store import Store
from tests.factories import query, run_spec, stored_run, stored_test_set
from tests.unit.service.store import kept


def length(client: Any, key: str) -> int:
    """Add up what a key holds: values, and names of fields."""
    if client.type(key) == b"string":
        return len(client.get(key))
    return sum(len(name) + len(value) for name, value in client.hgetall(key).items())


async def test_bytes_of_a_run_are_those_of_all_its_parts(store: Store, redis_url: str) -> None:
    """What is counted at the end is the length of the spec and of every part that stays."""
    run_id = await kept.keep_run(store)
    counted = (await store.runs.get(DEFAULT_TENANT, run_id)).bytes
    with redis.Redis.from_url(redis_url) as client:
        parts = [keys.job_part(DEFAULT_TENANT, run_id, part) for part in LASTING_PARTS]
        spec = client.hget(keys.job(DEFAULT_TENANT, run_id), "spec")
        assert counted == len(spec) + sum(length(client, part) for part in parts)
        left = {key.decode() for key in client.scan_iter(f"*{run_id}*")}
        assert left <= {keys.job(DEFAULT_TENANT, run_id), *parts}


async def test_bytes_of_a_test_set_are_those_of_its_queries(store: Store, redis_url: str) -> None:
    """A set of many chunks counts them all, with its description."""
    made = await stored_test_set(store, [query(f"text {n}") for n in range(1_200)])
    with redis.Redis.from_url(redis_url) as client:
        draft = client.hget(keys.test_set(DEFAULT_TENANT, made.id), "draft")
        queries = length(client, keys.test_set_queries(DEFAULT_TENANT, made.id))
    assert made.bytes == len(draft) + queries


async def test_every_kind_is_added_up(store: Store) -> None:
    """Each object is one entry of its kind; a cancelled run is one, too."""
    run_id = await kept.keep_run(store)
    await kept.keep_comparison(store)
    await kept.keep_probe(store)
    await kept.keep_preview(store)
    await kept.keep_leakage_check(store)
    waiting = run_spec(await stored_test_set(store, [query()]))
    await stored_run(store, waiting)
    found = await store.sizes.by_kind(DEFAULT_TENANT)
    assert {kind: size.count for kind, size in found.items()} == {
        "ts": 1,
        "run": 1,
        "cmp": 1,
        "prb": 1,
        "prv": 1,
        "lk": 1,
    }
    run = await store.runs.get(DEFAULT_TENANT, run_id)
    assert found["run"] == Footprint(1, run.bytes or 0)
    assert found["prb"].bytes > len(kept.REPORT)
    spec = LeakageSpec(
        id=new_id("lk"), test_set="ts_1", against=None, run=None, code_version="0.1.0"
    )
    pairs = len("0") + len(chunks.pack([kept.PAIR]))
    assert found["lk"].bytes == len(msgspec.json.encode(spec)) + len(kept.REPORT) + pairs
    cancelled = await store.runs.request_cancel(DEFAULT_TENANT, waiting.id)
    assert (await store.sizes.by_kind(DEFAULT_TENANT))["run"] == Footprint(
        2, (run.bytes or 0) + (cancelled.bytes or 0)
    )


async def test_counting_again_changes_nothing(store: Store) -> None:
    """A finish that is sent twice, as after a lost reply, counts once."""
    spec = run_spec(await stored_test_set(store, [query()]))
    await stored_run(store, spec)
    claim = await store.claims.claim(DEFAULT_TENANT, spec.id, owner="w", lease_s=30)
    assert claim is not None
    for report in (b"{}", b"another one that is longer"):
        with contextlib.suppress(LostClaimError):
            await store.journal.finish(claim, status=RunStatus.COMPLETED, report=report, error="")
    counted = (await store.runs.get(DEFAULT_TENANT, spec.id)).bytes or 0
    assert counted == len(msgspec.json.encode(spec)) + len(b"{}")
    assert (await store.sizes.by_kind(DEFAULT_TENANT))["run"] == Footprint(1, counted)


async def test_what_is_kept_for_a_day_is_counted_for_a_day(store: Store, redis_url: str) -> None:
    """Probes leave the sum when they go, and the list of them does not outlive them."""
    await kept.keep_probe(store)
    key = keys.brief_sizes(DEFAULT_TENANT)
    with redis.Redis.from_url(redis_url) as client:
        assert 0 < client.ttl(key) <= 86_400
        ((member, _),) = client.zrange(key, 0, -1, withscores=True)
        client.zadd(key, {member: 1})
        assert "prb" not in await store.sizes.by_kind(DEFAULT_TENANT)
        await kept.keep_probe(store)
        assert client.zcard(key) == 1
    assert (await store.sizes.by_kind(DEFAULT_TENANT))["prb"].count == 1


async def test_deletes_free_everything(store: Store, redis_url: str) -> None:
    """After its deletion no key of any object is left, but the count of a name's versions."""
    run_id = await kept.keep_run(store)
    comparison_id = await kept.keep_comparison(store)
    await kept.keep_probe(store)
    await kept.keep_preview(store)
    await kept.keep_leakage_check(store)
    test_set = (await store.runs.get(DEFAULT_TENANT, run_id)).spec.test_set.id
    await store.comparisons.delete(DEFAULT_TENANT, comparison_id)
    await store.runs.delete(DEFAULT_TENANT, run_id)
    await store.test_sets.delete(DEFAULT_TENANT, test_set)
    with redis.Redis.from_url(redis_url) as client:
        lasting = {key.decode() for key in client.scan_iter("*") if client.ttl(key) < 0}
    assert lasting == {
        keys.TENANTS,
        keys.TURNS,
        keys.COUNTERS,
        keys.test_set_versions(DEFAULT_TENANT),
    }
