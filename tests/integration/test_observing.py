"""What an operator sees of one run: one trace over API and workers, JSON lines, and numbers."""

import json
import urllib.request
from typing import Any

import pytest
from msgspec import Struct
from prometheus_client.parser import text_string_to_metric_families

from reteval import Client
from service.locks import wait_until
from tests.endpoint import serve_answers
from tests.service_process import run_service
from tests.spans import Span, install_exporter, read_spans

UNITS = {"plan", "000000", "000001", "000002", "end"}
QUERIES = [{"query": f"question {number}", "relevant_ids": ["d1"]} for number in range(30)]


class Seen(Struct, frozen=True):
    """What one run left behind in traces, logs and on the page of metrics."""

    run: str
    target: str
    spans: list[Span]
    lines: list[dict[str, Any]]
    page: str


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Seen:
    """Run three shards to the end, with two workers, everything switched on."""
    place = tmp_path_factory.mktemp("observed")
    environ = {"RETEVAL_LOG_LEVEL": "debug", "RETEVAL_SHARD_SIZE": "10"}
    with (
        run_service(place / "data", workers=2, **environ, **install_exporter(place)) as service,
        serve_answers(lambda _: (200, ["d1", "d2"])) as endpoint,
        Client(service.url) as client,
    ):
        test_set = client.upload({"name": "observed", "queries": QUERIES})
        run = client.run({"test_set": test_set.id, "endpoint": {"url": endpoint.url}})
        client.wait(run.id, timeout_s=60)
        interactive = 'reteval_workers{queue="interactive"} 1.0'
        assert wait_until(lambda: interactive in read_page(service.url), 30)
        page = read_page(service.url)
        target = endpoint.url.rpartition("/")[0]
    log = (place / "data.log").read_text().splitlines()
    lines = [json.loads(line) for line in log if not line.startswith("reteval: ")]
    return Seen(run.id, target, read_spans(place), lines, page)


def read_page(url: str) -> str:
    """Return the page of metrics."""
    with urllib.request.urlopen(f"{url}/metrics", timeout=5) as answer:  # noqa: S310 - our own
        return str(answer.read().decode())


def test_run_is_one_trace(seen: Seen) -> None:
    """Plan, shards and end are children of the request that asked for the run."""
    root = next(span for span in seen.spans if span.name == "createRun")
    units = [span for span in seen.spans if span.facts.get("reteval.job") == seen.run]
    children = [span for span in units if span.id != root.id]
    assert root.facts["reteval.job"] == seen.run
    assert (root.part, root.facts["http.response.status_code"]) == ("reteval-api", 202)
    assert sorted(span.name for span in children) == ["finalise", "plan", *["shard"] * 3]
    assert {(span.trace, span.parent, span.part) for span in children} == {
        (root.trace, root.id, "reteval-worker")
    }
    assert {span.facts["reteval.unit"] for span in children} == UNITS


def test_lines_of_a_job_name_it(seen: Seen) -> None:
    """Each line about the run says whose it is, which unit of it, and under which epoch."""
    of_run = [line for line in seen.lines if line.get("job") == seen.run and "unit" in line]
    assert {line["unit"] for line in of_run} == UNITS
    assert {line["tenant"] for line in of_run} == {"default"}
    assert len({line["epoch"] for line in of_run}) == 5
    finished = next(line for line in seen.lines if line["event"] == "run.finished")
    assert finished in of_run


def test_lines_of_a_request_name_it(seen: Seen) -> None:
    """Each line of the API has the request's id and its operation."""
    answered = [line for line in seen.lines if line["event"] == "request.answered"]
    created = next(line for line in answered if line["operation"] == "createRun")
    assert (len(created["request_id"]), created["status"]) == (32, 202)
    assert len({line["request_id"] for line in answered}) == len(answered)


def test_numbers_are_of_all_processes(seen: Seen) -> None:
    """The API's page has what the workers' forks counted, and who lives."""
    samples = {
        (sample.name, *sorted(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(seen.page)
        for sample in family.samples
    }
    outcome, target = ("outcome", "ok"), ("target", seen.target)
    assert samples[("reteval_requests_total", outcome, target)] == 30
    assert samples[("reteval_workers", ("queue", "runs"))] == 2
    assert samples[("reteval_workers", ("queue", "interactive"))] == 1
    assert samples[("reteval_jobs_ended_total", ("kind", "run"), ("status", "completed"))] == 1
    assert samples[("reteval_http_requests_total", ("operation", "createRun"), ("status", "202"))]
    assert samples[("reteval_reaper_actions_total", ("action", "round"))] >= 1
