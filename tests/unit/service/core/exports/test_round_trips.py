"""What is written in a format and read again is the set, but for what the format loses."""

from typing import Any

import pytest

from reteval.contract.exports import ExportFormat, Loss
from reteval.contract.imports import Negatives, Texts
from reteval.contract.testsets import Judgment, Query
from reteval.contract.trec import encode_id
from service.core.exports.layout import judgments
from service.core.exports.registry import LAYOUTS
from service.core.exports.spelling import flatten
from tests.unit.service.core.exports.written import ODD, write
from tests.unit.service.core.ingest.bodies import LAX, file, imported, take_ndjson

OTHERS = [form for form in ExportFormat if form is not ExportFormat.JSONL]


def left(query: Query, losses: frozenset[Loss]) -> tuple[str, dict[str, int]] | None:
    """Return the text and the judgments of a query that a format keeps; None: no such query."""
    spell = encode_id if Loss.ENCODED_IDS in losses else str
    kept = [one for one in judgments(query) if Loss.GRADES not in losses or one.grade >= 1]
    if not kept and losses & {Loss.UNJUDGED, Loss.UNSCORABLE}:
        return None
    text = flatten(query.query) if Loss.WHITE_SPACE in losses else query.query
    grades = {spell(str(one.id)): _grade(one, losses) for one in kept}
    return (query.id if Loss.TEXTS in losses else text), grades


def _grade(judgment: Judgment, losses: frozenset[Loss]) -> int:
    return 1 if Loss.GRADES in losses else judgment.grade


@pytest.mark.parametrize("form", OTHERS)
def test_set_comes_back_but_for_what_is_lost(form: ExportFormat) -> None:
    """Texts, documents and grades are those that were written, odd ids and formulas included."""
    losses = LAYOUTS[form].losses
    options: dict[str, Any] = {"negatives": Negatives.KEEP}
    if Loss.TEXTS in losses:
        options["texts"] = Texts.IDS
    _, _, read = imported(file(write(form)), head=LAX, **options)
    found = [(one.query, {str(j.id): j.grade for j in judgments(one)}) for one in read]
    assert found == [kept for query in ODD if (kept := left(query, losses)) is not None]


def test_own_lines_come_back_whole() -> None:
    """JSON lines are every field of every query."""
    assert take_ndjson(write(ExportFormat.JSONL), LAX)[1] == list(ODD)
