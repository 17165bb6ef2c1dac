from pathlib import Path
from typing import Any

import pytest
import yaml
from openapi_spec_validator import validate

from service.api.openapi import list_operations, list_pages
from service.app import create_app, openapi_yaml
from service.settings import Settings

ROOT = Path(__file__).parents[2]
SETTINGS = Settings.from_env({})


@pytest.fixture(scope="module")
def document() -> Any:
    """Return the committed document."""
    return yaml.load((ROOT / "openapi.yaml").read_text(), Loader=yaml.CSafeLoader)


def test_openapi_file_is_the_one_that_is_generated() -> None:
    """The committed file equals the generated text; `make openapi` writes it."""
    assert (ROOT / "openapi.yaml").read_text() == openapi_yaml(SETTINGS)


@pytest.mark.no_cover
def test_openapi_document_is_valid(document: Any) -> None:
    """An OpenAPI 3.1 validator accepts it."""
    validate(document)


def test_request_schemas_forbid_unknown_fields(document: Any) -> None:
    """What the decoder refuses, the schema of every object of a body refuses, too."""
    shapes = document["components"]["schemas"]
    names = {
        name
        for methods in document["paths"].values()
        for operation in methods.values()
        for name in _references(operation.get("requestBody", {}), shapes)
    }
    assert len(names) > 20
    objects = {name: shapes[name] for name in names if "properties" in shapes[name]}
    assert [
        name for name in objects if objects[name].get("additionalProperties") is not False
    ] == []


def test_every_handler_is_described_once() -> None:
    """Each route but OPTIONS has an operation with its own id, an answer and, in /v1, errors."""
    routes = create_app(SETTINGS).routes
    found = [*list_operations(routes), *list_pages(routes)]
    methods = sum(
        len(set(route.methods) - {"HEAD", "OPTIONS"})
        for route in routes
        if hasattr(route, "methods")
    )
    assert len({one.operation.id for one in found}) == len(found) == methods
    assert all(one.operation.answers for one in found)
    assert all(one.operation.errors for one in found if one.path.startswith("/v1"))


def test_every_error_answer_is_a_problem(document: Any) -> None:
    """Every answer of 400 and above is declared as problem details."""
    for methods in document["paths"].values():
        for operation in methods.values():
            for status, answer in operation["responses"].items():
                if int(status) >= 400:
                    assert list(answer["content"]) == ["application/problem+json"]


def test_every_answer_tells_its_headers(document: Any) -> None:
    """Each answer carries the request's id; what is worth repeating says when."""
    for methods in document["paths"].values():
        for operation in methods.values():
            for status, answer in operation["responses"].items():
                assert "X-Request-Id" in answer["headers"]
                if status == "503":
                    assert "Retry-After" in answer["headers"]


def _references(shape: Any, shapes: Any) -> set[str]:
    """Return the names of all schemas that a part of the document refers to."""
    found: set[str] = set()
    left = [shape]
    while left:
        part = left.pop()
        if isinstance(part, dict):
            name = str(part.get("$ref", "")).rpartition("/")[2]
            if name in shapes and name not in found:
                found.add(name)
                left.append(shapes[name])
            left += part.values()
        elif isinstance(part, list):
            left += part
    return found
