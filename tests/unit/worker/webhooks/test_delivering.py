"""The loop: it delivers what is due, side by side, and outlives what goes wrong."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import redis
from structlog.testing import capture_logs

from reteval.contract.webhooks import DeliveryState
from service.settings import Settings
from service.store import keys
from service.store.ending import end_task
from service.store.keys import DEFAULT_TENANT
from service.store.store import Store
from tests.evil import Evil
from tests.hooks import ended_run, stored_webhook
from tests.receiver import receive
from tests.unit.worker.webhooks.test_attempts import ENVIRONMENT
from worker.webhooks.delivering import deliver_forever


@asynccontextmanager
async def delivering(store: Store, **changes: str) -> AsyncIterator[None]:
    """Deliver while the block runs."""
    settings = Settings.from_env({**ENVIRONMENT, **changes})
    task = asyncio.create_task(deliver_forever(store, settings))
    try:
        yield
    finally:
        await end_task(task)


async def settled(store: Store, webhook_id: str, event_id: str) -> DeliveryState:
    """Wait until a delivery is not pending."""
    async with asyncio.timeout(20):
        while True:
            made = await store.webhooks.delivery(DEFAULT_TENANT, webhook_id, event_id)
            if made.state is not DeliveryState.PENDING:
                return made.state
            await asyncio.sleep(0.02)


async def test_due_deliveries_are_made_until_they_arrive(store: Store) -> None:
    """Failed attempts are repeated under the same id, and the log has all of them."""
    with receive([500, 503]) as receiver:
        hook = await stored_webhook(store, url=receiver.url)
        run_id = await ended_run(store)
        async with delivering(store, RETEVAL_WEBHOOK_RETRIES_S="0,0"):
            state = await settled(store, hook.id, f"evt_{run_id[4:]}")
    made = await store.webhooks.delivery(DEFAULT_TENANT, hook.id, f"evt_{run_id[4:]}")
    assert state is DeliveryState.DELIVERED
    assert [one.status for one in made.attempts] == [500, 503, 204]
    assert {message.headers["webhook-id"] for message in receiver.messages} == {made.id}
    assert len({message.body for message in receiver.messages}) == 1


async def test_slow_receiver_holds_up_nobody_else(store: Store) -> None:
    """Another webhook gets its event while one hangs."""
    async with Evil() as evil:
        with receive() as receiver:
            slow = await stored_webhook(store, url=evil.url("hang"))
            fast = await stored_webhook(store, url=receiver.url)
            run_id = await ended_run(store)
            event_id = f"evt_{run_id[4:]}"
            async with delivering(store, RETEVAL_WEBHOOK_TIMEOUT_S="60"):
                assert await settled(store, fast.id, event_id) is DeliveryState.DELIVERED
                hanging = await store.webhooks.delivery(DEFAULT_TENANT, slow.id, event_id)
    assert hanging.state is DeliveryState.PENDING
    assert hanging.attempts == ()


async def test_damaged_records_end_no_other(store: Store, redis_url: str) -> None:
    """A delivery that cannot be made has failed, a webhook that cannot be read is passed over."""
    with receive() as receiver:
        broken = [await stored_webhook(store, url=receiver.url) for _ in range(2)]
        fine = await stored_webhook(store, url=receiver.url)
        run_id = await ended_run(store)
        event_id = f"evt_{run_id[4:]}"
        with redis.Redis.from_url(redis_url) as client:
            client.hset(keys.delivery(DEFAULT_TENANT, broken[0].id, event_id), "status", "odd")
            unreadable = keys.webhook(DEFAULT_TENANT, broken[1].id)
            client.hset(unreadable, "old_secret_until_ms", "odd")
            client.zadd(keys.WEBHOOKS_DUE, {unreadable: 0})  # it is the first one
        with capture_logs() as said:
            async with delivering(store, RETEVAL_WEBHOOK_RETRIES_S=""):
                assert await settled(store, fine.id, event_id) is DeliveryState.DELIVERED
                assert await settled(store, broken[0].id, event_id) is DeliveryState.FAILED
    made = await store.webhooks.delivery(DEFAULT_TENANT, broken[0].id, event_id)
    assert made.attempts[0].error == "the service failed; its log has the cause"
    assert {"webhook.internal_error", "webhooks.not_taken"} <= {line["event"] for line in said}
    assert len(receiver.messages) == 1


async def test_store_that_is_away_ends_nothing() -> None:
    """Without a store the loop waits for one."""
    gone = Store.connect("redis://127.0.0.1:1/0")
    try:
        with capture_logs() as said:
            async with asyncio.timeout(20), delivering(gone):
                while [line["event"] for line in said].count("webhooks.not_taken") < 2:
                    await asyncio.sleep(0.05)
    finally:
        await gone.close()


async def test_end_that_cannot_be_written_down(store: Store, redis_url: str) -> None:
    """An attempt whose end is not stored is made again once its lease is over."""
    with redis.Redis.from_url(redis_url) as client:
        bounds = iter(["1"])  # at the first message, the store takes no more writes

        def fill() -> None:
            for bound in bounds:
                client.config_set("maxmemory", bound)

        with receive(before=fill) as receiver:
            hook = await stored_webhook(store, url=receiver.url)
            run_id = await ended_run(store)
            try:
                with capture_logs() as said:
                    async with asyncio.timeout(20), delivering(store):
                        while not any(line["event"] == "webhook.not_settled" for line in said):
                            await asyncio.sleep(0.02)
            finally:
                client.config_set("maxmemory", "0")
            key = keys.webhook(DEFAULT_TENANT, hook.id)
            client.hset(key, "lease_until", 0)
            client.zadd(keys.WEBHOOKS_DUE, {key: 0})
            async with delivering(store):
                state = await settled(store, hook.id, f"evt_{run_id[4:]}")
    assert state is DeliveryState.DELIVERED
    assert len(receiver.messages) == 2


async def test_receiver_that_may_not_be_called_is_in_the_audit_log(store: Store) -> None:
    """Each attempt that was not let out is an event, with where it would have gone."""
    hook = await stored_webhook(store, url="http://10.0.0.1:8000/hook?token=s3cret")
    run_id = await ended_run(store)
    async with delivering(store, RETEVAL_WEBHOOK_RETRIES_S="0"):
        state = await settled(store, hook.id, f"evt_{run_id[4:]}")
    assert state is DeliveryState.FAILED
    log, _ = await store.audit.page("access", before=None, limit=9)
    seen = [(fields["event"], fields["team"], fields["target"]) for _, fields in log]
    assert seen == [("egress_denied", DEFAULT_TENANT, hook.id)] * 2
    assert all(fields["detail"].startswith("http://10.0.0.1:8000: ") for _, fields in log)
