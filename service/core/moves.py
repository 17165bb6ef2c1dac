"""Moves: how the primary metric of each query went from one compared run to the other."""

import asyncio
import math
from collections.abc import Mapping

from msgspec import Struct

from reteval.contract.comparisons import ComparisonReport, Mover
from service.core.backend import Backend
from service.core.query_rows import read_values


class Asked(Struct, frozen=True):
    """A clean query of a run: its text, and its value or NaN."""

    text: str
    value: float


Side = Mapping[str, Asked]
"""The clean queries of one of the runs, by id."""


async def read_moves(backend: Backend, report: ComparisonReport) -> list[Mover]:
    """Return the moves of all queries that have a value in both runs, greatest first.

    Raises:
        NotFoundError: one of the runs has been deleted since.
    """
    baseline = await _read_side(backend, report.baseline.run, report.primary)
    candidate = await _read_side(backend, report.candidate.run, report.primary)
    return await asyncio.to_thread(pair, baseline, candidate)


def pair(baseline: Side, candidate: Side) -> list[Mover]:
    """Return the moves of the queries that both sides have, with one text and a value in each."""
    found = []
    for query_id, before in baseline.items():
        after = candidate.get(query_id)
        if after is None or after.text != before.text:
            continue
        difference = after.value - before.value
        if not math.isnan(difference):
            found.append(
                Mover(
                    query_id=query_id,
                    query=before.text,
                    baseline=before.value,
                    candidate=after.value,
                    difference=difference,
                )
            )
    return sorted(found, key=lambda move: (-abs(move.difference), move.query_id))


async def _read_side(backend: Backend, run_id: str, metric: str) -> Side:
    outcomes = backend.store.outcomes
    clean, _ = await outcomes.plan_size(backend.tenant, run_id)
    requests = await outcomes.requests(backend.tenant, run_id, start=0, stop=clean)
    values = await read_values(backend, run_id, metric)
    return {
        request.query_id: Asked(request.text, value)
        for request, value in zip(requests, values, strict=False)  # no values: not measured
    }
