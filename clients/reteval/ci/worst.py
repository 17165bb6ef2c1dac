"""The queries that fared worst in a run, and what was found for them."""

from collections.abc import Sequence
from itertools import islice
from typing import Final

from reteval.client import Client
from reteval.contract.outcomes import QueryRow
from reteval.contract.results import Results

_PRIMARIES: Final = ("ndcg@10", "mrr")
_PAGE: Final = 100


def choose_primary(results: Results) -> str:
    """Return the metric that queries are sorted by; empty where nothing was measured."""
    measured = results.metrics or {}
    return next((name for name in (*_PRIMARIES, *measured) if name in measured), "")


def find_worst(client: Client, run_id: str, metric: str, rows: int) -> tuple[QueryRow, ...]:
    """Return so many queries with the least of a metric, the worst first; without one, none."""
    if not metric:
        return ()
    found = client.query_rows(run_id, sort=metric, limit=min(rows, _PAGE))
    return tuple(islice(found, rows))


def find_rankings(client: Client, run_id: str, rows: Sequence[QueryRow]) -> dict[str, list[str]]:
    """Return what was found for these queries by their ids, best document first."""
    wanted = {row.query_id for row in rows}
    found: dict[str, list[str]] = {}
    if not wanted:
        return found
    for row in client.outcomes(run_id):
        if row.kind or len(found) == len(wanted):  # clean queries come first
            break
        if row.query_id in wanted:
            found.setdefault(row.query_id, row.outcome.ids)
    return found
