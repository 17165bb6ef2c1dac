import io
import sys
from typing import Any

import pytest

from reteval.contract.imports import Texts
from service.errors import MalformedTextError, UnsupportedMediaTypeError
from tests.unit.service.core.ingest.bodies import LAX, file, imported
from tests.unit.service.core.ingest.samples import BLUE, JUDGMENTS, RED


def parquet(rows: list[dict[str, Any]]) -> bytes:
    """A table as Parquet; needs the extra."""
    arrow = pytest.importorskip("pyarrow", reason="the extra parquet is not installed")
    parquets = pytest.importorskip("pyarrow.parquet")
    out = io.BytesIO()
    parquets.write_table(arrow.Table.from_pylist(rows), out)
    return out.getvalue()


def test_without_the_extra_the_refusal_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """A deployment without pyarrow answers 415 with what to install or send instead."""
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(UnsupportedMediaTypeError, match=r"reteval-service\[parquet\]"):
        imported(file(b"PAR1" + b"\0" * 100))


def test_autorag_tables_are_read() -> None:
    """qa.parquet gives queries with their documents, corpus.parquet the ids that there are."""
    qa = [
        {"qid": "q1", "query": RED, "retrieval_gt": [["doc7"], ["doc9"]], "generation_gt": ["a"]},
        {"qid": "q2", "query": BLUE, "retrieval_gt": [["doc2"]], "generation_gt": ["b"]},
    ]
    _, draft, written = imported(file(parquet(qa), "qa.parquet"))
    assert (draft.stats.queries, draft.stats.judgments) == (2, 3)
    assert {one.query for one in written} == {RED, BLUE}


def test_tables_of_judgments_and_queries_are_read() -> None:
    """Ranx and MTEB tables are the same as their text forms."""
    ranx = [{"q_id": q, "doc_id": d, "score": g} for q, d, g in sorted(JUDGMENTS["ranx"][1])]
    found, draft, _ = imported(file(parquet(ranx)), texts=Texts.IDS)
    assert (draft.stats.judgments, found.files[0].format) == (3, "parquet")
    asked = [{"_id": "q1", "text": RED}, {"_id": "q2", "text": BLUE}]
    qrels = JUDGMENTS["trec_qrels"][0]
    _, again, _ = imported(file(parquet(asked)), file(qrels))
    assert again.stats.judgments == draft.stats.judgments


def test_unknown_or_damaged_tables_are_refused() -> None:
    """Columns of no format are named; damage is the sender's mistake."""
    with pytest.raises(Exception, match="a, b are those of no format"):
        imported(file(parquet([{"a": 1, "b": 2}])))
    body = parquet([{"_id": "q1", "text": RED}])
    for broken in (body[:-20], body[:60] + b"\xff" * 20 + body[80:], b"PAR1" + b"\0" * 50):
        with pytest.raises((MalformedTextError, Exception)) as caught:
            imported(file(broken), head=LAX)
        assert type(caught.value).__module__ == "service.errors"
