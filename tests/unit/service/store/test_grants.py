"""Grants in the store: found by what is asked for, or by the label that a run has."""

import pytest

from reteval.contract.grants import Grant
from service.store.keys import new_id
from service.store.store import Store
from tests.factories import query, run_spec, stored_run, stored_test_set


def a_grant(to: str = "others", **given: str) -> Grant:
    """Build a grant of the default team."""
    subject: dict[str, str | None] = {"run": None, "test_set": None, "label": None, **given}
    return Grant(
        id=new_id("gr"), team="default", to=to, created_at="2026", created_by="key_1", **subject
    )


@pytest.mark.parametrize("label", ["live", "a/b:c", "*", "ä\n", '"\\'])
async def test_label_is_found_exactly(store: Store, label: str) -> None:
    """Whatever stands in a label, it opens runs that have it, and no other."""
    test_set = await stored_test_set(store, [query()])
    made = await store.grants.put(a_grant(label=label))
    runs = [
        (await stored_run(store, run_spec(test_set, label=text))).spec.id
        for text in (label, label + "x", "")
    ]
    found = [await store.grants.for_run("others", run_id) for run_id in runs]
    assert found == [made, None, None]
    assert await store.grants.for_run("third", runs[0]) is None


async def test_run_and_test_set_are_not_confused(store: Store) -> None:
    """A grant of a run opens no test set of the same id, nor the other way round."""
    run = await store.grants.put(a_grant(run="x_1"))
    assert await store.grants.for_run("others", "x_1") == run
    assert await store.grants.for_test_set("others", "x_1") is None
    test_set = await store.grants.put(a_grant(test_set="x_2"))
    assert await store.grants.for_test_set("others", "x_2") == test_set
    assert await store.grants.for_run("others", "x_2") is None


async def test_grant_to_a_team_goes_before_one_to_all(store: Store) -> None:
    """Of two grants of the same the more particular one is told."""
    everyone = await store.grants.put(a_grant(to="*", run="run_1"))
    named = await store.grants.put(a_grant(run="run_1"))
    assert await store.grants.for_run("others", "run_1") == named
    assert await store.grants.for_run("third", "run_1") == everyone
    assert await store.grants.delete("default", named.id) == named
    assert await store.grants.for_run("others", "run_1") == everyone
