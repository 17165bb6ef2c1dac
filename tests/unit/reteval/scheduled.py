"""A schedule and an alert as the service answers them."""

import msgspec

from reteval.contract.alerts import Alert, AlertEvent, AlertState, Evaluation
from reteval.contract.gates import GateOutcome
from reteval.contract.schedules import Fire, FireOutcome, FireTime, FireTimes, Schedule

MOMENT = "2026-11-30T03:00:00.000Z"
SCHEDULE = msgspec.convert(
    {
        "id": "sch_1",
        "name": "nightly",
        "cron": "0 3 * * *",
        "zone": "Europe/Lisbon",
        "run": {"test_set": "docs", "endpoint": {"url": "https://search.example/"}},
        "paused": False,
        "next_at": MOMENT,
        "last_run": "run_0",
        "version": 3,
        "created_at": MOMENT,
        "updated_at": MOMENT,
        "links": {"self": "/v1/schedules/sch_1"},
    },
    Schedule,
)
FIRE = Fire(at=MOMENT, decided_at=MOMENT, outcome=FireOutcome.STARTED, run="run_0", missed=2)
REFUSED = Fire(
    at=MOMENT,
    decided_at=MOMENT,
    outcome=FireOutcome.REFUSED,
    code="quota_exceeded",
    detail="The team may have 1.",
)
TIMES = FireTimes(
    cron="0 3 * * *",
    zone="Europe/Lisbon",
    times=(FireTime(at=MOMENT, local="2026-11-30T03:00+00:00"),),
)
ALERT = msgspec.convert(
    {
        "id": "al_1",
        "name": "quality",
        "gate": {"min_queries": 20},
        "webhooks": ["wh_1"],
        "state": "failing",
        "failing": 2,
        "passing": 0,
        "told_at": MOMENT,
        "version": 4,
        "created_at": MOMENT,
        "updated_at": MOMENT,
        "links": {"self": "/v1/alerts/al_1"},
    },
    Alert,
)
EVALUATION = Evaluation(
    at=MOMENT,
    run="run_0",
    verdict=GateOutcome.FAIL,
    sentence="1 of 2 checks does not hold.",
    state=AlertState.FAILING,
    event=AlertEvent.FAILING,
    told=("wh_1",),
)
