"""The examples in the client's docstrings run as printed, on a live service."""

import doctest
import importlib
import pkgutil
from typing import Any

import pytest

import reteval
from reteval import Client, Run, TestSet
from reteval.contract.rankings import Ranking

OPTIONS = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL
QUERIES = [
    {"id": "q1", "query": "first question", "relevant_ids": ["doc-1"]},
    {"id": "q2", "query": "second question", "relevant_ids": ["doc-2"]},
]


def examples() -> list[doctest.DocTest]:
    """Every docstring of the package that has an example."""
    finder = doctest.DocTestFinder(exclude_empty=True)
    modules = pkgutil.walk_packages(reteval.__path__, "reteval.")
    return [
        test
        for found in modules
        for test in finder.find(importlib.import_module(found.name), found.name)
        if test.examples
    ]


@pytest.fixture(scope="module")
def test_set(service_url: str) -> TestSet:
    """The test set that examples speak of."""
    with Client(service_url) as client:
        return client.upload({"name": "docstrings", "queries": QUERIES})


@pytest.fixture(scope="module")
def run(service_url: str, test_set: TestSet) -> Run:
    """The run that examples speak of: the first query finds its document second."""
    rankings = [Ranking(query_id=one["id"], ids=["doc-2", "doc-1"]) for one in QUERIES]
    with Client(service_url) as client:
        made = client.score_rankings({"test_set": test_set.id, "metrics": ["mrr"]}, rankings)
        return client.wait(made.id, timeout_s=30)


@pytest.mark.parametrize("example", examples(), ids=lambda test: test.name)
def test_example_runs_as_printed(
    example: doctest.DocTest, client: Client, test_set: TestSet, run: Run
) -> None:
    """Each example prints what its docstring says."""
    given: dict[str, Any] = {"client": client, "test_set": test_set, "run": run}
    example.globs.update(given)
    said: list[str] = []
    runner = doctest.DocTestRunner(optionflags=OPTIONS)
    runner.run(example, out=said.append)
    assert runner.failures == 0, "".join(said)


def test_main_walk_has_examples() -> None:
    """The methods of a newcomer's way each show one."""
    shown = {test.name.rpartition(".")[2] for test in examples()}
    assert {"upload", "wait", "results", "evaluate", "gate", "Rows"} <= shown
