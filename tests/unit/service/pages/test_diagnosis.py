"""The diagnosis of a run."""

from typing import Any

import httpx
import msgspec

from reteval.contract.diagnostics import Diagnostic, DiagnosticCode, Severity
from reteval.contract.results import LeakPart, RunLeakage
from service.pages.diagnosis import arrange, tell
from service.store.store import Store
from tests.unit.reteval.documents import FEW, a_summary
from tests.unit.service.api.scored import scored_run
from tests.unit.service.pages.markup import HOSTILE, read

APART = Diagnostic(
    code=DiagnosticCode.ID_MISMATCH,
    severity=Severity.BLOCK,
    message="No answer holds a judged id.",
    fix=HOSTILE,
    evidence=(
        {"query_id": "q/1", "returned": "a1", "judged": "A1", "both_become": "A1"},
        {"query_id": "q2", "returned": HOSTILE, "judged": "B", "both_become": "B"},
    ),
    patch={"endpoint": {"id_rule": [{"op": "upper"}], "id": "</code><script>"}},
)
LEAKAGE = RunLeakage(
    queries=1,
    share=0.25,
    between_splits=LeakPart(queries=None, reason="no_splits"),
    from_documents=LeakPart(queries=1),
    compared=4,
    metrics_without={"mrr": a_summary(0.5, ci=None)},
)


async def look(client: httpx.AsyncClient, store: Store, **changes: Any) -> str:
    """Return the page of a run whose report says this."""
    run_id = await scored_run(store, label="first", **changes)
    answer = await client.get(f"/runs/{run_id}/diagnosis")
    assert answer.status_code == 200, answer.text
    return answer.text.replace(run_id, "RUN")


async def test_findings_show_evidence_fix_and_patch(
    client: httpx.AsyncClient, store: Store
) -> None:
    """The gravest comes first, with ids before and after and a patch to copy; all is text."""
    text = await look(client, store, diagnostics=(FEW, APART))
    page = read(text)
    for said in (
        "1 block 1 warn 0 info",
        "query id returned, before judged, before both, after the patch q/1 a1 A1 A1",
        f"q2 {HOSTILE} B B",
        '"op": "upper"',
        '"id": "</code><script>"',
    ):
        assert said in page.text, said
    assert page.text.index("id mismatch") < page.text.index("few queries")
    assert "/runs/RUN/queries/q%2F1" in page.links
    assert 'hidden data-copies="patch-1"' in text
    assert any(name.startswith("/static/copy.js") for name in page.loads)


async def test_leakage_stands_beside_the_metrics(client: httpx.AsyncClient, store: Store) -> None:
    """What the metrics are without leaked queries, and what could not be looked for, is told."""
    page = read(await look(client, store, leakage=LEAKAGE))
    for said in (
        "Nothing was found",
        "known before they were asked: 1, 25.0 %",
        "between splits: - no splits",
        "mrr 0.625 0.500 - 49",
        "reteval leakage",
    ):
        assert said in page.plain, said


def test_evidence_of_any_shape_is_laid_out() -> None:
    """Rows need not have the same keys, nor values be texts."""
    rows: tuple[dict[str, Any], ...] = ({"cause": "empty", "n": 3}, {"cause": "late", "at": [1, 2]})
    (found,) = arrange([msgspec.structs.replace(FEW, evidence=rows)])
    assert found.columns == ("cause", "n", "at")
    assert found.rows == (("empty", "3", ""), ("late", "", "1, 2"))


def test_values_are_written_for_people() -> None:
    """Each type of JSON has a form of its own."""
    assert [tell(one) for one in (None, True, False, 0.123456789, {"a": [1]}, "x")] == [
        "none",
        "yes",
        "no",
        "0.123457",
        "a: 1",
        "x",
    ]
