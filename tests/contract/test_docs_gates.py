import re
from pathlib import Path

import msgspec
import yaml

from reteval.contract.gates import EXIT_CODES, Gate, GateReason, GateRequest, RuleStatus
from service.core.gates.checks import check_gate
from service.core.gates.files import read_yaml

PAGE = (Path(__file__).parents[2] / "docs" / "gates.md").read_text(encoding="utf-8")


def table(heading: str) -> list[list[str]]:
    """Return the rows of the table whose first column is `heading`, without code marks."""
    lines = PAGE.partition(f"| {heading} |")[2].splitlines()[2:]
    rows = []
    for line in lines:
        if not line.startswith("|"):
            break
        rows.append([cell.strip().replace("`", "") for cell in line.strip("|").split("|")])
    return rows


def test_example_gate_is_accepted_and_shows_every_field() -> None:
    """The file of the page is a gate; between them, example and table name each field."""
    (example,) = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    gate = read_yaml(example.encode())
    check_gate(msgspec.structs.replace(gate, run="run_1"))
    documented = {name.strip() for row in table("field") for name in row[0].split(",")}
    assert documented == set(GateRequest.__struct_fields__)
    assert set(yaml.safe_load(example)) == set(Gate.__struct_fields__) - {"on"}


def test_reasons_table_names_every_reason_in_order() -> None:
    """Each reason has a row with a status that a rule can have."""
    rows = table("reason")
    assert [row[0] for row in rows] == list(GateReason)
    assert {name.strip() for row in rows for name in row[1].split(",")} == set(RuleStatus)


def test_exit_codes_are_as_documented() -> None:
    """Each verdict's exit code is the one of its row."""
    rows = {row[0]: row[1] for row in table("verdict") if row[0]}
    assert rows == {outcome.value: str(code) for outcome, code in EXIT_CODES.items()}
