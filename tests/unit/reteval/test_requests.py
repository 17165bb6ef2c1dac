import httpx
import pytest

from reteval import _decision_calls, _run_calls, _test_set_calls
from reteval._local import score_rankings
from reteval._requests import Call, next_page, segment, with_key
from reteval._transport import find_target, request_of
from reteval.contract.endpoints import Endpoint
from reteval.contract.rankings import Ranking
from reteval.contract.runs import AdversarialRequest, RunPage, RunRequest

CALLS = [
    (_test_set_calls.get_test_sets(), "GET", "/v1/test-sets", {}),
    (_test_set_calls.get_test_sets(5), "GET", "/v1/test-sets", {"limit": "5"}),
    (_test_set_calls.get_test_set("a b/c"), "GET", "/v1/test-sets/a%20b%2Fc", {}),
    (_test_set_calls.get_queries("ts_1", 5), "GET", "/v1/test-sets/ts_1/queries", {"limit": "5"}),
    (_test_set_calls.delete_test_set("ts_1"), "DELETE", "/v1/test-sets/ts_1", {}),
    (
        _run_calls.get_runs(test_set="docs", label="b", status="failed", limit=9),
        "GET",
        "/v1/runs",
        {"test_set": "docs", "label": "b", "status": "failed", "limit": "9"},
    ),
    (_run_calls.get_run("run_1"), "GET", "/v1/runs/run_1", {}),
    (_run_calls.get_run("run_1", 20), "GET", "/v1/runs/run_1", {"wait": "20"}),
    (_run_calls.cancel_run("run_1"), "POST", "/v1/runs/run_1/cancel", {}),
    (_run_calls.delete_run("run_1"), "DELETE", "/v1/runs/run_1", {}),
    (_run_calls.get_results("run_1"), "GET", "/v1/runs/run_1/results", {}),
    (_run_calls.get_results_document("run_1"), "GET", "/v1/runs/run_1/results", {}),
    (
        _run_calls.get_query_rows("run_1", sort="-mrr", slice_name="tag:faq", status="ok", limit=3),
        "GET",
        "/v1/runs/run_1/queries",
        {"sort": "-mrr", "slice": "tag:faq", "status": "ok", "limit": "3"},
    ),
    (_run_calls.get_outcomes("run_1"), "GET", "/v1/runs/run_1/outcomes", {}),
    (
        _run_calls.get_variants("run_1", "typo.mixed"),
        "GET",
        "/v1/runs/run_1/variants",
        {"kind": "typo.mixed"},
    ),
    (_test_set_calls.get_history("docs"), "GET", "/v1/history.jsonl", {"test_set": "docs"}),
    (_decision_calls.get_comparison("cmp_1", 5), "GET", "/v1/comparisons/cmp_1", {"wait": "5"}),
    (_decision_calls.post_comparison({}, 5), "POST", "/v1/comparisons", {"wait": "5"}),
    (_decision_calls.post_comparison({}), "POST", "/v1/comparisons", {}),
    (_decision_calls.post_power({}), "POST", "/v1/power", {}),
    (
        _decision_calls.post_gate(("a/b", b""), bytes, {"run": "run_1"}, 5),
        "POST",
        "/v1/gates/evaluate",
        {"run": "run_1", "wait": "5"},
    ),
    (_run_calls.get_export("run_1", "trec"), "GET", "/v1/runs/run_1/export", {"format": "trec"}),
]


@pytest.mark.parametrize(("call", "method", "path", "params"), CALLS)
def test_call_for_each_route(
    call: Call[object], method: str, path: str, params: dict[str, str]
) -> None:
    """Each function builds its route, sends only the parameters given, and may be repeated."""
    assert (method, path, params, True) == (call.method, call.path, call.params, call.repeatable)


def test_post_run_from_a_struct() -> None:
    """A run goes as JSON under its idempotency key."""
    request = RunRequest(
        test_set="docs",
        endpoint=Endpoint(url="http://search.example/q"),
        adversarial=AdversarialRequest(seed=7),
    )
    call = _run_calls.post_run(request, "key-1")
    expected = (
        b'{"endpoint":{"url":"http://search.example/q"},"label":"",'
        b'"metrics":[],"k_values":[1,3,5,10],"depth":null,"meta":{},"adversarial":{"seed":7},'
        b'"limits":{"concurrency":16,"rate_per_s":null,"timeout_s":10.0,"retries":2,'
        b'"max_error_rate":0.0,"max_response_bytes":5000000,"window":null,"workers":null},"repeat":1,'
        b'"interval":"auto","split":"","test_set":"docs"}'
    )
    assert expected == call.content
    assert {"content-type": "application/json", "idempotency-key": "key-1"} == call.headers


def test_get_run_is_patient_when_the_answer_is_held() -> None:
    """The time the service holds an answer is added to the time it may take."""
    assert (0.0, 20.0) == (
        _run_calls.get_run("run_1").extra_s,
        _run_calls.get_run("run_1", 20).extra_s,
    )


def test_next_page_keeps_the_filters() -> None:
    """The following page is asked for with the same filters and the cursor; the last has none."""
    first = _run_calls.get_runs(label="b")
    second = next_page(first, RunPage(items=(), next_cursor="c1"))
    assert second is not None
    assert {"label": "b", "cursor": "c1"} == second.params
    assert next_page(second, RunPage(items=())) is None


@pytest.mark.parametrize("text", ["", ".", ".."])
def test_segment_refuses_what_changes_the_path(text: str) -> None:
    """An empty id never turns reading one run into listing all, or deleting into something else."""
    with pytest.raises(ValueError, match="no id or name"):
        segment(text)


def test_keyed_parts_are_delimited_alike() -> None:
    """The service compares a repeated body byte by byte: a multipart one has one boundary."""
    call = with_key(score_rankings({"test_set": "docs"}, [Ranking(query_id="q", ids=["d"])]), "k1")
    target = find_target(None, "", {})
    with httpx.Client() as http:
        sent = [http.build_request(**request_of(call, target, 1.0)) for _ in range(2)]
    assert sent[0].headers["content-type"] == "multipart/form-data; boundary=k1"
    assert sent[0].read() == sent[1].read()
    assert sent[0].headers["idempotency-key"] == "k1"
    assert (call.repeatable, call.keyed) == (True, False)
