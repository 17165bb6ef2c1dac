"""The page about endpoints says what the code knows."""

import json
import re
from pathlib import Path

import pytest

from reteval.contract.endpoints import PLACEHOLDER, Endpoint
from reteval.contract.presets import PRESETS
from worker.search.mapping import Mapping

PAGE = (Path(__file__).parents[2] / "docs" / "endpoints.md").read_text(encoding="utf-8")


def rows(heading: str) -> list[list[str]]:
    """Return the cells of the table whose first column is `heading`."""
    lines = PAGE.splitlines()
    start = next(at for at, line in enumerate(lines) if line.startswith(f"| {heading} |"))
    found = []
    for line in lines[start + 2 :]:
        if not line.startswith("|"):
            break
        cells = re.split(r"(?<!\\)\|", line.strip().strip("|"))
        found.append([cell.strip().replace("\\|", "|") for cell in cells])
    return found


def test_presets_table_matches_presets() -> None:
    """Each preset has one row, in order, with how it is called and what it needs."""
    documented = [
        (row[0].strip("`"), row[1], re.findall(r"`([^`]+)`", row[4]), re.sub(r"\D", "", row[5]))
        for row in rows("preset")
    ]
    assert documented == [
        (
            preset.name,
            preset.endpoint.method.value,
            list(preset.needs),
            str(
                preset.most_hits or (preset.endpoint.paging.size if preset.endpoint.paging else "")
            ),
        )
        for preset in PRESETS.values()
    ]
    for name, _, hits, found_id, *_ in rows("preset"):
        endpoint = PRESETS[name.strip("`")].endpoint
        where = endpoint.hits or endpoint.ids or ""
        assert where.startswith(hits.strip("`"))
        assert (endpoint.id or "") == found_id.strip("`")


def test_placeholders_are_those_that_are_filled_in() -> None:
    """Every placeholder of the table is one."""
    named = [name for row in rows("placeholder") for name in re.findall(r"\{\{[^}]+\}\}", row[0])]
    assert len(named) == 7
    assert all(PLACEHOLDER.fullmatch(name) for name in named)


@pytest.mark.parametrize("row", rows("answer"), ids=lambda row: row[0][:20])
def test_described_answers_are_read(row: list[str]) -> None:
    """The example of each shape is read by the description beside it."""
    text = re.search(r"`([^`]*)`", row[0])
    assert text is not None
    quoted = [found[0] or found[1] for found in re.findall(r"``(.+?)``|`([^`]+)`", row[1])]
    fields = {}
    for part in quoted:
        name, _, value = part.partition(": ")
        fields[name] = json.loads(value) if value.startswith('"') else value
    mapping = Mapping.compile(Endpoint(url="http://h/", **fields))
    assert mapping.read(text[1].encode(), 10).ids == (
        [] if "root" in text[1] else ["a", "b"][: text[1].count('"b"') + 1]
    )
