"""Rounds over alerts: each run is looked at once, and webhooks are told when that says enough."""

import asyncio
from collections.abc import Sequence
from typing import Any

import msgspec
import pytest
import redis
from structlog.testing import capture_logs

from reteval.contract.alerts import Alert, AlertRequest, AlertState
from reteval.contract.diagnostics import Diagnostic, DiagnosticCode, Severity
from reteval.contract.gates import GateOutcome
from reteval.contract.runs import RunStatus
from service.core.alerting import evaluate_ended
from service.core.alerts import delete_alert, get_alert, replace_alert
from service.core.backend import Backend
from service.errors import NotFoundError
from service.queue import INTERACTIVE, JobQueue
from service.settings import Settings
from service.store import keys
from service.store.keys import DEFAULT_TENANT
from service.store.store import Store
from tests.factories import query, run_spec, stored_run, stored_test_set
from tests.hooks import stored_webhook, take
from tests.scheduled import FLOOR, alerted, found, scheduled
from tests.unit.reteval.documents import a_summary
from tests.unit.service.api.scored import new_run, score_run, scored_run
from tests.unit.service.core.backends import a_backend
from worker.jobs.execution import execute_next

GOOD, BAD = {"mrr": a_summary(0.6)}, {"mrr": a_summary(0.4)}
DROPS = {"drops": [{"metric": "mrr", "max_drop": 0.02}]}
QUIET = {"fail_after": 1, "recover_after": 1, "quiet_s": 3_600}


@pytest.fixture
def backend(store: Store, queue: JobQueue) -> Backend:
    """Return the backend of a process."""
    return a_backend(store, queue)


async def tell(backend: Backend, alert: Alert, runs: str) -> list[str]:
    """End a good (`+`) or bad (`-`) run for each sign; return what was told after each."""
    for sign in runs:
        await scored_run(backend.store, metrics=GOOD if sign == "+" else BAD)
        assert await evaluate_ended(backend) == 1
    seen = await found(backend, alert)
    return ["" if one.event is None else one.event.value[6:] for one in seen][-len(runs) :]


@pytest.mark.parametrize(
    ("changes", "runs", "told"),
    [
        ({}, "+-+", ["", "failing", "recovered"]),
        ({}, "--", ["failing", ""]),
        ({"quiet_s": 0}, "--+", ["failing", "failing", "recovered"]),
        ({}, "-+-+", ["failing", "recovered", "", "recovered"]),
        ({"fail_after": 3}, "--+---", ["", "", "", "", "", "failing"]),
        ({"recover_after": 2}, "-+-++", ["failing", "", "", "", "recovered"]),
        ({"fail_after": 2, "recover_after": 2}, "+-+-+", ["", "", "", "", ""]),
    ],
)
async def test_what_is_told_of_a_row_of_runs(
    backend: Backend, changes: dict[str, Any], runs: str, told: Sequence[str]
) -> None:
    """Enough in a row change the state; failing is told once a quiet time, recovery always."""
    alert = await alerted(backend, **QUIET | changes)
    assert await tell(backend, alert, runs) == told


async def test_state_and_counts_are_shown(backend: Backend) -> None:
    """Unknown until enough runs agree; then what they say, with how many there were."""
    alert = await alerted(backend, fail_after=2, recover_after=2)
    seen = [(alert.state, alert.failing, alert.passing)]
    for sign in "++--":
        await tell(backend, alert, sign)
        shown = await get_alert(backend, alert.id)
        seen.append((shown.state, shown.failing, shown.passing))
    unknown, fine, failing = AlertState.UNKNOWN, AlertState.OK, AlertState.FAILING
    assert seen == [(unknown, 0, 0), (unknown, 0, 1), (fine, 0, 2), (fine, 1, 0), (failing, 2, 0)]
    assert (await get_alert(backend, alert.id)).told_at is not None


async def test_quiet_time_ends(backend: Backend, redis_url: str) -> None:
    """The first failing run after it is told, though the alert failed all the time."""
    alert = await alerted(backend, quiet_s=60)
    assert await tell(backend, alert, "--") == ["failing", ""]
    with redis.Redis.from_url(redis_url) as server:
        key = keys.alert(DEFAULT_TENANT, alert.id)
        server.hset(key, "told_ms", int(server.hget(key, "told_ms") or 0) - 60_000)
    assert await tell(backend, alert, "-") == ["failing"]


@pytest.mark.parametrize(
    ("changes", "verdict", "counts"),
    [
        ({"metrics": BAD}, GateOutcome.FAIL, (1, 0)),
        (
            {"status": RunStatus.FAILED, "metrics": None, "reason": "endpoint_down"},
            GateOutcome.RUN_FAILED,
            (1, 0),
        ),
        (
            {
                "diagnostics": (
                    Diagnostic(
                        code=DiagnosticCode.ID_MISMATCH,
                        severity=Severity.BLOCK,
                        message="no match",
                        fix="map",
                    ),
                )
            },
            GateOutcome.BLOCKED,
            (1, 0),
        ),
        ({"metrics": GOOD}, GateOutcome.PASS, (0, 1)),
    ],
)
async def test_verdicts_that_speak_for_a_side(
    backend: Backend, changes: dict[str, Any], verdict: GateOutcome, counts: tuple[int, int]
) -> None:
    """A gate that fails or blocks, and a run that failed, count as failing."""
    alert = await alerted(backend)
    await scored_run(backend.store, **changes)
    await evaluate_ended(backend)
    (one,) = await found(backend, alert)
    shown = await get_alert(backend, alert.id)
    assert (one.verdict, (shown.failing, shown.passing)) == (verdict, counts)


async def test_inconclusive_leaves_everything_as_it_is(backend: Backend) -> None:
    """Neither the state nor the counts of a row move; what was found is written down."""
    gate = {"floors": [{"metric": "mrr", "at_least": 0.5}], "require_conclusive": True}
    alert = await alerted(backend, gate=gate, fail_after=2)
    wide = {"mrr": a_summary(0.51, ci=(0.3, 0.7))}
    for metrics in ({"mrr": a_summary(0.1, ci=(0.05, 0.2))}, wide):
        await scored_run(backend.store, metrics=metrics)
        await evaluate_ended(backend)
    shown = await get_alert(backend, alert.id)
    assert (shown.state, shown.failing) == (AlertState.UNKNOWN, 1)
    last = (await found(backend, alert))[-1]
    assert (last.verdict, last.event) == (GateOutcome.INCONCLUSIVE, None)


async def test_only_selected_runs_are_looked_at(backend: Backend) -> None:
    """By test set, label and schedule; a cancelled run and an alert that is off are passed over."""
    mine_alone = (await scheduled(backend)).id
    runs = {"test_set": "set", "label": "main", "schedule": mine_alone}
    chosen = await alerted(backend, runs=runs)
    off = await alerted(backend, enabled=False)
    for name, label, schedule in (
        ("set", "main", mine_alone),
        ("other", "main", mine_alone),
        ("set", "", mine_alone),
        ("set", "main", ""),
    ):
        spec = await new_run(backend.store, label=label, name=name)
        await backend.store.runs.request_cancel(DEFAULT_TENANT, spec.id)
        mine = msgspec.structs.replace(spec, id=keys.new_id("run"), schedule=schedule)
        await stored_run(backend.store, mine)
        await score_run(backend.store, mine, metrics=GOOD)
    assert await evaluate_ended(backend) == 1
    assert len(await found(backend, chosen)) == 1
    assert await found(backend, off) == []


async def test_webhooks_that_are_on_are_told(backend: Backend) -> None:
    """They get the run and what did not hold, whatever they subscribed to; others get nothing."""
    hook = await stored_webhook(backend.store, events="")
    off = await stored_webhook(backend.store, events="", enabled=0)
    await stored_webhook(backend.store, events="")
    alert = await alerted(backend, webhooks=[hook.id, off.id])
    run_id = await scored_run(backend.store, label="main", metrics=BAD)
    await evaluate_ended(backend)
    due = await take(backend.store)
    assert (due.webhook, due.type, due.run, due.label) == (
        hook.id,
        "alert.failing",
        run_id,
        "main",
    )
    assert due.alert is not None
    assert (due.alert.id, due.alert.name, due.alert.verdict) == (alert.id, "quality", "fail")
    assert any("0.5" in rule for rule in due.alert.rules)
    assert await backend.store.deliveries.take(lease_s=1) is None
    (one,) = await found(backend, alert)
    assert one.told == (hook.id,)


async def test_run_is_evaluated_once(backend: Backend) -> None:
    """Of five processes that look at the same run, one writes down what it found."""
    alert = await alerted(backend)
    await scored_run(backend.store, metrics=BAD)
    (awaited,), _ = await backend.store.alerts.awaited(after=None, limit=9)
    done = await asyncio.gather(*(evaluate_ended(backend) for _ in range(5)))
    assert sum(done) == 1
    assert await evaluate_ended(backend) == 0
    record = await backend.store.alerts.get(DEFAULT_TENANT, alert.id)
    (one,) = await found(backend, alert)
    assert one.run == awaited.run
    assert record.failing == 1


async def test_comparison_is_waited_for_and_order_is_kept(backend: Backend, redis_url: str) -> None:
    """A drop from the run before needs a comparison; the runs after it come after it."""
    judged = [msgspec.structs.replace(query(f"query {n}"), id=f"q{n}") for n in range(4)]
    test_set = await stored_test_set(backend.store, judged)

    async def ended(mrr: float, **changes: Any) -> str:
        spec = run_spec(test_set)
        await stored_run(backend.store, spec)
        columns = {"mrr": (mrr, mrr, mrr, mrr / 2)}
        return await score_run(backend.store, spec, columns=columns, **changes)

    alert = await alerted(backend, gate=DROPS, previous=True)
    first = await ended(1.0)
    assert await evaluate_ended(backend) == 1
    second = await ended(0.1)
    third = await ended(1.0, status=RunStatus.FAILED, metrics=None, reason="endpoint_down")
    assert await evaluate_ended(backend) == 0
    environ = {"RETEVAL_REDIS_URL": redis_url, "RETEVAL_EGRESS": "loopback"}
    await execute_next(Settings.from_env(environ), INTERACTIVE)
    assert await evaluate_ended(backend) == 2
    seen = await found(backend, alert)
    assert [one.run for one in seen] == [first, second, third]
    assert (seen[0].verdict, seen[0].sentence.startswith("Not evaluated")) == (None, True)
    assert (seen[1].verdict, seen[1].baseline) == (GateOutcome.FAIL, first)
    assert len(seen[1].comparisons) == 1
    assert seen[2].verdict is GateOutcome.RUN_FAILED


async def test_changed_alert_begins_anew(backend: Backend) -> None:
    """State and counts go; what waited is held to the gate as it is now, or is dropped."""
    alert = await alerted(backend)
    await tell(backend, alert, "-")
    await scored_run(backend.store, metrics=GOOD)
    lower = {"name": "low", "gate": {"floors": [{"metric": "mrr", "at_least": 0.9}]}}
    changed = await replace_alert(backend, alert.id, msgspec.convert(lower, AlertRequest), "*")
    assert (changed.state, changed.failing, changed.told_at) == (AlertState.UNKNOWN, 0, None)
    await evaluate_ended(backend)
    assert (await found(backend, alert))[-1].verdict is GateOutcome.FAIL
    await scored_run(backend.store, metrics=GOOD)
    off = {"name": "off", "gate": FLOOR, "enabled": False}
    await replace_alert(backend, alert.id, msgspec.convert(off, AlertRequest), "*")
    assert await evaluate_ended(backend) == 1
    assert len(await found(backend, alert)) == 2


async def test_what_cannot_be_evaluated_speaks_for_neither(
    backend: Backend, redis_url: str
) -> None:
    """A deleted run, and a report that cannot be read: written down, and nobody is held up."""
    alert = await alerted(backend)
    gone = await scored_run(backend.store, metrics=GOOD)
    await backend.store.runs.delete(DEFAULT_TENANT, gone)
    odd = await scored_run(backend.store, metrics=GOOD)
    with redis.Redis.from_url(redis_url) as server:
        server.set(keys.job_part(DEFAULT_TENANT, odd, "report"), b"odd")
    await scored_run(backend.store, metrics=BAD)
    assert await evaluate_ended(backend) == 3
    seen = await found(backend, alert)
    assert [one.verdict for one in seen] == [None, None, GateOutcome.FAIL]
    assert all(one.sentence.startswith("Not evaluated: ") for one in seen[:2])
    assert (await get_alert(backend, alert.id)).failing == 1


async def test_deleted_or_damaged_alert_is_let_be(backend: Backend, redis_url: str) -> None:
    """What waits for it is dropped; of a deleted one nothing is left."""
    alert, broken = await alerted(backend), await alerted(backend)
    await tell_all(backend)
    await scored_run(backend.store, metrics=GOOD)
    await delete_alert(backend, alert.id)
    with pytest.raises(NotFoundError):
        await delete_alert(backend, alert.id)
    with redis.Redis.from_url(redis_url) as server:
        server.hset(keys.alert(DEFAULT_TENANT, broken.id), "state", "odd")
        with capture_logs() as said:
            assert await evaluate_ended(backend) == 2
        assert {line["record"] for line in said} == {alert.id, broken.id}
        assert not server.exists(keys.ALERTS_DUE)
        assert not server.keys(f"{keys.alert(DEFAULT_TENANT, alert.id)}*")


async def tell_all(backend: Backend) -> None:
    """End a run and let every alert look at it."""
    await scored_run(backend.store, metrics=GOOD)
    await evaluate_ended(backend)


async def test_webhook_that_cannot_be_told_holds_up_no_other_alert(
    backend: Backend, redis_url: str
) -> None:
    """Its alert's runs wait, and all others are evaluated."""
    hook = await stored_webhook(backend.store, events="")
    await alerted(backend, webhooks=[hook.id])
    other = await alerted(backend)
    await scored_run(backend.store, metrics=BAD)
    with redis.Redis.from_url(redis_url) as server:
        key = keys.webhook(DEFAULT_TENANT, hook.id)
        server.delete(key)
        server.set(key, "odd")
    with capture_logs() as said:
        assert await evaluate_ended(backend) == 1
    assert len(await found(backend, other)) == 1
    assert [line["event"] for line in said] == ["alert.not_settled"]
