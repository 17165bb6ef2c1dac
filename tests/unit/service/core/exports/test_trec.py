import io
import zipfile

import ir_measures
import pytrec_eval

from reteval.contract.exports import ExportFormat
from reteval.contract.trec import encode_id, write_qrels
from service.core.exports.trec import write_topics
from tests.unit.service.core.exports.written import JUDGED, ODD, write

ENCODED = {
    encode_id(query): {encode_id(doc): grade for doc, grade in grades.items()}
    for query, grades in JUDGED.items()
}


def test_texts_and_grades_are_kept() -> None:
    """A text with line breaks stays on its line; a query without judgments is a topic only."""
    assert write_topics(ODD[2:]) == "3\tnothing judged\n4\tlast one\n"
    assert write_qrels(ODD[2:]) == "4 0 \u65e5\u672c 1\n"


def test_trec_eval_and_ir_measures_read_the_same_qrels() -> None:
    """Both peers read every judgment, ids with white space included, in their encoded spelling."""
    with zipfile.ZipFile(io.BytesIO(write(ExportFormat.TREC))) as archive:
        text = archive.read("qrels.trec").decode()
        assert archive.namelist() == ["README.txt", "topics.tsv", "qrels.trec"]
    assert pytrec_eval.parse_qrel(io.StringIO(text)) == ENCODED
    read: dict[str, dict[str, int]] = {}
    for one in ir_measures.read_trec_qrels(text):
        read.setdefault(one.query_id, {})[one.doc_id] = one.relevance
    assert read == ENCODED
