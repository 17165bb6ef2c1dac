"""The latency block of a report."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from reteval.contract.latency import BOUNDS_MS
from reteval.contract.outcomes import FailureCode, Outcome, OutcomeStatus, PlannedRequest
from reteval.contract.results import Latency
from tests.factories import query
from worker.pipeline.latency import KindLatency, summarise_latency
from worker.pipeline.plan import Plan, build_plan
from worker.pipeline.slices import name_slices
from worker.pipeline.stretches import read_stretches


def plan(queries: int) -> Plan:
    """Plan a run over so many queries, tagged by turns."""
    made = [query(f"q{n}") for n in range(queries)]
    tagged = [structs.replace(q, tags=[("even", "odd")[n % 2]]) for n, q in enumerate(made)]
    return build_plan(tagged, None, relevant_from=1)


def answered(latency_ms: float, **fields: object) -> Outcome:
    """Return an answer at the first attempt."""
    return structs.replace(
        Outcome(status=OutcomeStatus.OK, ids=["a"], latency_ms=latency_ms), **fields
    )


def summarise(outcomes: list[Outcome], concurrency: int = 1) -> Latency:
    """Summarise the outcomes of clean requests."""
    return read(plan(len(outcomes)), outcomes, concurrency)


def read(planned: Plan, outcomes: list[Outcome], concurrency: int) -> Latency:
    """Summarise the outcomes of a plan."""
    kinds = KindLatency()
    read_stretches(planned.requests, outcomes, [kinds])
    slices = [name_slices(query, relevant_from=1) for query in planned.scorable]
    return summarise_latency(outcomes[: planned.clean], slices, kinds, concurrency=concurrency)


@given(st.lists(st.floats(0.01, 200_000), min_size=1, max_size=40))
def test_percentiles_and_histogram_agree_with_numpy(latencies: list[float]) -> None:
    """Percentiles are numpy's, every request is in one bin, and its bin bounds it."""
    block = summarise([answered(0.5), *map(answered, latencies), answered(0.5)], 1)
    kept = [*latencies, 0.5]
    assert (block.n, block.warm_up) == (len(kept), 1)
    assert (block.p50, block.p99) == pytest.approx(tuple(np.percentile(kept, (50, 99))))
    assert block.histogram is not None
    bounds = (0.0, *block.histogram.le_ms, np.inf)
    counts = block.histogram.counts
    assert len(counts) == len(block.histogram.le_ms) + 1
    assert sum(counts) == len(kept)
    before = BOUNDS_MS.index(bounds[1]) if len(bounds) > 2 else 0
    low = 0.0 if before == 0 else BOUNDS_MS[before - 1]
    assert counts[0] == sum(low < value <= bounds[1] for value in kept)
    for n in range(1, len(counts)):
        assert counts[n] == sum(bounds[n] < value <= bounds[n + 1] for value in kept)


def test_the_first_requests_are_warm_up() -> None:
    """As many as run at once are left out where as many again remain; else none."""
    outcomes = [answered(1_000.0)] * 4 + [answered(10.0)] * 4
    assert summarise(outcomes, 4).max == 10.0
    block = summarise(outcomes, 5)
    assert (block.warm_up, block.n, block.max) == (0, 8, 1_000.0)


def test_only_first_attempts_count() -> None:
    """Repeats, failures and skipped requests say nothing about the endpoint's speed."""
    outcomes = [
        answered(7.0),
        answered(1.0, attempts=2),
        answered(9.0, attempts=3, pages=3),
        Outcome(status=OutcomeStatus.FAILED, code=FailureCode.HTTP_4XX, latency_ms=1.0),
        Outcome(status=OutcomeStatus.SKIPPED, attempts=0),
    ]
    block = summarise(outcomes, 8)
    assert (block.n, block.p50, block.mean) == (2, 8.0, 8.0)


def test_nothing_answered_has_a_reason() -> None:
    """Null comes with why."""
    block = summarise([answered(1.0, attempts=2)])
    assert (block.n, block.p50, block.histogram) == (0, None, None)
    assert block.reason == "no request was answered at the first attempt"


def test_parts_are_summarised_apart() -> None:
    """Connections where they were made, heads and the endpoint's own time where they are known."""
    outcomes = [
        answered(50.0, connect_ms=30.0, first_byte_ms=45.0),
        answered(20.0, first_byte_ms=15.0, took_ms=4.0),
        answered(22.0, first_byte_ms=17.0, took_ms=6.0),
    ]
    block = summarise(outcomes)
    assert block.connect is not None
    assert (block.connect.n, block.connect.p50) == (1, 30.0)
    assert block.first_byte is not None
    assert (block.first_byte.n, block.first_byte.p50) == (2, 16.0)
    assert block.took is not None
    assert (block.took.n, block.took.p50) == (2, 5.0)
    assert summarise([answered(1.0)]).took is None


def test_slices_and_kinds_have_their_own_percentiles() -> None:
    """Slices are over clean requests, kinds over the others; failed ones are in neither."""
    planned = plan(4)
    variant = PlannedRequest(query_id="q-q0", text="x", kind="typo.mixed", severity=1)
    planned = structs.replace(planned, requests=(*planned.requests, variant, variant))
    lost = Outcome(status=OutcomeStatus.FAILED, code=FailureCode.TIMEOUT)
    outcomes = [answered(1.0), answered(2.0), answered(3.0), lost, answered(9.0), lost]
    block = read(planned, outcomes, 8)
    assert block.n == 3
    assert {name: (s.n, s.p50) for name, s in block.by_slice.items()} == {
        "tag:even": (2, 2.0),
        "tag:odd": (1, 2.0),
        "length:1": (3, 2.0),
        "relevant:1": (3, 2.0),
    }
    assert {name: (s.n, s.p50) for name, s in block.by_kind.items()} == {"typo.mixed": (1, 9.0)}
