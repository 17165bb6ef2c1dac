import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml
from jsonschema import Draft202012Validator

from service.api.examples import read_examples
from service.api.openapi import list_operations
from service.api.operations import kinds_of
from service.app import create_app
from service.settings import Settings

ROOT = Path(__file__).parents[2]
FORMS = {
    kind.__name__: kind
    for one in list_operations(create_app(Settings.from_env({})).routes)
    for media in (one.operation.body, *(known.media for known in one.operation.answers.values()))
    for kind in kinds_of(media)
}


@pytest.fixture(scope="module")
def document() -> Any:
    """Return the committed document."""
    return yaml.load((ROOT / "openapi.yaml").read_text(), Loader=yaml.CSafeLoader)


@pytest.mark.parametrize("name", sorted(FORMS))
def test_example_is_what_it_is_an_example_of(document: Any, name: str) -> None:
    """Each example decodes as its struct, loses nothing by it, and fits the published schema."""
    example = read_examples()[name]
    kind = FORMS[name]
    if not name.endswith("Upload") or name == "TestSetUpload":  # the others' parts are bytes
        decoded = msgspec.json.decode(json.dumps(example), type=kind)
        assert set(example) <= set(msgspec.to_builtins(decoded))
    reference = {"$ref": f"#/components/schemas/{_find_schema(document, name)}"}
    Draft202012Validator({**reference, "components": document["components"]}).validate(example)


def test_every_text_has_an_example_and_none_is_left_over() -> None:
    """What is not JSON has an example by operation and type; there is no other example."""
    texts = {
        f"{one.operation.id} {name}"
        for one in list_operations(create_app(Settings.from_env({})).routes)
        for media in (
            one.operation.body,
            *(known.media for known in one.operation.answers.values()),
        )
        for name, kind in media.items()
        if kind is None
    }
    assert set(read_examples()) == texts | set(FORMS)


def test_every_problem_example_is_of_its_code(document: Any) -> None:
    """An error answer shows each of its codes, and the example has that code and status."""
    shown = document["components"]["examples"]
    for methods in document["paths"].values():
        for operation in methods.values():
            for status, answer in operation["responses"].items():
                if int(status) < 400:
                    continue
                for code, example in answer["content"]["application/problem+json"][
                    "examples"
                ].items():
                    value = shown[example["$ref"].rpartition("/")[2]]["value"]
                    assert (value["code"], value["status"]) == (code, int(status))


def _find_schema(document: Any, name: str) -> str:
    (found,) = [
        known
        for known in document["components"]["schemas"]
        if known == name or known.endswith(f".{name}")
    ]
    return str(found)
