"""Two teams with keys and what each route could be about, for tests of who may do what."""

from typing import Any

import httpx
from msgspec import Struct

from reteval.contract.api_keys import Scope
from service.store.keys import new_id
from service.store.store import Store
from tests.factories import stored_key
from tests.unit.service.api.ended import TEST_SET, end_run, run_body

SCOPES = tuple(scope for scope in Scope if scope is not Scope.ADMIN)
ADDRESS = "http://127.0.0.1:9/search"


class Belongings(Struct, frozen=True, kw_only=True):
    """Ids of one object of each kind, by the path parameter that stands for it."""

    of: dict[str, str]

    def put_into(self, path: str) -> str:
        """Return a path with ids in the place of its parameters."""
        return path.format(**self.of)


def bearer(token: str) -> dict[str, str]:
    """Return the header that carries a key."""
    return {"Authorization": f"Bearer {token}"}


async def own(client: httpx.AsyncClient, store: Store, path: str = "") -> Belongings:
    """Let the default team make what the parameters of a path stand for; without one, all."""
    mine = bearer(await stored_key(store, *SCOPES))

    async def made(route: str, body: Any) -> str:
        answer = await client.post(route, json=body, headers=mine)
        assert answer.is_success, answer.text
        return str(answer.json()["id"])

    ids = {
        "team_id": "default",
        "query_id": "q1",
        "test_set": await made("/v1/test-sets", TEST_SET),
    }
    for name, label in (("run_id", "shown"), ("hidden", "hidden")):
        ids[name] = await made("/v1/runs", run_body(label=label))
        await end_run(store, ids[name])
    pair = {"baseline": ids["run_id"], "candidate": ids["hidden"]}
    probe = {"endpoint": {"url": ADDRESS}, "queries": [{"query": "x"}]}
    others: dict[str, tuple[str, Any]] = {
        "link_id": (f"/v1/runs/{ids['run_id']}/links", {}),
        "key_id": ("/v1/keys", {"name": "k", "scopes": ["runs:read"]}),
        "grant_id": ("/v1/grants", {"to": "*", "label": "nothing has it"}),
        "comparison_id": ("/v1/comparisons", pair),
        "preview_id": ("/v1/adversarial/preview", {"queries": ["a text"]}),
        "probe_id": ("/v1/probes", probe),
        "check_id": ("/v1/leakage-checks", {"test_set": ids["test_set"]}),
        "ref": ("/v1/endpoints", {"name": "mine", "endpoint": {"url": ADDRESS}}),
        "webhook_id": ("/v1/webhooks", {"url": ADDRESS}),
        "judging_id": (
            "/v1/judgings",
            {"test_set": ids["test_set"], "endpoints": [{"url": ADDRESS}]},
        ),
        "suite": ("/v1/suites", {"name": "all", "test_sets": [TEST_SET["name"]]}),
    }
    for name, (route, body) in others.items():
        if not path or f"{{{name}}}" in path:
            ids[name] = await made(route, body)
    if not path or "{delivery_id}" in path:
        ids["delivery_id"] = await made(f"/v1/webhooks/{ids['webhook_id']}/ping", None)
    if not path or "{job_id}" in path:
        begun = await client.post(f"/v1/judgings/{ids['judging_id']}/pool", headers=mine)
        ids["job_id"] = begun.json()["job"]
    if not path or "{suite_run}" in path:
        body = {"name": "run", "test_sets": [TEST_SET["name"]]}
        suite = await made("/v1/suites", body)
        ids["suite_run"] = await made(f"/v1/suites/{suite}/runs", {"endpoint": {"url": ADDRESS}})
    return Belongings(of=ids)


def nothing() -> Belongings:
    """Return ids of the right form that nobody has."""
    prefixes = {
        "run_id": "run",
        "test_set": "ts",
        "link_id": "lnk",
        "key_id": "key",
        "grant_id": "gr",
        "comparison_id": "cmp",
        "preview_id": "prv",
        "probe_id": "prb",
        "check_id": "lk",
        "ref": "ep",
        "team_id": "team",
        "webhook_id": "wh",
        "judging_id": "jdg",
        "job_id": "jst",
        "delivery_id": "evt",
        "suite": "su",
        "suite_run": "srn",
        "query_id": "q",
    }
    return Belongings(of={name: new_id(prefix) for name, prefix in prefixes.items()})
