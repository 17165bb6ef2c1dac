"""The page on ids names every operation, and its examples are true."""

import re

import msgspec

from reteval.contract.id_rules import IdOp, OpName, apply_ops
from tests.contract.test_docs import DOCS, read_table


def test_operations_table_names_every_operation_in_order() -> None:
    """Each operation has one row, in the order of the enum."""
    assert [row["operation"] for row in read_table("ids.md", "operation")] == list(OpName)


def test_operations_do_what_the_table_says() -> None:
    """What the examples become is computed, not claimed."""
    lines = (DOCS / "ids.md").read_text(encoding="utf-8").splitlines()
    rows = [line.split("|")[1:-1] for line in lines if re.match(r"\| `[a-z_]+` \|", line)]
    assert len(rows) == len(OpName)
    for row in rows:
        name, given, example, becomes = (_code(cell) for cell in row)
        made = msgspec.json.decode(f'{{"op":"{name}"{"," if given else ""}{given}}}', type=IdOp)
        if name != OpName.NFC:  # an editor may compose what the example has apart
            assert apply_ops((made,), example) == becomes
    assert apply_ops((IdOp(op=OpName.NFC),), "cafe\u0301") == "caf\u00e9"


def _code(cell: str) -> str:
    found = re.search(r"`([^`]*)`", cell)
    return found[1] if found else ""
