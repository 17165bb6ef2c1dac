"""Objects of every kind that is kept, complete."""

import msgspec

from reteval.contract.comparisons import ComparisonRequest
from reteval.contract.endpoints import Endpoint
from reteval.contract.leakage import LeakedPair, LeakPlace, PairSide
from reteval.contract.leaks import LeakKind
from reteval.contract.previews import PreviewRequest
from reteval.contract.probes import ProbeRequest
from reteval.contract.runs import RunStatus
from service.queue import INTERACTIVE
from service.store.keys import DEFAULT_TENANT, new_id
from service.store.records import ComparisonSpec, LeakageSpec, PreviewSpec, ProbeSpec
from service.store.store import Store
from tests.factories import query, run_spec, stored_run, stored_test_set
from tests.unit.service.api.ended import end_run

PAIR = LeakedPair(
    kind=LeakKind.EXACT,
    place=LeakPlace.WITHIN,
    query=PairSide(id="q1", text="reset"),
    other=PairSide(id="q2", text="Reset"),
)
REPORT = msgspec.json.encode({"text": "x" * 100})


async def keep_test_set(store: Store, *, name: str = "set") -> str:
    """Store a test set and return its id."""
    return (await stored_test_set(store, [query()], name=name)).id


async def keep_run(store: Store, *, name: str = "set") -> str:
    """Store an ended run with every part there is, and return its id."""
    spec = run_spec(await stored_test_set(store, [query()], name=name))
    await stored_run(store, spec)
    await end_run(store, spec.id)
    return spec.id


async def keep_comparison(
    store: Store, *, baseline: str = "run_a", candidate: str = "run_b"
) -> str:
    """Store an ended comparison and return its id."""
    spec = ComparisonSpec(
        id=new_id("cmp"),
        request=ComparisonRequest(baseline=baseline, candidate=candidate),
        code_version="0.1.0",
    )
    await store.comparisons.create(DEFAULT_TENANT, spec, content=spec.id, queue=INTERACTIVE)
    await end_job(store, spec.id)
    return spec.id


async def keep_probe(store: Store) -> str:
    """Store an ended probe and return its id."""
    spec = ProbeSpec(
        id=new_id("prb"),
        request=ProbeRequest(endpoint=Endpoint(url="http://a/")),
        test_set=None,
        code_version="0.1.0",
    )
    await store.probes.create(DEFAULT_TENANT, spec, secrets=b"sealed", queue=INTERACTIVE)
    await end_job(store, spec.id)
    return spec.id


async def keep_preview(store: Store) -> str:
    """Store an ended preview and return its id."""
    spec = PreviewSpec(
        id=new_id("prv"),
        request=PreviewRequest(queries=["one"]),
        test_set=None,
        language="",
        code_version="0.1.0",
    )
    await store.previews.create(DEFAULT_TENANT, spec, queue=INTERACTIVE)
    await end_job(store, spec.id)
    return spec.id


async def keep_leakage_check(store: Store) -> str:
    """Store an ended leakage check with a pair, and return its id."""
    spec = LeakageSpec(
        id=new_id("lk"), test_set="ts_1", against=None, run=None, code_version="0.1.0"
    )
    await store.leakage.create(DEFAULT_TENANT, spec, secrets=b"given", queue=INTERACTIVE)
    claim = await store.claims.claim(DEFAULT_TENANT, spec.id, owner="w", lease_s=30)
    assert claim is not None
    await store.journal.put_pairs(claim, [PAIR])
    await store.journal.finish(claim, status=RunStatus.COMPLETED, report=REPORT, error="")
    return spec.id


async def end_job(store: Store, job_id: str) -> None:
    """End a job that is no run."""
    claim = await store.claims.claim(DEFAULT_TENANT, job_id, owner="w", lease_s=30)
    assert claim is not None
    await store.journal.finish(claim, status=RunStatus.COMPLETED, report=REPORT, error="")
