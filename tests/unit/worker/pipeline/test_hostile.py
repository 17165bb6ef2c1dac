import re
from collections import Counter
from collections.abc import Callable

import pytest
from msgspec import UNSET, structs

from reteval.contract.hostile import HOSTILE_CLEAN, HOSTILE_GROUPS, HostileCase
from reteval.contract.outcomes import FailureCode, Outcome, OutcomeStatus, PlannedRequest
from reteval.contract.runs import AdversarialRequest
from tests.engines import RAW, Engine, Match, as_typed, quote_tokens
from tests.unit.worker.pipeline.answers import (
    Sent,
    at_rank,
    failed,
    hits,
    many,
    perfect,
    query,
    report_on,
    send,
)
from worker.adversarial.hostile_pack import CASES

HOSTILE = AdversarialRequest(kinds=["control.repeat", *HOSTILE_GROUPS])
WITHOUT_CONTROL = AdversarialRequest(kinds=["hostile"])
PLAIN = [query("q0", "reset my password")]


def cases_of(evidence: Sent) -> dict[str, HostileCase]:
    """Report the strings of a run by name."""
    reported = report_on(evidence).hostile
    assert reported is not UNSET
    return {case.case: case for case in reported}


def verdict_on(name: str, answer: Outcome, clean: Outcome | None = None) -> str:
    """Judge one string by its answer and that of its plain words."""

    def endpoint(request: PlannedRequest) -> Outcome:
        if request.query_id != name:
            return perfect(request)
        return (clean or hits("a")) if request.kind == HOSTILE_CLEAN else answer

    return cases_of(send(PLAIN, endpoint, HOSTILE))[name].verdict


SLOW = hits("a", ms=2_001.0)
BAD_REQUEST = failed(FailureCode.HTTP_4XX, 400)


@pytest.mark.parametrize(
    ("name", "answer", "verdict"),
    [
        ("quote.inch", hits("a"), "ok"),
        ("quote.inch", hits(), "empty"),
        ("quote.inch", BAD_REQUEST, "broken"),
        ("quote.inch", failed(FailureCode.HTTP_5XX, 500), "broken"),
        ("quote.inch", failed(FailureCode.RESET), "broken"),
        ("quote.inch", failed(FailureCode.INVALID_JSON, 200), "broken"),
        ("quote.inch", failed(FailureCode.TIMEOUT), "slow"),
        ("quote.inch", SLOW, "slow"),
        ("quote.inch", failed(FailureCode.ENDPOINT_AUTH, 403), "blocked"),
        ("quote.inch", failed(FailureCode.RATE_LIMITED, 429), "blocked"),
        (
            "quote.inch",
            Outcome(status=OutcomeStatus.SKIPPED, code=FailureCode.CANCELLED),
            "not_run",
        ),
        ("nul", BAD_REQUEST, "ok"),
        ("nul", hits(), "ok"),
        ("nul", failed(FailureCode.HTTP_5XX, 500), "broken"),
        ("length.64k", failed(FailureCode.HTTP_4XX, 413), "ok"),
        ("length.64k", SLOW, "slow"),
        ("nfd.acute", hits("a"), "ok"),
        ("nfd.acute", hits("b"), "changed"),
        ("nfd.acute", hits(), "empty"),
        ("nfd.acute", BAD_REQUEST, "broken"),
        ("markup.bold", hits(), "ok"),
    ],
)
def test_verdicts(name: str, answer: Outcome, verdict: str) -> None:
    """Everyday punctuation must not be refused, what no one types may be; nothing may crash."""
    assert verdict_on(name, answer) == verdict


def test_nothing_to_find_is_no_fault() -> None:
    """Where the plain words have no hits either, an empty page is right."""
    assert verdict_on("quote.inch", hits(), clean=hits()) == "ok"
    assert verdict_on("nfd.acute", hits(), clean=hits()) == "ok"


def test_a_plain_query_that_failed_excuses_nothing() -> None:
    """An empty page stays a finding when there is nothing to hold it against."""
    assert verdict_on("quote.inch", hits(), clean=failed()) == "empty"


def test_a_wrapped_query_is_held_against_its_own_clean_request() -> None:
    """No second call: the clean query's hits are those expected."""

    def endpoint(request: PlannedRequest) -> Outcome:
        return hits() if request.query_id == "wrap.question" else perfect(request)

    cases = cases_of(send(PLAIN, endpoint, HOSTILE))
    asked = cases["wrap.question"]
    assert (asked.sent, asked.verdict, asked.clean_hits) == ("reset my password?", "empty", 1)
    unanswered = cases_of(send(PLAIN, lambda each: hits() if each.kind else perfect(each), HOSTILE))
    assert unanswered["wrap.question"].verdict == "empty"


def test_the_bounds_follow_the_clean_queries() -> None:
    """Five times their p95, at least 2 s, and the overlap that the control reaches."""
    slow = cases_of(send(many(3), lambda _: hits("a", ms=1_000.0), HOSTILE))
    assert {case.bound_ms for case in slow.values()} == {5_000.0}
    quick = cases_of(send(PLAIN, perfect, HOSTILE))
    assert {case.bound_ms for case in quick.values()} == {2_000.0}
    assert quick["nfd.acute"].rbo_at_least == 1.0
    alone = cases_of(send(PLAIN, perfect, WITHOUT_CONTROL))
    assert alone["nfd.acute"].rbo_at_least == 0.9


def test_a_long_string_is_shown_cut() -> None:
    """With the number of characters it had."""
    case = cases_of(send(PLAIN, perfect, HOSTILE))["length.token"]
    assert (len(case.sent), case.sent_chars) == (200, 2_000)


def test_hostile_strings_enter_no_drop() -> None:
    """They are counted among the calls and nowhere else."""
    report = report_on(send(PLAIN, perfect, WITHOUT_CONTROL))
    assert (report.kinds, report.summary.macro_drop) == ((), None)
    assert report.calls.planned == HOSTILE_GROUPS["hostile"]


def test_without_being_asked_for_there_is_no_matrix() -> None:
    """Absent means not run."""
    assert report_on(send(PLAIN, perfect)).hostile is UNSET


def test_a_case_this_version_does_not_know_is_left_out() -> None:
    """Stored requests of another suite may be scored again."""
    evidence = send(PLAIN, perfect, HOSTILE)
    renamed = [
        structs.replace(each, query_id="gone") if each.query_id == "nul" else each
        for each in evidence.plan
    ]
    assert "nul" not in cases_of(structs.replace(evidence, plan=renamed))


def index_with(match: Match) -> Callable[[PlannedRequest], Outcome]:
    """Serve pages that hold the plain words of every case, through SQLite's full-text index."""
    pages = {case.name: case.clean or case.text for case in CASES}
    pages = {name: " ".join(re.findall(r"\w+", text)) for name, text in pages.items()}
    engine = Engine({**pages, "reset": PLAIN[0].query}, tokenize=RAW, match=match)
    return lambda request: engine.answer(request.text)


def test_an_index_that_parses_raw_queries_breaks_on_everyday_punctuation() -> None:
    """Brackets, quotes, slashes, colons, commas, bare operators, blanks: a 500 for each."""
    cases = cases_of(send(PLAIN, index_with(as_typed), HOSTILE))
    broken = {name for name, case in cases.items() if case.verdict == "broken"}
    assert broken > {
        *("brace.open", "bracket.open", "operator.bare_or", "operator.trailing", "operator.name"),
        *("slash.word", "quote.inch", "apostrophe.inner", "colon.time", "hyphen.compound"),
        *("comma", "dot", "wildcard.leading", "operator.exclamation", "operator.plus"),
        *("blank.empty", "blank.spaces", "wrap.question"),
    }
    assert "nul" not in broken
    assert {cases[name].http for name in broken} == {500}
    assert cases["length.64k"].verdict == "ok"


def test_an_index_that_gets_quoted_tokens_breaks_on_three_things() -> None:
    """Nothing, blanks of any width, and U+0000, which passed before the repair."""
    cases = cases_of(send(PLAIN, index_with(quote_tokens), HOSTILE))
    verdicts = Counter(case.verdict for case in cases.values())
    broken = {name for name, case in cases.items() if case.verdict == "broken"}
    assert broken == {"blank.empty", "blank.spaces", "blank.ideographic", "nul"}
    assert verdicts["ok"] > 90


def test_a_case_sensitive_index_is_told_apart() -> None:
    """Boolean words in lower case must mean what they mean in capitals, or what words mean."""

    def endpoint(request: PlannedRequest) -> Outcome:
        return at_rank(request, 3) if request.text.islower() else perfect(request)

    assert cases_of(send(PLAIN, endpoint, HOSTILE))["operator.lower_case"].verdict == "changed"
