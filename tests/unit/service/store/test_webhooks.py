"""Webhooks in the store: who hears of which end of a run, in the step that ends it."""

import msgspec
import pytest
import redis

from reteval.contract.comparisons import ComparisonRequest
from reteval.contract.limits import MAX_WEBHOOKS
from reteval.contract.runs import RunStatus
from reteval.contract.webhooks import DeliveryState
from service.errors import InvalidError, NotFoundError, WebhookDisabledError
from service.queue import RUNS
from service.store import keys
from service.store.keys import DEFAULT_TENANT, new_id
from service.store.records import ComparisonSpec
from service.store.store import Store
from tests.factories import query, run_spec, stored_run, stored_test_set
from tests.hooks import DELIVERED, end, ended_run, stored_webhook, take


async def heard(store: Store, webhook_id: str) -> list[tuple[str, str]]:
    """Return type and run of what is in a webhook's log, newest first."""
    found, _ = await store.webhooks.deliveries(DEFAULT_TENANT, webhook_id, before=None, limit=50)
    return [(one.type, one.run) for one in found]


@pytest.mark.parametrize("status", [status for status in RunStatus if status.terminal])
async def test_each_way_to_end_is_an_event(store: Store, status: RunStatus) -> None:
    """The record and the event appear together, under an id that is the run's."""
    hook = await stored_webhook(store)
    run_id = await ended_run(store, status=status)
    assert await heard(store, hook.id) == [(f"run.{status.value}", run_id)]
    event_id = f"evt_{run_id.removeprefix('run_')}"
    waiting = await store.webhooks.delivery(DEFAULT_TENANT, hook.id, event_id)
    record = await store.runs.get(DEFAULT_TENANT, run_id)
    assert (waiting.state, waiting.attempts) == (DeliveryState.PENDING, ())
    assert waiting.next_attempt_at == waiting.created_at
    due = await take(store)
    assert due.created_ms == record.finished_ms
    assert (due.status, due.test_set, due.test_set_name) == (
        status.value,
        record.spec.test_set.id,
        "set",
    )


async def test_run_cancelled_before_its_start_is_an_event(store: Store) -> None:
    """The other script that can end a run tells, too; asked twice, once."""
    hook = await stored_webhook(store)
    run = await stored_run(store, run_spec(await stored_test_set(store, [query()])))
    await store.runs.request_cancel(DEFAULT_TENANT, run.id)
    assert await heard(store, hook.id) == [("run.cancelled", run.id)]


async def test_run_whose_worker_crashes_for_good_is_an_event(store: Store) -> None:
    """A run that is given up ends by the same script as all others."""
    hook = await stored_webhook(store)
    run = await stored_run(store, run_spec(await stored_test_set(store, [query()])))
    for number in range(4):
        claim = await store.claims.claim(DEFAULT_TENANT, run.id, owner=str(number), lease_s=0)
        assert claim is not None
    assert claim.poisoned
    await end(store, run.id, RunStatus.FAILED)
    assert await heard(store, hook.id) == [("run.failed", run.id)]


async def test_other_jobs_are_no_events(store: Store) -> None:
    """A comparison that ends is told to nobody."""
    hook = await stored_webhook(store)
    spec = ComparisonSpec(
        id=new_id("cmp"),
        request=ComparisonRequest(baseline="run_a", candidate="run_b"),
        code_version="0.1.0",
    )
    await store.comparisons.create(DEFAULT_TENANT, spec, content="c", queue=RUNS)
    await end(store, spec.id)
    assert await heard(store, hook.id) == []
    assert await store.deliveries.take(lease_s=1) is None


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"events": "run.completed run.failed"}, True),
        ({"events": "run.completed_with_errors"}, False),
        ({"label": "main"}, True),
        ({"label": "mai"}, False),
        ({"test_set": "set"}, True),
        ({"test_set": "other"}, False),
        ({"enabled": 0}, False),
    ],
)
async def test_filters(store: Store, changes: dict[str, str | int], *, told: bool) -> None:
    """Event, label and test set have to fit, and the webhook has to be on."""
    hook = await stored_webhook(store, **changes)
    run_id = await ended_run(store, label="main")
    assert await heard(store, hook.id) == ([("run.completed", run_id)] if told else [])


async def test_filter_by_id_of_the_test_set(store: Store) -> None:
    """One version of a test set can be meant."""
    test_set = await stored_test_set(store, [query()])
    hook = await stored_webhook(store, test_set=test_set.id)
    run = await stored_run(store, run_spec(test_set))
    await end(store, run.id)
    assert await heard(store, hook.id) == [("run.completed", run.id)]


async def test_foreign_webhooks_hear_nothing(store: Store) -> None:
    """A run is told to its own team, and no other's webhook can be read, changed or deleted."""
    foreign = await stored_webhook(store, tenant="others")
    await ended_run(store)
    assert await store.deliveries.take(lease_s=1) is None
    with pytest.raises(NotFoundError):
        await store.webhooks.get(DEFAULT_TENANT, foreign.id)
    with pytest.raises(NotFoundError):
        await store.webhooks.put(DEFAULT_TENANT, foreign.id, {"label": "x"}, new=False)
    with pytest.raises(NotFoundError):
        await store.webhooks.delete(DEFAULT_TENANT, foreign.id)
    with pytest.raises(NotFoundError):
        await store.webhooks.queue(DEFAULT_TENANT, foreign.id, "evt_1", new="ping")


async def test_damaged_record_still_ends(store: Store, redis_url: str) -> None:
    """What cannot be read of a run keeps it neither from ending nor from being told."""
    hook = await stored_webhook(store)
    filtered = await stored_webhook(store, label="main")
    run = await stored_run(store, run_spec(await stored_test_set(store, [query()]), label="main"))
    with redis.Redis.from_url(redis_url) as client:
        client.hset(keys.job(DEFAULT_TENANT, run.id), "spec", b"{")
    await end(store, run.id)
    assert await heard(store, hook.id) == [("run.completed", run.id)]
    assert await heard(store, filtered.id) == []


async def test_a_team_has_so_many_at_most(store: Store) -> None:
    """One more than there may be is refused; deleting one makes room."""
    made = [await stored_webhook(store) for _ in range(MAX_WEBHOOKS)]
    with pytest.raises(InvalidError):
        await stored_webhook(store)
    await store.webhooks.delete(DEFAULT_TENANT, made[0].id)
    await stored_webhook(store)


async def test_pages_hold_all_newest_first(store: Store) -> None:
    """Webhooks and deliveries are listed page by page."""
    hooks = [await stored_webhook(store) for _ in range(3)]
    first, position = await store.webhooks.page(DEFAULT_TENANT, before=None, limit=2)
    rest, end_of_list = await store.webhooks.page(DEFAULT_TENANT, before=position, limit=2)
    assert [one.id for one in (*first, *rest)] == [one.id for one in reversed(hooks)]
    assert end_of_list is None
    pings = [
        await store.webhooks.queue(DEFAULT_TENANT, hooks[0].id, f"evt_{number}", new="ping")
        for number in range(3)
    ]
    some, position = await store.webhooks.deliveries(
        DEFAULT_TENANT, hooks[0].id, before=None, limit=2
    )
    others, _ = await store.webhooks.deliveries(
        DEFAULT_TENANT, hooks[0].id, before=position, limit=2
    )
    assert [*some, *others] == pings[::-1]


async def test_delete_leaves_nothing(store: Store, redis_url: str) -> None:
    """A deleted webhook takes its log and what waited along; an attempt under way is not kept."""
    hook = await stored_webhook(store)
    await ended_run(store)
    due = await take(store)
    await store.webhooks.queue(DEFAULT_TENANT, hook.id, "evt_ping", new="ping")
    await store.webhooks.delete(DEFAULT_TENANT, hook.id)
    assert not await store.deliveries.settle(due, DELIVERED)
    with redis.Redis.from_url(redis_url) as client:
        assert not client.keys("t:*:wh:*")
        assert not client.exists(keys.webhooks(DEFAULT_TENANT), keys.WEBHOOKS_DUE)


async def test_webhook_that_is_off_gets_nothing_and_loses_nothing(store: Store) -> None:
    """What waited when it was switched off waits on, and is due once it is on again."""
    hook = await stored_webhook(store)
    run_id = await ended_run(store)
    off = await store.webhooks.put(DEFAULT_TENANT, hook.id, {"enabled": 0}, new=False)
    assert not off.enabled
    assert await store.deliveries.take(lease_s=1) is None
    with pytest.raises(WebhookDisabledError):
        await store.webhooks.queue(DEFAULT_TENANT, hook.id, "evt_ping", new="ping")
    await store.webhooks.put(DEFAULT_TENANT, hook.id, {"enabled": 1}, new=False)
    assert (await take(store)).run == run_id


async def test_unknown_delivery_is_not_found(store: Store) -> None:
    """Neither reading nor repeating makes one up."""
    hook = await stored_webhook(store)
    with pytest.raises(NotFoundError):
        await store.webhooks.delivery(DEFAULT_TENANT, hook.id, "evt_none")
    with pytest.raises(NotFoundError):
        await store.webhooks.queue(DEFAULT_TENANT, hook.id, "evt_none")


async def test_secrets_are_not_in_what_is_read(store: Store) -> None:
    """The sealed secrets are read on their own; nothing else of a webhook holds them."""
    hook = await stored_webhook(store)
    sealed = await store.webhooks.sealed(DEFAULT_TENANT, hook.id)
    assert sealed
    assert b"secrets" not in msgspec.json.encode(hook)
    assert sealed not in msgspec.json.encode(hook)
