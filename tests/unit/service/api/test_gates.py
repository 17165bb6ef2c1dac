import httpx
import pytest

from service.store.store import Store
from tests.unit.service.api.scored import new_run, scored_run

PATH = "/v1/gates/evaluate"
FLOOR = {"floors": [{"metric": "mrr", "at_least": 0.6}]}
YAML_GATE = "floors:\n  - {metric: RR, at_least: 0.6}\n"


async def test_verdict_as_json(client: httpx.AsyncClient, store: Store) -> None:
    """The verdict stands in the body, its exit code in a header too."""
    run = await scored_run(store)
    answer = await client.post(PATH, json={"run": run, **FLOOR})
    body = answer.json()
    assert (answer.status_code, body["verdict"], body["exit_code"]) == (200, "pass", 0)
    assert answer.headers["X-Reteval-Exit-Code"] == "0"
    assert body["gate"]["min_queries"] == 1


@pytest.mark.parametrize(
    ("form", "media", "start"),
    [
        ("json", "application/json", "{"),
        ("text", "text/plain; charset=utf-8", "gate: FAIL"),
        ("junit", "application/xml", "<?xml"),
        ("markdown", "text/markdown; charset=utf-8", "<!-- reteval-gate -->"),
    ],
)
async def test_verdict_in_every_form(
    client: httpx.AsyncClient, store: Store, form: str, media: str, start: str
) -> None:
    """Each form has its media type; a failed gate is still an answer of 200."""
    run = await scored_run(store)
    body = {"run": run, "floors": [{"metric": "mrr", "at_least": 0.7}]}
    answer = await client.post(PATH, params={"format": form}, json=body)
    assert (answer.status_code, answer.headers["Content-Type"]) == (200, media)
    assert answer.headers["X-Reteval-Exit-Code"] == "1"
    assert answer.text.startswith(start)


@pytest.mark.parametrize("media", ["application/yaml", "application/x-yaml", "text/yaml"])
async def test_gate_in_yaml(client: httpx.AsyncClient, store: Store, media: str) -> None:
    """A YAML file is sent as it is; what it leaves open stands in the query."""
    run = await scored_run(store)
    headers = {"Content-Type": media}
    answer = await client.post(PATH, params={"run": run}, content=YAML_GATE, headers=headers)
    assert answer.json()["verdict"] == "pass"


async def test_query_goes_before_the_body(client: httpx.AsyncClient, store: Store) -> None:
    """Run and baseline of the query replace those of the file."""
    before = await scored_run(store, label="live", branch="main")
    await scored_run(store, label="live", branch="topic")
    after = await scored_run(store, branch="main")
    body = {
        "run": "run_none",
        "baseline": "run_none",
        "drops": [{"metric": "map", "max_drop": 0}],
    }
    named = {"baseline_label": "live", "baseline_branch": "main"}
    for chosen in ({"baseline": before}, {"baseline_branch": "main"}, named):
        answer = await client.post(PATH, params={"run": after, **chosen}, json=body)
        found = answer.json()
        assert (found["run"]["id"], found["baseline"]["id"]) == (after, before)
    for name, text in named.items():
        both = {"run": after, "baseline": before, name: text}
        assert (await client.post(PATH, params=both, json=body)).status_code == 422
    sure = {"run": after, "baseline_branch": "gone", "require_conclusive": "true"}
    strict = (await client.post(PATH, params=sure, json=body)).json()
    assert strict["gate"]["require_conclusive"]
    assert strict["rules"][-1]["reason"] == "no_baseline"
    assert "has the branch 'gone'" in strict["rules"][-1]["message"]


async def test_what_has_not_ended_is_202(client: httpx.AsyncClient, store: Store) -> None:
    """An unfinished run or comparison is named, with when to ask again."""
    running = await new_run(store)
    answer = await client.post(PATH, params={"format": "junit"}, json={"run": running.id, **FLOOR})
    assert (answer.status_code, answer.headers["Retry-After"]) == (202, "1")
    assert answer.json()["waiting_for"] == [running.id]
    before, after = await scored_run(store), await scored_run(store)
    body = {"run": after, "baseline": before, "drops": [{"metric": "mrr", "max_drop": 0.1}]}
    pending = await client.post(PATH, json=body)
    assert pending.status_code == 202
    (comparison,) = pending.json()["waiting_for"]
    again = await client.post(PATH, params={"comparison": comparison}, json={**FLOOR})
    assert again.json()["links"] == {comparison: f"/v1/comparisons/{comparison}"}


async def test_what_is_refused(client: httpx.AsyncClient, store: Store) -> None:
    """Broken files, unknown fields, media and runs answer problems, never verdicts."""
    run = await scored_run(store)
    answers = [
        await client.post(PATH, json={"run": run, "floor": []}),
        await client.post(PATH, json={"run": "run_none", **FLOOR}),
        await client.post(PATH, content="a: &a", headers={"Content-Type": "text/yaml"}),
        await client.post(PATH, content="a", headers={"Content-Type": "text/plain"}),
        await client.post(PATH, params={"format": "html"}, json={"run": run, **FLOOR}),
    ]
    found = [(answer.status_code, answer.json()["code"]) for answer in answers]
    assert found == [
        (422, "invalid"),
        (404, "not_found"),
        (400, "malformed_text"),
        (415, "unsupported_media_type"),
        (422, "invalid"),
    ]
    assert answers[0].json()["errors"][0]["pointer"] == "/floor"
    assert not any("X-Reteval-Exit-Code" in answer.headers for answer in answers)
