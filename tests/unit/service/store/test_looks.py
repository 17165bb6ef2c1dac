"""Looks at a hold-out: counted once a run, in turn, for good."""

import asyncio

from reteval.contract.splits import HoldoutLooks
from service.store.keys import DEFAULT_TENANT
from service.store.store import Store
from tests.factories import query, run_spec, stored_run, stored_test_set


async def test_a_run_looks_once_however_often_it_is_noted(store: Store) -> None:
    """A repetition, as of a finalisation that died, is the same look, whatever came between."""
    test_set = await stored_test_set(store, [query()])
    first, second = [(await stored_run(store, run_spec(test_set))).id for _ in range(2)]
    turns = [await store.looks.note(DEFAULT_TENANT, each, "h") for each in (first, second, first)]
    assert [turn.look for turn in turns] == [1, 2, 1]
    assert turns[2] == HoldoutLooks(look=1, total=1)
    record = await store.runs.get(DEFAULT_TENANT, second)
    assert (record.look, record.holdout) == (2, "h")
    assert await store.looks.totals(DEFAULT_TENANT, ["h", "h", "other"]) == {"h": 2, "other": 0}
    assert await store.looks.totals("another", ["h"]) == {"h": 0}


async def test_looks_at_once_have_turns_of_their_own(store: Store) -> None:
    """Many runs that end together are counted one by one."""
    notes = (store.looks.note(DEFAULT_TENANT, f"run_{n}", "h") for n in range(50))
    turns = await asyncio.gather(*notes)
    assert sorted(turn.look for turn in turns) == list(range(1, 51))


async def test_a_look_outlives_its_run(store: Store) -> None:
    """What was seen stays seen; nothing is written for a run that is gone."""
    test_set = await stored_test_set(store, [query()])
    run = await stored_run(store, run_spec(test_set))
    await store.looks.note(DEFAULT_TENANT, run.id, "h")
    await store.runs.request_cancel(DEFAULT_TENANT, run.id)
    await store.runs.delete(DEFAULT_TENANT, run.id)
    assert (await store.looks.note(DEFAULT_TENANT, run.id, "h")).look == 1
    assert await store.looks.totals(DEFAULT_TENANT, ["h"]) == {"h": 1}
    assert (await store.runs.page(DEFAULT_TENANT, before=None, limit=9))[0] == []
