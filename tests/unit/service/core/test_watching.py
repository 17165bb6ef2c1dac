"""Watching a run: a state whenever something changed, and an end."""

from service.core.backend import Backend
from service.core.watching import watch_run
from service.queue import JobQueue
from service.store.store import Store
from tests.factories import query, run_spec, stored_run, stored_test_set
from tests.unit.service.core.backends import Clock, a_backend


async def test_run_is_told_when_it_changes(store: Store, queue: JobQueue) -> None:
    """The state comes at once, again when it changed, and not while it stays the same."""
    backend: Backend = a_backend(store, queue, Clock())
    record = await stored_run(store, run_spec(await stored_test_set(store, [query()])))
    told = []
    async for run in watch_run(backend, record.id, pause_s=0.01, for_s=1.0):
        told.append(run.cancel_requested)
        if len(told) == 1:
            await store.runs.request_cancel(backend.tenant, record.id)
        else:
            break
    assert told == [False, True]


async def test_watching_ends(store: Store, queue: JobQueue) -> None:
    """A run that goes on is watched for its time and no longer."""
    backend: Backend = a_backend(store, queue, Clock())
    record = await stored_run(store, run_spec(await stored_test_set(store, [query()])))
    told = [run.id async for run in watch_run(backend, record.id, pause_s=0.01, for_s=0.03)]
    assert told == [record.id]
