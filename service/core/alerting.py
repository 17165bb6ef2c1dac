"""Holding ended runs to alerts: each run once by each alert, in the order in which runs ended."""

from textwrap import shorten
from typing import Final

import structlog

from reteval.contract.alerts import MAX_NAMED, AlertNotice, Finding
from reteval.contract.gates import GateOutcome, GatePending, GateVerdict, RuleStatus
from service.core import comparisons
from service.core.alerts import BEFORE, hold
from service.core.backend import Backend
from service.core.firing import serve_team
from service.core.gates.decide import decide
from service.core.gates.verdicts import USABLE
from service.errors import ServiceError, StoreUnavailableError
from service.store.alerts import FAILING, NEITHER, PASSING, AlertRecord, Awaited, Settlement
from service.store.bare_report import iso_time
from service.store.damage import report_damage
from service.store.records import RunRecord

BATCH: Final = 500
"""What is looked at at a time; a round goes through everything."""
SPEAKS_FOR: Final = {
    GateOutcome.PASS: PASSING,
    GateOutcome.FAIL: FAILING,
    GateOutcome.RUN_FAILED: FAILING,
    GateOutcome.BLOCKED: FAILING,
    GateOutcome.INCONCLUSIVE: NEITHER,
}
"""Which side a verdict speaks for. One that cannot tell leaves an alert as it is."""
_UNFORESEEN: Final = "the service failed; its log has the cause"
_PAGE: Final = 50
MAX_RULE_CHARS: Final = 300
"""Of what a notice says of a rule; all of it is in the verdict."""

_log = structlog.get_logger("reteval.alerts")


async def evaluate_ended(backend: Backend) -> int:
    """Look at every run that an alert waits for; return how many evaluations came to an end.

    An alert whose comparison is still under way comes to its later runs in a later round.

    Raises:
        StoreUnavailableError: the store does not answer; what is not evaluated stays so.
    """
    done, held_up = 0, set[tuple[str, str]]()
    position: str | None = None
    while True:
        awaited, position = await backend.store.alerts.awaited(after=position, limit=BATCH)
        for one in awaited:
            alert = (one.tenant, one.alert)
            if alert in held_up:
                continue
            if await _try_evaluate(serve_team(backend, one.tenant), one):
                done += 1
            else:
                held_up.add(alert)
        if len(awaited) < BATCH:
            return done


async def _try_evaluate(backend: Backend, awaited: Awaited) -> bool:
    try:
        return await _evaluate(backend, awaited)
    except StoreUnavailableError:
        raise
    except Exception:  # noqa: BLE001 - what cannot be written down must not hold up all others
        _log.exception("alert.not_settled", alert=awaited.alert, run=awaited.run)
        return False


async def _evaluate(backend: Backend, awaited: Awaited) -> bool:
    """Hold a run to an alert; False where that has to wait."""
    try:
        alert = await backend.store.alerts.get(backend.tenant, awaited.alert)
    except StoreUnavailableError:
        raise
    except ServiceError:
        report_damage(awaited.alert)
        await backend.store.alerts.drop(awaited)
        return True
    if not alert.request.enabled:  # switched off since the run ended
        await backend.store.alerts.drop(awaited)
        return True
    run: RunRecord | None = None
    try:
        run = await backend.store.runs.get(backend.tenant, awaited.run)
        settled = await _decide(backend, alert, run)
    except StoreUnavailableError:
        raise
    except ServiceError as exc:
        settled = await _give_up(backend, alert, awaited.run, exc.detail)
    except Exception:  # noqa: BLE001 - else it would hold up all runs after it for ever
        _log.exception("alert.internal_error", alert=awaited.alert, run=awaited.run)
        settled = await _give_up(backend, alert, awaited.run, _UNFORESEEN)
    return settled is not None and await backend.store.alerts.settle(awaited, alert, run, settled)


async def _decide(backend: Backend, alert: AlertRecord, run: RunRecord) -> Settlement | None:
    before = BEFORE if alert.request.previous else None
    if before and alert.request.gate.drops and run.status in USABLE:
        before = await _find_before(backend, alert, run)
        if before is None:
            why = "there is no completed run before it to be compared with"
            return await _give_up(backend, alert, run.id, why)
    request = hold(alert.request.gate, run.id, before)
    verdict = await decide(backend, request, wait_s=0.0, comparisons=comparisons)
    if isinstance(verdict, GatePending):
        return None
    finding = Finding(
        at=iso_time(await backend.store.now_ms()),
        run=run.id,
        verdict=verdict.verdict,
        sentence=verdict.sentence,
        baseline=verdict.baseline.id if verdict.baseline else None,
        comparisons=verdict.comparisons,
    )
    return _settle(alert, finding, SPEAKS_FOR[verdict.verdict], _name_broken(verdict))


async def _find_before(backend: Backend, alert: AlertRecord, run: RunRecord) -> str | None:
    """Return the newest completed run before this one that the alert looks at, too."""
    wanted = alert.request.runs
    position: str | None = f"{run.created_ms + 1}000"
    while True:
        records, position = await backend.store.runs.page(
            backend.tenant,
            before=position,
            limit=_PAGE,
            test_set=run.spec.test_set.id,
            label=wanted.label or None,
            schedule=wanted.schedule or None,
        )
        for record in records:
            if record.id != run.id and record.status in USABLE:
                return record.id
        if position is None:
            return None


async def _give_up(backend: Backend, alert: AlertRecord, run_id: str, why: str) -> Settlement:
    at = iso_time(await backend.store.now_ms())
    finding = Finding(at=at, run=run_id, verdict=None, sentence=f"Not evaluated: {why}")
    return _settle(alert, finding, NEITHER, ())


def _settle(
    alert: AlertRecord, finding: Finding, speaks_for: str, rules: tuple[str, ...]
) -> Settlement:
    own = f"/v1/alerts/{alert.id}"
    notice = AlertNotice(
        id=alert.id,
        name=alert.request.name,
        verdict=finding.verdict,
        sentence=finding.sentence,
        rules=rules,
        baseline=finding.baseline,
        links={"self": own, "evaluations": f"{own}/evaluations"},
    )
    return Settlement(finding=finding, speaks_for=speaks_for, notice=notice)


def _name_broken(verdict: GateVerdict) -> tuple[str, ...]:
    broken = [one for one in verdict.rules if one.status is not RuleStatus.PASS]
    said = (f"{one.rule}: {one.message}" for one in broken[:MAX_NAMED])
    return tuple(shorten(text, MAX_RULE_CHARS, placeholder=" …") for text in said)
