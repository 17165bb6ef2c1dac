import httpx

from service.api.hot import KEPT_S, HotAnswers, Known
from service.store.keys import DEFAULT_TENANT
from service.store.store import Store

KNOWN = Known(b"{}", '"tag"')


class Clock:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        """Return the time."""
        return self.now


def test_answer_is_kept_for_a_second() -> None:
    """Within it the answer is there, for whoever asked and for nobody else; after it not."""
    clock = Clock()
    hot = HotAnswers(clock)
    hot.keep("a", "run_1", "state", KNOWN)
    clock.now = KEPT_S * 0.99
    assert hot.find("a", "run_1", "state") == KNOWN
    assert hot.find("b", "run_1", "state") is None
    assert hot.find("a", "run_1", "results") is None
    clock.now = KEPT_S
    assert hot.find("a", "run_1", "state") is None


def test_answers_are_few_and_small() -> None:
    """Memory is bounded: the oldest goes, a large one is not kept."""
    hot = HotAnswers(Clock())
    for number in range(1_000):
        hot.keep("a", f"run_{number}", "state", KNOWN)
    assert hot.find("a", "run_999", "state") == KNOWN
    assert hot.find("a", "run_0", "state") is None
    large = Known(b"x" * 10_000_000, '"large"')
    assert hot.keep("a", "large", "state", large) is large
    assert hot.find("a", "large", "state") is None


async def test_deleted_run_is_gone_at_once(client: httpx.AsyncClient, ended_run: str) -> None:
    """The process that deletes a run answers nothing of it any more."""
    for part in ("", "/results"):
        assert (await client.get(f"/v1/runs/{ended_run}{part}")).status_code == 200
    assert (await client.delete(f"/v1/runs/{ended_run}")).status_code == 204
    for part in ("", "/results"):
        assert (await client.get(f"/v1/runs/{ended_run}{part}")).status_code == 404


async def test_store_is_asked_once(client: httpx.AsyncClient, store: Store, ended_run: str) -> None:
    """A second reader within the second gets the same bytes, though the store has them no more."""
    paths = [f"/v1/runs/{ended_run}", f"/v1/runs/{ended_run}/results"]
    first = [(await client.get(path)).content for path in paths]
    await store.runs.delete(DEFAULT_TENANT, ended_run)
    assert [(await client.get(path)).content for path in paths] == first
