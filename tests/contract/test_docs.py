"""The tables of the documentation name exactly what the code knows."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from reteval.contract import kinds
from reteval.contract.diagnostics import DiagnosticCode, Severity
from reteval.contract.metrics import FAMILIES
from service.settings import TABLE

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
LINK = re.compile(r"\]\((?!https?:|#)(?P<target>[^)#\s]+)")


def read_table(name: str, heading: str) -> list[dict[str, str]]:
    """Return the rows of the one table of a page (below `docs`) whose first column is `heading`."""
    lines = (DOCS / name).read_text(encoding="utf-8").splitlines()
    start = next(at for at, line in enumerate(lines) if line.startswith(f"| {heading} |"))
    head = split_row(lines[start])
    rows = []
    for line in lines[start + 2 :]:
        if not line.startswith("|"):
            break
        rows.append(dict(zip(head, split_row(line), strict=True)))
    return rows


def split_row(line: str) -> list[str]:
    """Return the cells of a table row without their code marks."""
    return [cell.strip().replace("`", "") for cell in line.strip().strip("|").split("|")]


def split_list(cell: str) -> tuple[str, ...]:
    """Return the items of a comma-separated cell."""
    return tuple(item.strip() for item in cell.split(",") if item.strip())


def numbers(cell: str) -> tuple[int, ...]:
    """Return the numbers of a comma-separated cell."""
    return tuple(int(item) for item in split_list(cell))


def test_diagnostics_table_names_every_code_in_order() -> None:
    """Each code has one row, in the order of the enum, with a severity and a way out."""
    rows = read_table("diagnostics.md", "code")
    assert [row["code"] for row in rows] == list(DiagnosticCode)
    assert {name for row in rows for name in split_list(row["severity"])} <= set(Severity)
    assert all(row["what was found"] and row["what to do"] for row in rows)


def test_diagnostics_table_has_the_severities_that_are_raised() -> None:
    """Where the code builds a finding, its severity stands in the code's row."""
    documented = {
        row["code"]: set(split_list(row["severity"]))
        for row in read_table("diagnostics.md", "code")
    }
    assert read_severities() == documented


def read_severities() -> dict[str, set[str]]:
    """Collect from the source which severities each code is built with."""
    found: dict[str, set[str]] = {}
    paths = [*(ROOT / "service").rglob("*.py"), *(ROOT / "worker").rglob("*.py")]
    for path in paths:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            for code, severities in pair_severities(node):
                found.setdefault(code, set()).update(severities)
    return found


def pair_severities(node: ast.AST) -> Iterator[tuple[str, set[str]]]:
    """Yield codes and severities of a `Diagnostic(...)`, or of a dict from one to the other."""
    pairs: list[tuple[ast.expr | None, ast.expr]] = []
    if isinstance(node, ast.Call) and ast.unparse(node.func) == "Diagnostic":
        given = {word.arg: word.value for word in node.keywords}
        pairs = [(given["code"], given["severity"])]
    if isinstance(node, ast.Dict):
        pairs = list(zip(node.keys, node.values, strict=True))
    for key, value in pairs:
        code = re.fullmatch(r"DiagnosticCode\.(\w+)", ast.unparse(key) if key else "")
        severities = re.findall(r"\bSeverity\.(\w+)", ast.unparse(value))
        if code and severities:
            yield DiagnosticCode[code[1]].value, {Severity[name].value for name in severities}


def test_metrics_table_matches_families() -> None:
    """Each family has one row with its aliases and whether it needs a cut-off."""
    rows = read_table("metrics.md", "family")
    documented = {
        row["family"]: (split_list(row["aliases"]), row["cut-off"], bool(row["per query"]))
        for row in rows
    }
    known = {family.name: (family.aliases, family.cutoff, True) for family in FAMILIES.values()}
    assert len(rows) == len(documented)
    assert documented == known


def test_kinds_table_matches_suite() -> None:
    """Each kind has one row: family, labels, target, variants by severity, use in presets."""
    documented = [
        (
            row["kind"],
            row["family"],
            row["labels"],
            row["target"].replace(" ", "_"),
            numbers(row["severities"]),
            numbers(row["variants"]),
            {name: numbers(row[name]) for name in kinds.PRESETS if row[name]},
        )
        for row in read_table("kinds.md", "kind")
    ]
    known = [
        (
            kind.name,
            kind.family,
            str(kind.labels),
            kind.target,
            kind.severities,
            tuple(map(kind.count, kind.severities)),
            {
                name: preset.kinds[kind.name]
                for name, preset in kinds.PRESETS.items()
                if kind.name in preset.kinds
            },
        )
        for kind in kinds.KINDS.values()
    ]
    assert documented == known


def test_kinds_page_names_the_suite() -> None:
    """The page's title carries the version of the suite it describes."""
    title = (DOCS / "kinds.md").read_text(encoding="utf-8").splitlines()[0]
    assert title.endswith(f"suite {kinds.SUITE}")


def test_tiers_table_matches_generated_tiers_and_user() -> None:
    """Each tier has one row with its number of queries; `user` sends all there are."""
    rows = read_table("kinds.md", "out-of-corpus tier")
    documented = {row["out-of-corpus tier"]: row["queries"] for row in rows}
    known = {tier: str(queries) for tier, queries in kinds.OUT_OF_CORPUS_TIERS.items()}
    assert documented == known | {"user": "all"}


def test_presets_table_matches_presets() -> None:
    """Each preset has one row with what it adds, its sample and the variants of a query."""
    documented = {
        row["preset"]: (
            row["out of corpus"] == "yes",
            row["hostile"] == "yes",
            int(row["queries sampled"]),
            int(row["variants a query"]),
        )
        for row in read_table("kinds.md", "preset")
    }
    known = {
        name: (
            preset.out_of_corpus,
            preset.hostile,
            preset.sample,
            sum(
                kinds.KINDS[kind].count(severity)
                for kind, severities in preset.kinds.items()
                for severity in severities
            ),
        )
        for name, preset in kinds.PRESETS.items()
    }
    assert documented == known


def test_readme_settings_exist_with_their_defaults() -> None:
    """The short table of the README repeats variables and defaults of the whole one."""
    known = {row.variable: row.default or "empty" for row in TABLE}
    documented = {row["variable"]: row["default"] for row in read_table("../README.md", "variable")}
    assert documented == {variable: known[variable] for variable in documented}


def pages() -> list[Path]:
    """Return every page a reader may open."""
    return sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md"), *ROOT.glob("clients/*.md")])


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    """Every relative link of a page names a file that exists."""
    targets = [match["target"] for match in LINK.finditer(page.read_text(encoding="utf-8"))]
    missing = [target for target in targets if not (page.parent / target).exists()]
    assert missing == []


def test_decisions_are_numbered_without_gaps() -> None:
    """Decision records count from 0001, and each says why."""
    records = sorted((DOCS / "decisions").glob("*.md"))
    assert [int(record.name[:4]) for record in records] == list(range(1, len(records) + 1))
    assert all("## Why" in record.read_text(encoding="utf-8") for record in records)
