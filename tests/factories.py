"""Small valid things that tests change one part of."""

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

import msgspec

from reteval.contract.api_keys import Scope
from reteval.contract.endpoints import Endpoint
from reteval.contract.outcomes import Outcome
from reteval.contract.runs import Estimate, RunRequest, TestSetRef
from reteval.contract.teams import Team
from reteval.contract.testsets import Judgment, Query, Scale, TestSet, TestSetStats
from reteval.contract.tokens import KEY, SECRET_CHARS, spell_token
from service.core.keyring import digest_token
from service.queue import RUNS
from service.store.api_keys import ApiKeyRecord
from service.store.keys import DEFAULT_TENANT, new_id
from service.store.records import RunRecord, RunSpec, TestSetDraft
from service.store.store import Store


def query(text: str = "reset my password", **grades: int) -> Query:
    """Return a normalised query whose keyword arguments are its judgments."""
    judged = grades or {"d1": 1}
    return Query(
        id=f"q-{text}", query=text, relevant=[Judgment(doc, grade) for doc, grade in judged.items()]
    )


def draft(queries: Sequence[Query], *, name: str = "set", content: str = "") -> TestSetDraft:
    """Return a draft that counts the queries as scorable."""
    stats = TestSetStats(
        queries=len(queries),
        scorable=len(queries),
        unscorable=0,
        expect_nothing=0,
        variants=0,
        judgments=len(queries),
        grades={"1": len(queries)},
    )
    return TestSetDraft(
        name=name,
        hash=f"sha256:{content or name}",
        scale=Scale(),
        relevant_from=1,
        language="",
        id_rule="",
        allow_unscorable=False,
        stats=stats,
        warnings=(),
    )


async def stored_test_set(
    store: Store, queries: Sequence[Query], *, name: str = "set", content: str = ""
) -> TestSet:
    """Commit queries as a test set."""
    staging = await store.test_sets.stage(DEFAULT_TENANT)
    await staging.write(list(queries))
    made, _ = await store.test_sets.commit(
        DEFAULT_TENANT,
        staging,
        draft(queries, name=name, content=content),
        created_at="2026-11-30T00:00:00+00:00",
    )
    return made


def run_spec(
    test_set: TestSet,
    *,
    url: str = "http://127.0.0.1:9/search",
    label: str = "",
    headers: Mapping[str, str] | None = None,
    meta: Mapping[str, str] | None = None,
) -> RunSpec:
    """Return the spec of a plain run over a test set."""
    return RunSpec(
        id=new_id("run"),
        request=RunRequest(
            test_set=test_set.id,
            endpoint=Endpoint(url=url, headers=dict(headers or {})),
            label=label,
            meta=dict(meta or {}),
        ),
        test_set=TestSetRef(
            id=test_set.id, name=test_set.name, version=test_set.version, hash=test_set.hash
        ),
        depth=10,
        metrics=("mrr",),
        planned=Estimate(clean=test_set.stats.scorable, adversarial=0),
        egress="loopback",
        code_version="0.1.0",
    )


async def in_parts(outcomes: Sequence[Outcome], *, size: int = 3) -> AsyncIterator[list[Outcome]]:
    """Yield outcomes a few at a time, as they come from shards."""
    for start in range(0, len(outcomes), size):
        yield [*outcomes[start : start + size]]


async def stored_run(store: Store, spec: RunSpec) -> RunRecord:
    """Create a run without secrets."""
    record, _ = await store.runs.create(
        DEFAULT_TENANT, spec, secrets=None, idempotency=None, queue=RUNS
    )
    return record


def api_key(*scopes: Scope, team: str = DEFAULT_TENANT, **changes: Any) -> tuple[str, ApiKeyRecord]:
    """Return the token of a key and its record; it opens until 2100."""
    key_id = new_id("key")
    token = spell_token(KEY, key_id.removeprefix("key_"), "s" * SECRET_CHARS)
    record = ApiKeyRecord(
        id=key_id,
        team=team,
        name="a key",
        scopes=scopes,
        last4=token[-4:],
        digest=digest_token(token),
        created_ms=1_000,
        created_by="key_maker",
        expires_ms=4_102_444_800_000,
    )
    return token, msgspec.structs.replace(record, **changes)


async def stored_key(store: Store, *scopes: Scope, **changes: Any) -> str:
    """Store a key, with its team if that is a new one, and return its token."""
    token, record = api_key(*scopes, **changes)
    if not await store.teams.has(record.team):
        await store.teams.create(Team(id=record.team, name=record.team, created_at=""))
    await store.api_keys.create(record)
    if record.revoked_ms is not None:
        await store.api_keys.revoke(record.id, record.revoked_ms)
    return token
