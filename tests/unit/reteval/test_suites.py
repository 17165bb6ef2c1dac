"""Splits and suites of both clients: a call each, and waiting for all of a suite's run."""

import json
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from reteval import ConflictError, RunStatus, WaitTimeoutError
from reteval.contract.suites import SuitePage, SuiteRunPage
from tests.unit.reteval.documents import Script, answer, problem
from tests.unit.reteval.suite_documents import HEAD, SPLIT, SUITE, a_suite_run
from tests.unit.reteval.test_webhooks import awaited, in_sync

both = pytest.mark.parametrize("calls", [in_sync, awaited])
Work = Callable[[Any], Any]
RUN = a_suite_run()


@both
@pytest.mark.parametrize(
    ("work", "document", "request_line"),
    [
        (lambda c: c.split("docs", seed=7), SPLIT, "POST /v1/test-sets/docs/splits"),
        (lambda c: c.create_suite({"name": "search"}), SUITE, "POST /v1/suites"),
        (lambda c: c.suite("search"), SUITE, "GET /v1/suites/search"),
        (lambda c: c.run_suite("search", {}), RUN, "POST /v1/suites/search/runs"),
        (lambda c: c.suite_run("srn_1", wait=3), RUN, "GET /v1/suite-runs/srn_1"),
        (lambda c: c.cancel_suite("srn_1"), RUN, "POST /v1/suite-runs/srn_1/cancel"),
    ],
)
def test_each_method_is_one_call(
    calls: Callable[..., Any], work: Work, document: Any, request_line: str
) -> None:
    """The route is called and its answer read."""
    service = Script([answer(document)])
    assert calls(service, work) == document
    assert [f"{sent.method} {sent.url.path}" for sent in service.requests] == [request_line]


@both
def test_a_split_sends_what_it_was_asked_for(calls: Callable[..., Any]) -> None:
    """Share, seed and strata, with the service's own defaults for the rest."""
    service = Script([answer(SPLIT)])
    calls(service, lambda client: client.split("docs", holdout=0.2, stratify_by=("source",)))
    sent = {"holdout": 0.2, "seed": 0, "stratify_by": ["source"]}
    assert json.loads(service.bodies[0]) == sent


@both
def test_lists_are_walked_to_their_end(calls: Callable[..., Any]) -> None:
    """Pages follow each other."""
    pages = [answer(SuitePage(items=(SUITE,), next_cursor="n")), answer(SuitePage(items=(SUITE,)))]
    assert list(calls(Script(pages), lambda client: client.suites(limit=1))) == [SUITE, SUITE]
    runs = Script([answer(SuiteRunPage(items=(HEAD,)))])
    assert list(calls(runs, lambda client: client.suite_runs("search"))) == [HEAD]


@both
def test_delete_answers_nothing(calls: Callable[..., Any]) -> None:
    """An empty answer is what is expected."""
    service = Script([httpx.Response(204)])
    assert calls(service, lambda client: client.delete_suite("search")) is None


@both
def test_waiting_ends_with_the_last_run(calls: Callable[..., Any]) -> None:
    """The state is asked for until it is terminal; each one seen is shown."""
    running = a_suite_run(RunStatus.RUNNING, poll_after_s=0.0)
    service = Script([answer(running), answer(running), answer(RUN)])
    seen: list[RunStatus] = []
    work = lambda client: client.wait_suite(  # noqa: E731 - one word
        "srn_1", on_progress=lambda run: seen.append(run.status)
    )
    assert calls(service, work) == RUN
    assert seen == [RunStatus.RUNNING, RunStatus.RUNNING, RUN.status]


@both
def test_waiting_may_be_bounded(calls: Callable[..., Any]) -> None:
    """What had not ended is named, with how far it is."""
    service = Script([answer(a_suite_run(RunStatus.RUNNING))])
    with pytest.raises(WaitTimeoutError, match=r"'srn_1' is running after 0 s \(50 of 100"):
        calls(service, lambda client: client.wait_suite("srn_1", timeout_s=0))


@both
def test_starting_under_a_key_is_repeated_under_it(calls: Callable[..., Any]) -> None:
    """The key is the caller's where one is given."""
    service = Script([httpx.ReadError("reset"), problem(409, "name_taken")])
    with pytest.raises(ConflictError):
        calls(service, lambda client: client.run_suite("s", {}, idempotency_key="mine"))
    assert [sent.headers["idempotency-key"] for sent in service.requests] == ["mine", "mine"]
