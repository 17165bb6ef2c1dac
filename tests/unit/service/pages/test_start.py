"""Starting a run from a page: the form, the probe before it, and the run."""

from typing import Any

import httpx
import pytest

from reteval.contract.api_keys import Scope
from service.errors import InvalidError
from service.pages.start import describe_endpoint, describe_run
from service.store.store import Store
from tests.factories import stored_key
from tests.unit.service.api.ended import TEST_SET

ADDRESS = "http://127.0.0.1:9/search"


async def test_form_becomes_a_run(client: httpx.AsyncClient) -> None:
    """What was filled in is what the run asks, and the browser is led to where to watch it."""
    await client.post("/v1/test-sets", json=TEST_SET)
    form = {"test_set": TEST_SET["name"], "url": ADDRESS, "label": "new", "metrics": "mrr, map"}
    answer = await client.post("/runs", data=form)
    assert answer.status_code == 303, answer.text
    run = (await client.get(f"/v1{answer.headers['location']}")).json()
    assert (run["label"], run["endpoint"]) == ("new", {"url": ADDRESS})


async def test_refused_form_is_kept_and_told_why(client: httpx.AsyncClient) -> None:
    """A refusal names the place, and nothing that was typed is lost but the secret."""
    form = {"test_set": "no such", "url": ADDRESS, "header": "X-Key", "value": "s3cret"}
    answer = await client.post("/runs", data={**form, "label": '"><b>'})
    assert answer.status_code == 404
    assert 'value="no such"' in answer.text
    assert 'value="&#34;&gt;&lt;b&gt;"' in answer.text
    assert "s3cret" not in answer.text
    answer = await client.post("/runs/probe", data={**form, "more": "[1]"})
    assert (answer.status_code, "/more" in answer.text) == (422, True)


async def test_what_forms_do_is_in_the_log(client: httpx.AsyncClient) -> None:
    """A run that a page started, and an address it would not call, are in the audit log."""
    made = await client.post("/v1/test-sets", json=TEST_SET)
    started = await client.post("/runs", data={"test_set": TEST_SET["name"], "url": ADDRESS})
    await client.post(
        "/runs", data={"test_set": TEST_SET["name"], "url": "http://169.254.169.254/"}
    )
    logs = [
        (await client.get(f"/v1/audit?log={log}")).json()["items"] for log in ("changes", "access")
    ]
    changed, refused = ([(row["event"], row["target"]) for row in log] for log in logs)
    run_id = started.headers["location"].removeprefix("/runs/")
    assert changed[:2] == [("run_created", run_id), ("test_set_created", made.json()["id"])]
    assert refused == [("egress_denied", "http://169.254.169.254")]


async def test_probe_is_shown_above_the_form(client: httpx.AsyncClient) -> None:
    """A probe that no worker has taken yet says so; the form stays as it was."""
    await client.post("/v1/test-sets", json=TEST_SET)
    form = {"test_set": TEST_SET["name"], "url": ADDRESS}
    patch = '{"endpoint": {"collapse_at": "#"}}'
    answer = await client.post("/runs/probe?wait=0", data={**form, "patch": patch})
    assert answer.status_code == 200, answer.text
    assert "has not ended yet" in answer.text
    assert "&#34;collapse_at&#34;: &#34;#&#34;" in answer.text


async def test_form_offers_what_is_there(client: httpx.AsyncClient) -> None:
    """Test sets and saved endpoints stand in the form; without a set, the next command does."""
    assert "reteval upload" in (await client.get("/runs/new")).text
    await client.post("/v1/test-sets", json=TEST_SET)
    await client.post("/v1/endpoints", json={"name": "mine", "endpoint": {"url": ADDRESS}})
    page = (await client.get("/runs/new?label=again&test_set=")).text
    assert f'<option value="{TEST_SET["name"]}">' in page
    assert '<option value="mine">' in page
    assert 'value="again"' in page


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"url": " http://x "}, {"url": "http://x"}),
        ({"saved": "mine", "header": "A", "value": "b"}, {"saved": "mine", "headers": {"A": "b"}}),
        ({"url": "u", "more": '{"hits": "h", "url": "v"}'}, {"url": "v", "hits": "h"}),
    ],
)
def test_endpoint_is_described_by_its_fields(
    fields: dict[str, str], expected: dict[str, Any]
) -> None:
    """Empty fields say nothing, and the JSON goes over the rest."""
    assert describe_endpoint(fields) == expected


def test_run_is_described_by_its_fields() -> None:
    """Metrics are split at commas and blanks; changed queries are asked for by their preset."""
    fields = {"test_set": "t", "url": "u", "metrics": "mrr, ndcg@10 map", "adversarial": "quick"}
    described = describe_run(fields)
    assert described["metrics"] == ["mrr", "ndcg@10", "map"]
    assert described["adversarial"] == {"preset": "quick"}
    with pytest.raises(InvalidError):
        describe_run({"more": "{"})


async def test_run_is_cancelled_from_its_page(guarded: httpx.AsyncClient, store: Store) -> None:
    """The button asks the run to stop; a key that only reads may not."""
    key = await stored_key(store, Scope.RUNS_WRITE, Scope.TEST_SETS_WRITE, Scope.RESULTS_READ)
    header = {"Authorization": f"Bearer {key}"}
    await guarded.post("/v1/test-sets", json=TEST_SET, headers=header)
    body = {"test_set": TEST_SET["name"], "endpoint": {"url": "https://search.example/"}}
    run = (await guarded.post("/v1/runs", json=body, headers=header)).json()["id"]
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    answer = await guarded.post(f"/runs/{run}/cancel", headers=header | form)
    assert answer.headers["location"] == f"/runs/{run}"
    assert (await guarded.get(f"/v1/runs/{run}", headers=header)).json()["cancel_requested"]
