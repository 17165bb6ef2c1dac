"""The pytest plug-in in a run of pytest of its own, against a real service."""

import re
import subprocess
import sys
from pathlib import Path

import httpcore  # noqa: F401 - httpx imports it late, and a run within forgets what it imported
import pytest

from tests.endpoint import serve_answers

pytest_plugins = ["pytester"]

PAGE = Path(__file__).parents[2] / "docs" / "ci.md"
TEST_SET = """
QUESTIONS = {
    "name": "plugged",
    "queries": [{"query": f"question {n}", "relevant_ids": [f"doc-{n}"]} for n in range(6)],
}
"""
SEARCHES = f"""
import pytest
{TEST_SET}

def good(query, k):
    return ["doc-" + query.split()[1]][:k]

def half(query, k):
    return good(query, k) if int(query.split()[1]) % 2 else ["noise-1", "noise-2"]

@pytest.mark.retrieval(at_least={{"mrr": 0.9, "recall@5": 0.9}})
def test_good(retrieval_run):
    report = retrieval_run(good, QUESTIONS)
    assert set(report.metrics) == {{"mrr", "recall@5"}}
    assert report.label == "test_good"

@pytest.mark.retrieval(at_least={{"mrr": 0.9}})
def test_half(retrieval_run):
    retrieval_run(half, QUESTIONS)

@pytest.mark.retrieval(gate="gate.yaml")
def test_endpoint(retrieval_run):
    retrieval_run(ADDRESS, "plugged")

@pytest.mark.retrieval(at_least={{"mrr": 0.1}}, min_queries=50)
def test_few(retrieval_run):
    retrieval_run(good, "plugged")

def test_unbound(retrieval_run):
    assert retrieval_run(half, "plugged", metrics=["mrr"]).metrics["mrr"].mean == 0.5
"""


@pytest.fixture(autouse=True)
def _outside_of_pipelines(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a pipeline pytest repeats each failure in full at its end."""
    for name in ("CI", "BUILD_NUMBER"):
        monkeypatch.delenv(name, raising=False)


def start(pytester: pytest.Pytester, *words: str) -> pytest.RunResult:
    """Run pytest as a project does that has the client installed."""
    return pytester.runpytest_inprocess("-p", "pytest_reteval", "--strict-markers", *words)


def test_thresholds_are_held_and_the_worst_queries_shown(
    pytester: pytest.Pytester, service_url: str
) -> None:
    """A function and an endpoint pass or fail by marker and gate; a failure names what broke."""
    pytester.makefile(".yaml", gate="floors: [{metric: mrr, at_least: 0.9}]\n")
    with serve_answers(lambda text: (200, ["doc-" + text.split()[1]])) as endpoint:
        pytester.makepyfile(f"ADDRESS = {endpoint.url!r}\n" + SEARCHES)
        ended = start(pytester, "--reteval-url", service_url, "--reteval-required")
    ended.assert_outcomes(passed=3, failed=2)
    ended.stdout.fnmatch_lines(
        [
            "retrieval: FAIL (exit code 1)",
            "FAIL *mrr*0.9*",
            "worst queries by mrr:",
            "  0.000  question *  found: noise-1, noise-2",
        ]
    )
    assert ended.stdout.str().count("worst queries by mrr:") == 2
    assert "Traceback" not in ended.stdout.str()


def test_example_of_the_page_passes(pytester: pytest.Pytester, service_url: str) -> None:
    """What docs/ci.md shows is a test that runs."""
    (block,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    pytester.makepyfile(block)
    start(pytester, "--reteval-url", service_url).assert_outcomes(passed=1)


def test_without_a_service_tests_are_skipped_unless_one_is_required(
    pytester: pytest.Pytester,
) -> None:
    """The reason says what to do; with --reteval-required it is an error."""
    pytester.makepyfile("def test_search(retrieval_run): ...")
    nowhere = ("--reteval-url", "http://127.0.0.1:9")
    skipped = start(pytester, *nowhere, "-rs")
    skipped.assert_outcomes(skipped=1)
    skipped.stdout.fnmatch_lines(["*no reteval service answers at http://127.0.0.1:9*"])
    start(pytester, *nowhere, "--reteval-required").assert_outcomes(errors=1)


@pytest.mark.parametrize(
    ("marker", "said"),
    [
        ("at_most={'mrr': 1}", "*the marker is retrieval(at_least=*"),
        ("{'mrr': 1}", "*the marker is retrieval(at_least=*"),
        ("at_least={'mrr': 'high'}", "*Expected `float`, got `str`*at_least*"),
    ],
)
def test_marker_that_means_nothing_is_an_error(
    pytester: pytest.Pytester, service_url: str, marker: str, said: str
) -> None:
    """A misspelt threshold does not pass for one that holds."""
    pytester.makepyfile(
        f"import pytest\n@pytest.mark.retrieval({marker})\ndef test_search(retrieval_run): ..."
    )
    ended = start(pytester, "--reteval-url", service_url)
    ended.assert_outcomes(errors=1)
    ended.stdout.fnmatch_lines([said])


def test_start_of_pytest_is_not_slowed() -> None:
    """Loading the plug-in imports nothing of the client."""
    code = (
        "import sys, pytest_reteval; sys.exit('reteval' in sys.modules or 'httpx' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
