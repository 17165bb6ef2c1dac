import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.breaking import find_breaks

ROOT = Path(__file__).parents[2]
Change = Callable[[dict[str, Any]], object]


def read(path: str) -> Any:
    """Read a document of the project."""
    return yaml.load((ROOT / path).read_text(), Loader=yaml.CSafeLoader)


@pytest.fixture(scope="module")
def document() -> Any:
    """Return the committed document."""
    return read("openapi.yaml")


def test_nothing_breaks_clients_of_the_last_release(document: Any) -> None:
    """What a client of the last release sends is read, and what it reads is answered."""
    assert find_breaks(read("docs/api/v1.yaml"), document) == []


def schema(document: dict[str, Any], name: str) -> Any:
    """Return a schema, to be changed."""
    return document["components"]["schemas"][name]


def operation(document: dict[str, Any], path: str, method: str) -> Any:
    """Return an operation, to be changed."""
    return document["paths"][path][method]


BREAKS: dict[str, Change] = {
    "GET /v1/history: gone": lambda d: d["paths"].pop("/v1/history"),
    "GET /v1/runs: answers 200 no more": lambda d: operation(d, "/v1/runs", "get")["responses"].pop(
        "200"
    ),
    "GET /v1/runs: parameter label is gone": lambda d: operation(d, "/v1/runs", "get")[
        "parameters"
    ].__delitem__(
        [one["name"] for one in operation(d, "/v1/runs", "get")["parameters"]].index("label")
    ),
    "GET /v1/runs: parameter label is required now": lambda d: [
        one.update(required=True)
        for one in operation(d, "/v1/runs", "get")["parameters"]
        if one["name"] == "label"
    ],
    "GET /v1/runs parameter limit: maximum is 7 now": lambda d: [
        one["schema"].update(maximum=7)
        for one in operation(d, "/v1/runs", "get")["parameters"]
        if one["name"] == "limit"
    ],
    "POST /v1/runs 202: header Location is gone": lambda d: operation(d, "/v1/runs", "post")[
        "responses"
    ]["202"]["headers"].pop("Location"),
    "POST /v1/test-sets body: text/csv is gone": lambda d: operation(d, "/v1/test-sets", "post")[
        "requestBody"
    ]["content"].pop("text/csv"),
    "RunRequest (sent): field depth is gone": lambda d: schema(d, "RunRequest")["properties"].pop(
        "depth"
    ),
    "RunRequest (sent): field label is required now": lambda d: schema(d, "RunRequest")[
        "required"
    ].append("label"),
    "Run (answered): field label is gone": lambda d: schema(d, "Run")["properties"].pop("label"),
    "Run (answered): field status is not always there": lambda d: schema(d, "Run")[
        "required"
    ].remove("status"),
    "Run (answered).attempts: integer became string": lambda d: schema(d, "Run")[
        "properties"
    ].update(attempts={"type": "string"}),
    "Run (answered).label: null is read no more": lambda d: schema(d, "Run")["properties"].update(
        label={"anyOf": [{"type": "string"}, {"type": "null"}]}
    ),
}
HARMLESS: dict[str, Change] = {
    "route": lambda d: d["paths"].update({"/v1/new": d["paths"]["/v1/metrics"]}),
    "answer's field": lambda d: schema(d, "Run")["properties"].update(new={"type": "string"}),
    "request's field": lambda d: schema(d, "RunRequest")["properties"].update(new={}),
    "answer's state": lambda d: schema(d, "RunStatus")["enum"].append("paused"),
    "wider bound": lambda d: schema(d, "Limits")["properties"]["concurrency"].update(maximum=9999),
    "words": lambda d: schema(d, "Run").update(description="Another text."),
}


@pytest.mark.parametrize(("expected", "change"), BREAKS.items(), ids=list(BREAKS))
def test_break_is_found(document: Any, expected: str, change: Change) -> None:
    """Each kind of break is named with its place."""
    changed = copy.deepcopy(document)
    change(changed)
    assert expected in find_breaks(document, changed)


@pytest.mark.parametrize("change", HARMLESS.values(), ids=list(HARMLESS))
def test_growth_is_no_break(document: Any, change: Change) -> None:
    """What old clients never ask for, or may ignore, may come."""
    changed = copy.deepcopy(document)
    change(changed)
    assert find_breaks(document, changed) == []
