"""Each format as the tool it is for reads it."""

import csv
import io
import json
import zipfile
from typing import Any

import ir_measures
import pandas as pd
import pytest

from reteval.contract.exports import ARCHIVES, ExportFormat
from reteval.contract.testsets import Judgment, Query
from service.core.cells import rearm
from service.core.exports.layout import ZIP
from service.core.exports.registry import LAYOUTS
from tests.unit.service.core.exports.written import JUDGED, ODD, QRELS, write, write_json
from tests.unit.service.core.ingest.bodies import LAX, take_csv, take_ndjson

RELEVANT = {
    query: [doc for doc, grade in grades.items() if grade >= 1] for query, grades in JUDGED.items()
}
TEXTS = {query.id: query.query for query in ODD}


def test_every_format_has_a_layout() -> None:
    """What the contract names can be written, and nothing else can."""
    assert list(LAYOUTS) == list(ExportFormat)
    assert ARCHIVES == {name for name, layout in LAYOUTS.items() if layout.ending == ZIP}


@pytest.mark.parametrize("name", ExportFormat)
def test_pieces_do_not_depend_on_where_chunks_end(name: ExportFormat) -> None:
    """A set is written alike from chunks of one query and from one chunk."""
    assert write(name, size=1) == write(name, size=100)


@pytest.mark.parametrize("name", ExportFormat)
def test_set_without_judgments_is_still_a_file(name: ExportFormat) -> None:
    """Where nothing has a place in a format, the file is well formed and empty."""
    text = write(name, [Query(id="1", query="x", relevant=[])])
    if LAYOUTS[name].ending == "json":
        json.loads(text)
    assert name is not ExportFormat.RAGAS or text == b""


def test_jsonl_is_the_same_set_again() -> None:
    """Every field comes back."""
    draft, read = take_ndjson(write(ExportFormat.JSONL), LAX)
    assert (read, draft.stats.judgments) == (list(ODD), 6)


def test_csv_is_the_same_judgments_again() -> None:
    """Ids, texts and grades come back exactly, formulas and quotes included."""
    queries = [one for one in ODD if one.id != "\u00e92"]  # a grade below 0 is another matter
    _, read = take_csv(write(ExportFormat.CSV, queries), LAX)
    assert [(one.id, one.query, one.relevant) for one in read] == [
        (one.id, one.query, one.relevant) for one in queries
    ]


def test_csv_holds_no_formula() -> None:
    """No cell of any table begins like a formula, unless it is a number."""
    for name in (ExportFormat.CSV, ExportFormat.QUEPID, ExportFormat.IR_MEASURES):
        rows = csv.reader(io.StringIO(write(name).decode(), newline=""))
        cells = [cell for row in rows for cell in row]
        assert not [cell for cell in cells if cell[:1] in "=+@-\t\r" and cell not in ("", "-1")]


def test_quepid_reads_texts_and_ratings() -> None:
    """A row for each rating, and one with blanks for a query that has none."""
    rows = list(csv.reader(io.StringIO(write(ExportFormat.QUEPID).decode(), newline="")))
    assert rows[0] == ["query", "docid", "rating"]
    assert [rearm(rows[4][0]), *rows[4][1:]] == ["=1+1", "a", "-1"]
    assert rows[6] == ["nothing judged", "", ""]


def test_ir_measures_reads_the_same_qrels() -> None:
    """A frame read from the table scores as the judgments do; disarmed ids are known by theirs."""
    queries = [
        Query(id="q 1", query="x", relevant=[Judgment("a b", 3), Judgment("c", 0)]),
        Query(id="2", query="y", relevant=[Judgment("d", 1)]),
    ]
    table = write(ExportFormat.IR_MEASURES, queries)
    frame = pd.read_csv(io.BytesIO(table), dtype={"query_id": str, "doc_id": str})
    assert list(frame.columns) == ["query_id", "doc_id", "relevance", "iteration"]
    run = [ir_measures.ScoredDoc("q 1", "a b", 2.0), ir_measures.ScoredDoc("2", "z", 1.0)]
    plain = {"q 1": {"a b": 3, "c": 0}, "2": {"d": 1}}
    measure = ir_measures.nDCG @ 10
    assert ir_measures.calc_aggregate([measure], frame, run) == ir_measures.calc_aggregate(
        [measure], plain, run
    )


def test_ranx_reads_the_same_qrels() -> None:
    """One object of objects with whole numbers; a query nobody judged is left out."""
    assert write_json(ExportFormat.RANX) == JUDGED


def read_beir(archive: zipfile.ZipFile) -> tuple[dict[str, Any], dict[str, dict[str, int]]]:
    """Read queries and qrels the way BEIR's loader does."""
    queries = [json.loads(line) for line in archive.read("queries.jsonl").decode().splitlines()]
    table = io.StringIO(archive.read("qrels/test.tsv").decode())
    rows = csv.reader(table, delimiter="\t", quoting=csv.QUOTE_MINIMAL)
    next(rows)
    qrels: dict[str, dict[str, int]] = {}
    for query, document, score in rows:
        qrels.setdefault(query, {})[document] = int(score)
    return {one["_id"]: one for one in queries}, qrels


def test_beir_reads_the_same_qrels() -> None:
    """Texts and grades are exact; what BEIR knows nothing of is metadata."""
    with zipfile.ZipFile(io.BytesIO(write(ExportFormat.BEIR))) as archive:
        queries, qrels = read_beir(archive)
    assert (qrels, {name: one["text"] for name, one in queries.items()}) == (JUDGED, TEXTS)
    assert queries["q 1"]["metadata"] == {"tags": ["faq"], "fields": {"year": 2026}}
    assert queries["4"]["metadata"] == {"split": "holdout"}


def test_quepid_case_has_options_and_ratings() -> None:
    """A case has a scorer that Quepid knows; a query's fields are its options."""
    case = write_json(ExportFormat.QUEPID_CASE)
    assert (case["case_name"], case["scorer"], case["try"]) == ("docs", {"name": "nDCG@10"}, {})
    assert [one["query_text"] for one in case["queries"]] == [one.query for one in ODD]
    assert case["queries"][0]["options"] == {"year": 2026}
    ratings = [{one["doc_id"]: one["rating"] for one in q["ratings"]} for q in case["queries"]]
    assert ratings == list(QRELS.values())


def test_ranklib_lines_are_numbered_by_query() -> None:
    """Grade, number, and after the hash the document and the text on the same line."""
    assert write(ExportFormat.RANKLIB).decode().splitlines() == [
        '3 qid:1 # a say "no", =1+1',
        '1 qid:1 # b%20c say "no", =1+1',
        '2 qid:1 # -d%25 say "no", =1+1',
        "-1 qid:2 # a =1+1",
        '2 qid:2 # "e" =1+1',
        "1 qid:4 # \u65e5\u672c last one",
    ]


def test_rre_has_a_group_for_each_query() -> None:
    """Groups are named by the query's id and hold a gain for each document."""
    (topic,) = write_json(ExportFormat.RRE)["topics"]
    gains = {
        group["name"]: {doc: one["gain"] for doc, one in group["relevant_documents"].items()}
        for group in topic["query_groups"]
    }
    assert (topic["description"], gains) == ("docs", JUDGED)
    assert [one["queries"][0]["placeholders"]["$query"] for one in topic["query_groups"]] == [
        TEXTS[name] for name in JUDGED
    ]


def test_srw_has_ratings_as_numbers_in_texts() -> None:
    """The body that imports a judgment list, by the texts of queries."""
    body = write_json(ExportFormat.SRW)
    assert (body["name"], body["type"]) == ("docs", "IMPORT_JUDGMENT")
    assert body["description"] == "version 2 (sha256:docs)"
    found = {
        one["query"]: {rating["docId"]: float(rating["rating"]) for rating in one["ratings"]}
        for one in body["judgmentRatings"]
    }
    assert found == {TEXTS[name]: grades for name, grades in JUDGED.items()}


def test_rank_eval_is_a_request_of_requests() -> None:
    """Each query has an id, a search and rated documents of the index; the threshold is ours."""
    body = write_json(ExportFormat.RANK_EVAL, relevant_from=2)
    assert body["metric"] == {"recall": {"k": 10, "relevant_rating_threshold": 2}}
    rated = {
        one["id"]: {rating["_id"]: rating["rating"] for rating in one["ratings"]}
        for one in body["requests"]
    }
    assert rated == JUDGED
    assert {rating["_index"] for one in body["requests"] for rating in one["ratings"]} == {
        "documents"
    }
    assert body["requests"][1]["request"] == {"query": {"multi_match": {"query": "=1+1"}}}


def test_llamaindex_has_texts_and_relevant_documents() -> None:
    """Queries with relevant documents only, since its evaluator fails on others."""
    assert write_json(ExportFormat.LLAMAINDEX) == {
        "mode": "text",
        "corpus": {},
        "queries": {name: TEXTS[name] for name in RELEVANT},
        "relevant_docs": RELEVANT,
    }


def test_ragas_has_a_sample_a_line() -> None:
    """Each line is a question with the ids of the contexts that answer it."""
    lines = write(ExportFormat.RAGAS, relevant_from=2).decode().splitlines()
    assert [json.loads(line) for line in lines] == [
        {"user_input": ODD[0].query, "reference_context_ids": ["a", "-d%"]},
        {"user_input": ODD[1].query, "reference_context_ids": ['"e"']},
    ]


def test_heads_of_odd_names_do_not_break_json() -> None:
    """A name with quotes and braces stays a name."""
    for name in (ExportFormat.SRW, ExportFormat.QUEPID_CASE, ExportFormat.RRE):
        assert '"}{' in json.dumps(write_json(name, name='a"}{')).replace("\\", "")
