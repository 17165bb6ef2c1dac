"""Webhooks as tests need them: registered in the store, with runs that end."""

from typing import Any

from reteval.contract.runs import RunStatus
from reteval.contract.webhooks import Attempt, DeliveryState, RunEvent, Webhook
from service.store.deliveries import Due, Verdict
from service.store.keys import DEFAULT_TENANT, new_id
from service.store.sealing import seal
from service.store.store import Store
from service.store.webhooks import CURRENT
from tests.factories import query, run_spec, stored_run, stored_test_set

KEY = "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="
"""A Fernet key."""
SIGNER = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
FINE = Attempt(at="2026-11-30T00:00:00.000Z", status=204, latency_ms=1.0)
BAD = Attempt(at="2026-11-30T00:00:00.000Z", status=500, latency_ms=1.0, error="HTTP 500")
DELIVERED = Verdict(state=DeliveryState.DELIVERED, attempt=FINE)


async def stored_webhook(
    store: Store, *, url: str = "http://127.0.0.1:9/", tenant: str = DEFAULT_TENANT, **changes: Any
) -> Webhook:
    """Write a webhook for all ends of runs."""
    fields: dict[str, Any] = {
        "url": url,
        "events": " ".join(RunEvent),
        "label": "",
        "test_set": "",
        "description": "",
        "enabled": 1,
        "disabled_reason": "",
        "failing_since_ms": "",
        "secrets": seal(KEY, {CURRENT: SIGNER}),
        "old_secret_until_ms": 0,
    }
    return await store.webhooks.put(tenant, new_id("wh"), fields | changes, new=True)


async def ended_run(
    store: Store, *, status: RunStatus = RunStatus.COMPLETED, label: str = ""
) -> str:
    """Create a run over the set `set`, end it, and return its id."""
    test_set = await stored_test_set(store, [query()])
    run = await stored_run(store, run_spec(test_set, label=label))
    await end(store, run.id, status)
    return run.id


async def end(store: Store, job_id: str, status: RunStatus = RunStatus.COMPLETED) -> None:
    """End a job as a worker does."""
    claim = await store.claims.claim(DEFAULT_TENANT, job_id, owner="w", lease_s=30)
    assert claim is not None
    await store.journal.finish(claim, status=status, report=b"{}", error="")


async def take(store: Store, *, lease_s: float = 30) -> Due:
    """Take what is due."""
    due = await store.deliveries.take(lease_s=lease_s)
    assert due is not None
    return due
