"""The page about pipelines says what the files of `clients/ci` and the code say."""

import re
from pathlib import Path
from typing import Any

import yaml

from reteval.ci.comment import MAX_CHARS
from reteval.ci.environment import Environment, read_environment
from reteval.ci.summary import MAX_BYTES
from reteval.contract.gates import EXIT_CODES
from tests.contract.test_docs import DOCS, read_table, split_list
from tests.pipelines import read_action, read_template

PAGE = (DOCS / "ci.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    """Return the fenced blocks of a language."""
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


def test_examples_use_what_there_is() -> None:
    """Inputs and variables of the examples are those of the action and the template."""
    workflow, job = (yaml.safe_load(block) for block in blocks("yaml"))
    used: Any = workflow["jobs"]["retrieval"]["steps"][1]
    assert "/clients/ci@" in used["uses"]
    inputs = read_action()["inputs"]
    assert used["with"].keys() <= inputs.keys()
    assert {name for name, one in inputs.items() if one.get("required")} <= used["with"].keys()
    assert job["retrieval"]["extends"] == ".reteval"
    assert job["retrieval"]["variables"].keys() <= read_template()["variables"].keys()
    assert (Path(__file__).parents[2] / job["include"][0]["file"]).is_file()


def test_inputs_table_names_every_input_in_order() -> None:
    """Each input of the action has a row, or shares one."""
    rows = read_table("ci.md", "input")
    named = [name for row in rows for name in split_list(row["input"])]
    assert sorted(named) == sorted(read_action()["inputs"])
    outputs = PAGE.partition("Outputs: ")[2].partition("\n")[0]
    assert re.findall(r"`([\w-]+)`", outputs) == list(read_action()["outputs"])


def test_exit_codes_are_those_of_the_gate() -> None:
    """And 2, which is no verdict."""
    rows = read_table("ci.md", "exit code")
    assert {int(row["exit code"]) for row in rows} == {2, *EXIT_CODES.values()}


def test_variables_table_names_what_is_read() -> None:
    """Each field of an environment can be said by a variable of the table."""
    named = [
        name for row in read_table("ci.md", "variable") for name in split_list(row["variable"])
    ]
    said = read_environment({name: name for name in named})
    fields = {name: f"RETEVAL_CI_{name.upper()}" for name in Environment.__struct_fields__}
    fields["ci"] = "RETEVAL_CI"
    assert said == Environment(**fields)
    assert set(named) == set(fields.values())


def test_limits_are_those_in_force() -> None:
    """Characters of a comment and size of a summary."""
    assert f"at most {MAX_CHARS:,} characters" in PAGE
    assert f"below {MAX_BYTES // 1024:,} KiB" in PAGE
