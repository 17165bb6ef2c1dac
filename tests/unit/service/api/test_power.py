import math
from typing import Any

import httpx
import pytest

from service.store.store import Store
from tests.unit.service.api.scored import new_run, scored_run


async def ask(client: httpx.AsyncClient, **body: Any) -> httpx.Response:
    """Ask for power."""
    return await client.post("/v1/power", json=body)


async def test_power_from_a_sigma(client: httpx.AsyncClient) -> None:
    """A spread alone answers with the defaults stated."""
    body = (await ask(client, sigma=0.2)).json()
    assert (body["needed"], body["n"], body["delta"], body["pairs"]) == (128, 50, 0.05, None)
    assert "reason" not in body


async def test_power_from_two_runs(client: httpx.AsyncClient, store: Store) -> None:
    """The spread is that of the queries both answered, in the metric both have."""
    first = await scored_run(store, columns={"mrr": [0.0, 0.5, 1.0, math.nan], "map": [0.0] * 4})
    second = await scored_run(store, columns={"mrr": [0.5, 0.5, 0.5, 1.0], "map": [0.0] * 4})
    body = (await ask(client, runs=[first, second])).json()
    assert (body["metric"], body["pairs"], body["n"]) == ("mrr", 3, 3)
    assert body["sigma"] == pytest.approx(0.5)
    same = (await ask(client, runs=[first, second], metric="AP")).json()
    assert (same["metric"], same["reason"], same["needed"]) == ("map", "no_variation", None)


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({}, "/sigma"),
        ({"sigma": 0.2, "runs": ["a", "b"]}, "/sigma"),
        ({"sigma": 0}, "/sigma"),
        ({"sigma": 0.2, "alpha": 0}, "/alpha"),
        ({"runs": ["a"]}, "/runs"),
    ],
)
async def test_power_that_is_refused(
    client: httpx.AsyncClient, body: dict[str, Any], pointer: str
) -> None:
    """Contradictions and bounds are named."""
    answer = await ask(client, **body)
    assert (answer.status_code, answer.json()["errors"][0]["pointer"]) == (422, pointer)


async def test_power_from_runs_that_do_not_fit(client: httpx.AsyncClient, store: Store) -> None:
    """Missing, running, unlike and unmeasured runs each have their own refusal."""
    run = await scored_run(store)
    other = await scored_run(store, name="other")
    bare = await scored_run(store, columns={})
    single = await scored_run(store, columns={"mrr": [0.5, math.nan, math.nan, math.nan]})
    running = (await new_run(store)).id
    for body, code in (
        ({"runs": [run, "run_none"]}, "not_found"),
        ({"runs": [run, running]}, "not_terminal"),
        ({"runs": [run, other]}, "not_comparable"),
        ({"runs": [run, bare]}, "not_comparable"),
        ({"runs": [run, single]}, "not_comparable"),
        ({"runs": [run, run], "metric": "map"}, "invalid"),
        ({"runs": [run, run], "metric": "nonsense"}, "invalid"),
    ):
        assert (await ask(client, **body)).json()["code"] == code
