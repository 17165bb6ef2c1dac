"""JUnit as others parse it: the verdict's cases, and the queries that were asked for."""

import msgspec
import pytest
from junitparser import JUnitXml

from reteval.ci.junit import write_junit
from reteval.contract.gates import GateOutcome
from tests.unit.reteval.ci.evaluations import HOSTILE, a_row, an_evaluation, without_verdict


def test_queries_are_failures_under_a_verdict_that_is_not_pass() -> None:
    """The one that found nothing fails with what came instead; each has its latency."""
    parsed = JUnitXml.fromstring(write_junit(an_evaluation(), rows=2))
    *rules, queries = parsed
    assert (queries.name, queries.tests, queries.failures) == ("gate.queries", 2, 1)
    broken, found = queries
    assert broken.name == "q1: question q1"
    assert broken.result[0].text == "found: d9, d8"
    assert (found.result, found.system_out, found.time) == ([], "found: d1", 0.012)
    assert {one.name: one.value for one in queries.properties()}["run"] == "run_1"
    assert parsed.tests == sum(suite.tests for suite in rules) + 2
    assert parsed.failures == sum(suite.failures for suite in rules) + 1


def test_no_query_fails_under_a_gate_that_passes() -> None:
    """The file says no more than the verdict."""
    parsed = JUnitXml.fromstring(write_junit(an_evaluation(GateOutcome.PASS), rows=2))
    assert [suite.failures for suite in parsed][-1] == 0


@pytest.mark.parametrize("status", ["failed", "skipped"])
def test_query_without_an_answer_is_broken(status: str) -> None:
    """Its type is why."""
    row = a_row("q1", None, status=status, reason="timeout", latency_ms=None)
    parsed = JUnitXml.fromstring(write_junit(an_evaluation(worst=(row,), rankings={}), rows=1))
    (case,) = list(parsed)[-1]
    assert (case.result[0].type, case.result[0].text) == ("timeout", "found: nothing")


def test_document_is_the_services_own_unless_queries_are_asked_for() -> None:
    """Each rule is a case."""
    evaluation = an_evaluation()
    assert evaluation.verdict is not None
    parsed = JUnitXml.fromstring(write_junit(evaluation))
    assert parsed.tests == len(evaluation.verdict.rules)


def test_no_verdict_is_an_error() -> None:
    """There is one case, and it says why."""
    parsed = JUnitXml.fromstring(write_junit(without_verdict("no \x00 answer")))
    assert (parsed.tests, parsed.errors) == (1, 1)
    ((case,),) = parsed
    assert case.result[0].text == "no \N{REPLACEMENT CHARACTER} answer"


def test_hostile_words_are_text() -> None:
    """Whatever a query and its documents are called, the file can be parsed and shows it."""
    row = a_row("q1", 0.0, query=f"{HOSTILE}\x1b]]>")
    evaluation = msgspec.structs.replace(an_evaluation(), worst=(row,), rankings={"q1": ["</x>"]})
    (case,) = list(JUnitXml.fromstring(write_junit(evaluation, rows=1)))[-1]
    assert "<img src=x onerror=alert(1)>" in case.name
    assert case.result[0].text == "found: </x>"
