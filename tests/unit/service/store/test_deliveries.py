"""Deliveries in the store: leased, repeated, settled once, logged, and given up in the end."""

import asyncio

import msgspec
import redis

from reteval.contract.webhooks import DeliveryState
from service.store import deliveries, keys
from service.store.deliveries import ATTEMPTS_KEPT, Verdict
from service.store.keys import DEFAULT_TENANT
from service.store.store import Store
from tests.hooks import BAD, DELIVERED, ended_run, stored_webhook, take

LATER = Verdict(state=DeliveryState.PENDING, attempt=BAD, wait_s=60, patience_s=600, reason="why")
AT_ONCE = msgspec.structs.replace(LATER, wait_s=0)
GIVEN_UP = Verdict(state=DeliveryState.FAILED, attempt=BAD, patience_s=600, reason="why")


async def test_delivered_is_done(store: Store) -> None:
    """What was delivered is logged and not due any more."""
    hook = await stored_webhook(store)
    await ended_run(store)
    due = await take(store)
    assert await store.deliveries.settle(due, DELIVERED)
    made = await store.webhooks.delivery(DEFAULT_TENANT, hook.id, due.event)
    assert (made.state, made.attempts) == (DeliveryState.DELIVERED, (DELIVERED.attempt,))
    assert made.next_attempt_at is None
    assert await store.deliveries.take(lease_s=1) is None


async def test_a_webhook_is_leased_as_a_whole(store: Store) -> None:
    """One delivery a webhook at a time, so that a slow receiver holds up nobody else."""
    slow = await stored_webhook(store)
    first = await ended_run(store)
    taken = await take(store)
    second = await ended_run(store)
    assert await store.deliveries.take(lease_s=30) is None
    other = await stored_webhook(store)
    third = await ended_run(store)
    assert (await take(store)).webhook == other.id
    assert await store.deliveries.settle(taken, DELIVERED)
    following = await take(store)
    assert (taken.run, following.run, following.webhook) == (first, second, slow.id)
    assert await store.deliveries.settle(following, DELIVERED)
    assert (await take(store)).run == third


async def test_lease_of_a_dead_worker_ends(store: Store) -> None:
    """What was taken and never settled is taken again; the first one's word counts no more."""
    hook = await stored_webhook(store)
    await ended_run(store)
    dead = await take(store, lease_s=0)
    again = await take(store)
    assert (again.event, again.attempts) == (dead.event, ())
    assert not await store.deliveries.settle(dead, GIVEN_UP)
    assert await store.deliveries.settle(again, DELIVERED)
    assert (await store.webhooks.get(DEFAULT_TENANT, hook.id)).failing_since is None


async def test_event_during_a_lease_is_not_lost_with_it(store: Store) -> None:
    """A worker that dies leaves what came meanwhile due as well."""
    await stored_webhook(store)
    runs = [await ended_run(store)]
    await take(store, lease_s=0.05)
    runs.append(await ended_run(store))
    found = []
    async with asyncio.timeout(20):
        while len(found) < 2:
            due = await store.deliveries.take(lease_s=30)
            if due is not None:
                found.append(due.run)
                assert await store.deliveries.settle(due, DELIVERED)
    assert found == runs


async def test_failed_attempt_is_due_again_later(store: Store) -> None:
    """It waits its time, is logged, and holds up no newer event."""
    hook = await stored_webhook(store)
    await ended_run(store)
    due = await take(store)
    assert await store.deliveries.settle(due, LATER)
    waiting = await store.webhooks.delivery(DEFAULT_TENANT, hook.id, due.event)
    assert (waiting.state, waiting.attempts) == (DeliveryState.PENDING, (BAD,))
    assert waiting.next_attempt_at is not None
    assert waiting.next_attempt_at > waiting.created_at
    assert await store.deliveries.take(lease_s=1) is None
    newer = await ended_run(store)
    assert (await take(store)).run == newer


async def test_tries_are_counted_and_the_log_of_them_is_bounded(store: Store) -> None:
    """The schedule goes by the number of tries, which a replay begins anew."""
    hook = await stored_webhook(store)
    await ended_run(store)
    for number in range(ATTEMPTS_KEPT + 2):
        due = await take(store)
        assert due.tries == number
        assert await store.deliveries.settle(due, AT_ONCE)
    assert len((await take(store, lease_s=0)).attempts) == ATTEMPTS_KEPT
    await store.webhooks.queue(DEFAULT_TENANT, hook.id, due.event)
    assert (await take(store)).tries == 0


async def test_replay_of_what_was_delivered(store: Store) -> None:
    """It is due again under the same id, with its earlier attempts in the log."""
    hook = await stored_webhook(store)
    await ended_run(store)
    due = await take(store)
    await store.deliveries.settle(due, DELIVERED)
    queued = await store.webhooks.queue(DEFAULT_TENANT, hook.id, due.event)
    assert (queued.state, queued.attempts) == (DeliveryState.PENDING, (DELIVERED.attempt,))
    again = await take(store)
    assert (again.event, again.run, again.created_ms) == (due.event, due.run, due.created_ms)
    await store.deliveries.settle(again, DELIVERED)
    made = await store.webhooks.delivery(DEFAULT_TENANT, hook.id, due.event)
    assert len(made.attempts) == 2


async def test_endpoint_that_fails_for_long_is_switched_off(store: Store, redis_url: str) -> None:
    """Failures count from the first one after a success; at the end of patience it is off."""
    hook = await stored_webhook(store)
    await ended_run(store)
    assert await store.deliveries.settle(await take(store), AT_ONCE)
    failing = await store.webhooks.get(DEFAULT_TENANT, hook.id)
    assert failing.failing_since is not None
    assert failing.enabled
    with redis.Redis.from_url(redis_url) as client:  # ten minutes pass
        key = keys.webhook(DEFAULT_TENANT, hook.id)
        since = int(client.hget(key, "failing_since_ms") or 0)
        client.hset(key, "failing_since_ms", since - 600_000)
    assert await store.deliveries.settle(await take(store), AT_ONCE)
    off = await store.webhooks.get(DEFAULT_TENANT, hook.id)
    assert (off.enabled, off.disabled_reason) == (False, "why")
    assert await store.deliveries.take(lease_s=1) is None


async def test_success_ends_the_account_of_failures(store: Store) -> None:
    """A receiver that answers now and then is never switched off."""
    hook = await stored_webhook(store)
    await ended_run(store)
    await store.deliveries.settle(await take(store), AT_ONCE)
    await store.deliveries.settle(await take(store), DELIVERED)
    fine = await store.webhooks.get(DEFAULT_TENANT, hook.id)
    assert fine.failing_since is None


async def test_log_is_bounded_and_drops_nothing_that_waits(store: Store) -> None:
    """The oldest deliveries that are done go first; one that waits stays however old it is."""
    hook = await stored_webhook(store)
    waiting = await ended_run(store)
    assert await store.deliveries.settle(await take(store), LATER)
    for number in range(deliveries.KEPT + 2):
        await store.webhooks.queue(DEFAULT_TENANT, hook.id, f"evt_{number}", new="ping")
        await store.deliveries.settle(await take(store), DELIVERED)
    found, _ = await store.webhooks.deliveries(
        DEFAULT_TENANT, hook.id, before=None, limit=deliveries.KEPT + 10
    )
    assert deliveries.KEPT <= len(found) <= deliveries.KEPT + 1
    assert found[-1].run == waiting
    assert found[-2].id not in ("evt_0", "evt_1")


async def test_deleted_between_taking_and_reading(store: Store, redis_url: str) -> None:
    """A delivery whose record is gone is left alone."""
    hook = await stored_webhook(store)
    run_id = await ended_run(store)
    with redis.Redis.from_url(redis_url) as client:
        client.delete(keys.delivery(DEFAULT_TENANT, hook.id, f"evt_{run_id[4:]}"))
    assert await store.deliveries.take(lease_s=30) is None
