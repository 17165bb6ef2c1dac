"""The command that prints a history."""

import httpx
import msgspec
import pytest

from reteval.contract.history import Trend
from tests.unit.reteval.cli.test_command import command
from tests.unit.reteval.documents import answer
from tests.unit.reteval.trends import a_trend

LINES = b'{"run":"run_1","label":"a","mrr":0.5}\n{"run":"run_2","label":"b","mrr":0.1}\n'


def test_history_is_a_table_a_series() -> None:
    """Each series has its own table; a run without a number says why."""
    code, out, err, service = command(
        "history",
        "docs",
        "--metric",
        "RR",
        "--label",
        "a",
        "--limit",
        "9",
        answers=[answer(a_trend())],
    )
    expected = """\
mrr over the runs of docs

version 2 (ts_1), relevant from 1, http://search.example/query
time                 label      mean        interval   n  run    status
2026-01-01T00:00:00  baseline  0.810  0.740 .. 0.880  49  run_1  completed
2026-01-01T00:00:00                -               -   0  run_2  failed: no_answers
"""
    assert (0, expected, "") == (code, out, err)
    assert {"test_set": "docs", "metric": "RR", "label": "a", "limit": "9"} == dict(
        service.requests[0].url.params
    )


@pytest.mark.parametrize(
    ("trend", "said"),
    [
        (a_trend(series=(), metric=None), "docs: no run has ended\n"),
        (a_trend(metric=None), "no metric over the runs of docs\n"),
    ],
)
def test_history_of_nothing(trend: Trend, said: str) -> None:
    """No ended run, and runs without any number."""
    _, out, _, _ = command("history", "docs", answers=[answer(trend)])
    assert out.startswith(said)


def test_history_as_json() -> None:
    """The document is all that is printed."""
    _, out, _, _ = command("history", "docs", "--json", answers=[answer(a_trend())])
    assert a_trend() == msgspec.json.decode(out, type=Trend)


def test_history_as_lines_keeps_their_keys_in_order() -> None:
    """The flat lines are printed as the service wrote them."""
    code, out, _, service = command(
        "history", "docs", "--jsonl", answers=[httpx.Response(200, content=LINES)]
    )
    assert (0, LINES.decode()) == (code, out)
    assert "/v1/history.jsonl" == service.requests[0].url.path


@pytest.mark.parametrize("option", ["--metric", "--label", "--limit"])
def test_history_lines_are_not_filtered(option: str) -> None:
    """An option that would be ignored is refused."""
    code, _, err, _ = command("history", "docs", "--jsonl", option, "1", answers=[])
    assert 2 == code
    assert "leave the other options out" in err
