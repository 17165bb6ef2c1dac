import re
from typing import Any

from msgspec import UNSET

from reteval import Client
from reteval.contract.hostile import HOSTILE_GROUPS
from tests.endpoint import Answer, serve_answers
from tests.engines import RAW, Engine, Match, as_typed, quote_tokens
from worker.adversarial.hostile_pack import CASES

PAGES = {
    case.name: " ".join(re.findall(r"\w+", case.clean or case.text))
    for case in CASES
    if not case.wraps
} | {"reset": "reset my password", "leave": "request annual leave"}
TEST_SET = {
    "name": "odd-strings",
    "queries": [
        {"query": "reset my password", "relevant_ids": ["reset"]},
        {"query": "request annual leave", "relevant_ids": ["leave"]},
    ],
}


def serve_with(match: Match) -> Answer:
    """Put a service in front of the index: an error of it is a 500."""
    engine = Engine(PAGES, tokenize=RAW, match=match)

    def answer(text: str) -> tuple[int, Any]:
        outcome = engine.answer(text)
        scores = outcome.scores or []
        hits = [{"id": doc, "score": score} for doc, score in zip(outcome.ids, scores, strict=True)]
        return outcome.http_status or 500, {"results": hits}

    return answer


def run_matrix(client: Client, match: Match) -> dict[str, str]:
    """Send every string to a live endpoint and return the verdicts by case."""
    made = client.upload(TEST_SET)
    with serve_answers(serve_with(match)) as endpoint:
        run = client.run(
            {
                "test_set": made.id,
                "endpoint": {"url": endpoint.url},
                "adversarial": {"kinds": ["control.repeat", *HOSTILE_GROUPS], "seed": 7},
                "limits": {"retries": 0},
            }
        )
        client.wait(run.id, timeout_s=60)
    report = client.results(run.id)
    assert report.status == "completed"
    assert report.adversarial is not UNSET
    assert report.adversarial.hostile is not UNSET
    assert run.planned.adversarial == report.adversarial.calls.planned
    return {case.case: case.verdict for case in report.adversarial.hostile}


def test_the_matrix_tells_two_services_apart(client: Client) -> None:
    """Every string crosses the wire and comes back: raw syntax breaks, quoted tokens do not."""
    raw, quoted = run_matrix(client, as_typed), run_matrix(client, quote_tokens)
    assert {raw[name] for name in ("quote.inch", "slash.word", "comma", "blank.empty")} == {
        "broken"
    }
    assert raw["nul"] == "ok"
    broken = {name for name, verdict in quoted.items() if verdict == "broken"}
    assert broken == {"blank.empty", "blank.spaces", "blank.ideographic", "nul"}
    assert len(raw) == len(quoted) == len(CASES)
