"""Modules and functions stay small enough to be read in one go."""

import ast
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDERS = ("service", "worker", "clients", "examples", "benchmarks", "docs")
MODULE_LINES = 400
FUNCTION_LINES = 60


def oversized(root: Path) -> list[str]:
    """Modules and functions over their bound, one line each."""
    found = []
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*.py")):
            text = path.read_text()
            name = path.relative_to(root)
            lines = len(text.splitlines())
            if lines > MODULE_LINES:
                found.append(f"{name}: {lines} lines")
            for node in ast.walk(ast.parse(text)):
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                    length = (node.end_lineno or node.lineno) - node.lineno + 1
                    if length > FUNCTION_LINES:
                        found.append(f"{name}:{node.lineno} {node.name}: {length} lines")
    return found


def test_sources_are_small() -> None:
    """No module has over 400 lines, no function over 60."""
    assert oversized(ROOT) == []


def test_planted_giants_are_found(tmp_path: Path) -> None:
    """A long module and a long function are both reported."""
    (tmp_path / "service").mkdir()
    body = "    x = 1\n" * 60
    (tmp_path / "service" / "giant.py").write_text(f"def long():\n{body}\n" + "y = 1\n" * 340)
    assert oversized(tmp_path) == [
        "service/giant.py: 402 lines",
        "service/giant.py:1 long: 61 lines",
    ]
