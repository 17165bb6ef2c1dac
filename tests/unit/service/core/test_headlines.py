"""Headlines of listed runs."""

from reteval.contract.runs import RunStatus
from service.core.headlines import Headline, read_headlines
from service.queue import JobQueue
from service.store.store import Store
from tests.unit.reteval.documents import a_run, a_summary
from tests.unit.service.api.scored import scored_run
from tests.unit.service.core.backends import a_backend


async def test_ended_runs_have_headlines(store: Store, queue: JobQueue) -> None:
    """The headline is nDCG@10 where it was measured; a run that is gone or goes on has none."""
    metrics = {"mrr": a_summary(0.5), "ndcg@10": a_summary(0.25)}
    ended = a_run(id=await scored_run(store, metrics=metrics), status=RunStatus.COMPLETED)
    failed = {"metrics": None, "reason": "endpoint_down", "status": RunStatus.FAILED}
    broken = a_run(id=await scored_run(store, name="b", **failed), status=RunStatus.FAILED)
    gone = a_run(id="run_gone", status=RunStatus.COMPLETED)
    listed = [ended, broken, gone, a_run(id="run_waits")]
    assert await read_headlines(a_backend(store, queue), listed) == {
        ended.id: Headline(metric="ndcg@10", summary=a_summary(0.25)),
        broken.id: Headline(reason="endpoint_down"),
    }
