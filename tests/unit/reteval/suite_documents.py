"""A split, a suite and its run, as the service answers them."""

from typing import Any

import msgspec

from reteval.contract.results import Counts
from reteval.contract.runs import Progress, RunStatus, TestSetRef
from reteval.contract.splits import SplitReport, Stratum
from reteval.contract.suites import (
    MacroMean,
    Suite,
    SuiteMember,
    SuiteRow,
    SuiteRun,
    SuiteRunHead,
)
from tests.unit.reteval.documents import PINNED, a_summary, a_test_set

COUNTS = Counts(planned=50, ok=49, ok_empty=1, failed=0, skipped=0, unscorable=0, duplicate_hits=0)
SPLIT = SplitReport(
    test_set=a_test_set(),
    parent="ts_0",
    tune=3,
    holdout=2,
    groups=5,
    strata=(
        Stratum(name="source:log", queries=3, tune=2, holdout=1),
        Stratum(name="no source", queries=2, tune=1, holdout=1),
    ),
    strata_total=2,
)
SUITE = Suite(
    id="su_1",
    name="search",
    members=(
        SuiteMember(test_set="docs", weight=2.0),
        SuiteMember(test_set="ts_2", weight=1.0),
    ),
    created_at="2026-01-01T00:00:00.000Z",
)
HEAD = SuiteRunHead(
    id="srn_1", suite="su_1", label="k60", meta={}, created_at="", runs=("run_1", "run_2")
)


def a_suite_run(status: RunStatus = RunStatus.COMPLETED_WITH_ERRORS, **changes: Any) -> SuiteRun:
    """Return a suite's run of which one set failed."""
    rows = (
        SuiteRow(
            run="run_1",
            test_set=PINNED,
            weight=2.0,
            status=RunStatus.COMPLETED,
            num_queries=50,
            counts=COUNTS,
            metrics={"mrr": a_summary(0.9)},
        ),
        SuiteRow(
            run="run_2",
            test_set=TestSetRef(id="ts_2", name="faq", version=1, hash=""),
            weight=1.0,
            status=RunStatus.FAILED,
            reason="no_answers",
        ),
    )
    macro = MacroMean(mean=None, ci=None, level=0.95, sets=1, reason="no mean of faq: no_answers")
    run = SuiteRun(
        id="srn_1",
        suite="su_1",
        name="search",
        status=status,
        label="k60",
        meta={},
        created_at="2026-01-01T00:00:00.000Z",
        progress=Progress(done=50, total=100, failed=50),
        num_queries=50,
        counts=COUNTS,
        rows=rows,
        macro={"mrr": macro},
    )
    return msgspec.structs.replace(run, **changes)
