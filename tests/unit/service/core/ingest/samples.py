"""A small file of our own wording in each format, and what is in it."""

import csv
import io
import json
from typing import Any, Final

Votes = set[tuple[str, str, int]]
RED, BLUE = "red shoes for walking", "blue hats"
TWO: Final[Votes] = {(RED, "doc7", 3), (RED, "doc9", 1), (BLUE, "doc2", 2)}
"""Most samples hold these judgments: text, document, grade."""
RELEVANT: Final[Votes] = {(RED, "doc7", 1), (RED, "doc9", 1), (BLUE, "doc2", 1)}
"""Formats without grades hold these."""
BY_ID: Final[Votes] = {("q1", "doc7", 3), ("q1", "doc9", 1), ("q2", "doc2", 2)}
"""Formats that name queries by id, without their texts."""
BY_NUMBER: Final[Votes] = {("1", "7", 3), ("1", "9", 1), ("2", "2", 2)}
QUERIES: Final = {RED, BLUE}


def text(document: Any) -> bytes:
    """JSON as its tools write it."""
    return json.dumps(document, indent=1).encode()


def lines(*rows: Any) -> bytes:
    """An object a line."""
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def table(header: str, *rows: list[object], delimiter: str = ",") -> bytes:
    """A table as spreadsheets write it."""
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter)
    writer.writerow(header.split("|"))
    writer.writerows(rows)
    return out.getvalue().encode()


def _judged(query: str, document: str, grade: str, **rest: Any) -> list[dict[str, Any]]:
    rows = [(RED, "doc7", 3), (RED, "doc9", 1), (BLUE, "doc2", 2)]
    return [{query: one, document: two, grade: three, **rest} for one, two, three in rows]


def _nested(query: str, ratings: str, document: str, grade: str) -> list[dict[str, Any]]:
    return [
        {query: RED, ratings: [{document: "doc7", grade: 3}, {document: "doc9", grade: 1}]},
        {query: BLUE, ratings: [{document: "doc2", grade: 2}]},
    ]


_GROUP = {
    "queries": [{"placeholders": {"$query": RED}}],
    "relevant_documents": {"doc7": {"gain": 3}, "doc9": {"gain": 1}},
}
_LISTED = {"placeholders": {"$query": BLUE}, "relevant_documents": {"2": ["doc2"]}}

BOTH: Final[dict[str, tuple[bytes, Votes]]] = {
    "reteval_json": (
        text(
            {
                "queries": [
                    {"query": RED, "relevant_ids": ["doc7", "doc9"], "grades": [3, 1]},
                    {"query": BLUE, "relevant": [{"id": "doc2", "grade": 2}]},
                ]
            }
        ),
        TWO,
    ),
    "reteval_jsonl": (
        lines(
            {"query": RED, "relevant_ids": ["doc7", "doc9"], "grades": [3, 1]},
            {"query": BLUE, "relevant": [{"id": "doc2", "grade": 2}]},
        ),
        TWO,
    ),
    "csv": (
        table("query|docid|rating", [RED, "doc7", 3], [RED, "doc9", 1], [BLUE, "doc2", 2]),
        TWO,
    ),
    "quepid_detailed": (
        table(
            "Team Name|Case Name|Case ID|Query Text|Doc ID|Position|Title|Rating|brand",
            ["T", "C", 1, RED, "doc7", 1, "Red", 3, "x"],
            ["T", "C", 1, RED, "doc9", 2, "Old", 1, "x"],
            ["T", "C", 1, BLUE, "doc2", 1, "Blue, new", 2, "x"],
            ["T", "C", 1, BLUE, "doc4", 2, "Unrated", "", "x"],
        ),
        TWO,
    ),
    "quepid_raters": (
        table(
            "query|docid|ann|bob",
            [RED, "doc7", 3, 3],
            [RED, "doc9", 1, ""],
            [BLUE, "doc2", 2, 2],
        ),
        TWO,
    ),
    "columns": (
        table(
            "Doc ID|Query Text|Rating|Note",
            ["doc7", RED, 3, "a"],
            ["doc9", RED, 1, "b"],
            ["doc2", BLUE, 2, "c"],
            delimiter=";",
        ),
        TWO,
    ),
    "esci": (
        table(
            "query_id|query|product_id|esci_label|split",
            ["q1", RED, "doc7", "E", "train"],
            ["q1", RED, "doc9", "C", "train"],
            ["q2", BLUE, "doc2", "S", "train"],
        ),
        TWO,
    ),
    "ragas_table": (
        table(
            "user_input|reference|reference_context_ids",
            [RED, "walk", "['doc7', 'doc9']"],
            [BLUE, "wear", '["doc2"]'],
        ),
        RELEVANT,
    ),
    "ranklib": (
        f"3 qid:q1 1:0.5 2:7 # doc7 {RED}\n1 qid:q1 # doc9 {RED}\n2 qid:q2 1:1 # doc2 {BLUE}\n"
        "".encode(),
        TWO,
    ),
    "queries_jsonl": (
        lines(
            {
                "id": "q1",
                "text": RED,
                "relevant": [{"id": "doc7", "grade": 3}, {"id": "doc9", "grade": 1}],
                "information_need": "to walk",
                "slice": ["shop"],
            },
            {"id": "q2", "text": BLUE, "relevant": [{"id": "doc2", "grade": 2}]},
        ),
        TWO,
    ),
    "quepid_book": (
        text(
            {
                "name": "Shop",
                "query_doc_pairs": [
                    {
                        "query_text": RED,
                        "doc_id": "doc7",
                        "document_fields": '{"title": "Red"}',
                        "information_need": "to walk",
                        "judgements": [
                            {"rating": 3.0, "unrateable": False, "user_email": "ann"},
                            {"rating": 3.0, "unrateable": False, "user_email": "bob"},
                        ],
                    },
                    {
                        "query_text": RED,
                        "doc_id": "doc9",
                        "judgements": [{"rating": 1.0, "user_email": "ann"}],
                    },
                    {
                        "query_text": BLUE,
                        "doc_id": "doc2",
                        "judgements": [{"rating": 2.0, "user_email": "ann"}],
                    },
                    {
                        "query_text": BLUE,
                        "doc_id": "doc4",
                        "judgements": [{"rating": None, "unrateable": True}],
                    },
                ],
            }
        ),
        TWO,
    ),
    "quepid_case": (
        text(
            {
                "case_name": "Shop",
                "queries": _nested("query_text", "ratings", "doc_id", "rating"),
                "try": {"name": "Try 1"},
            }
        ),
        TWO,
    ),
    "quepid_ratings": (text({"ratings": _judged("query_text", "doc_id", "rating")}), TWO),
    "srw_judgments": (
        text(
            {
                "name": "ratings",
                "judgmentRatings": [
                    {
                        "query": RED,
                        "ratings": [
                            {"docId": "doc7", "rating": "3.0"},
                            {"docId": "doc9", "rating": "1.0"},
                        ],
                        "failures": [{"docId": "doc4"}],
                    },
                    {"query": BLUE, "ratings": [{"docId": "doc2", "rating": "2.0"}]},
                ],
            }
        ),
        TWO,
    ),
    "relevance_studio": (
        text(
            {
                "judgments": [
                    {"scenario_id": "s1", "index": "i", "doc_id": "doc7", "rating": 3},
                    {"scenario_id": "s1", "index": "i", "doc_id": "doc9", "rating": 1},
                    {"scenario_id": "s2", "index": "i", "doc_id": "doc2", "rating": 2},
                ],
                "scenarios": [
                    {"_id": "s1", "name": "one", "values": {"text": RED}, "tags": ["shop"]},
                    {"_id": "s2", "name": BLUE, "values": {}, "tags": []},
                ],
            }
        ),
        TWO,
    ),
    "umbrela": (
        lines(
            {
                "query": {"text": RED, "qid": "q1"},
                "candidates": [
                    {"docid": "doc7", "doc": {"segment": "Red"}, "judgment": 3},
                    {"docid": "doc9", "judgment": 1, "result_status": "ok"},
                    {"docid": "doc4", "judgment": 0, "result_status": "unparseable"},
                ],
            },
            {
                "query": {"text": BLUE, "qid": "q2"},
                "candidates": [{"docid": "doc2", "judgment": 2}],
            },
        ),
        TWO,
    ),
    "ragas": (
        lines(
            {
                "user_input": RED,
                "reference": "walk",
                "reference_context_ids": ["doc7", "doc9"],
                "synthesizer_name": "single_hop",
            },
            {"user_input": BLUE, "reference_context_ids": ["doc2"], "query_style": "POOR"},
        ),
        RELEVANT,
    ),
    "langsmith": (
        text(
            [
                {
                    "id": "q1",
                    "inputs": {"question": RED},
                    "outputs": {"doc_ids": ["doc7", "doc9"], "answer": "walk"},
                    "metadata": {},
                    "split": "train",
                },
                {"id": "q2", "inputs": {"question": BLUE}, "outputs": {"documents": ["doc2"]}},
            ]
        ),
        RELEVANT,
    ),
    "langfuse": (
        text(
            [
                {
                    "id": "q1",
                    "input": {"query": RED},
                    "expectedOutput": {"doc_ids": ["doc7", "doc9"]},
                    "metadata": None,
                },
                {"id": "q2", "input": BLUE, "expectedOutput": {"ids": [{"id": "doc2"}]}},
            ]
        ),
        RELEVANT,
    ),
    "phoenix": (
        lines(
            {"input": {"question": RED}, "output": {"ids": ["doc7", "doc9"]}, "metadata": {}},
            {"input": {"question": BLUE}, "output": {}, "metadata": {"doc_ids": ["doc2"]}},
        ),
        RELEVANT,
    ),
    "deepeval": (
        text(
            [
                {
                    "input": RED,
                    "expected_output": "walk",
                    "context": ["…"],
                    "additional_metadata": {"doc_ids": ["doc7", "doc9"]},
                },
                {"input": BLUE, "expected_output": "wear", "source_file": "doc2"},
            ]
        ),
        RELEVANT,
    ),
    "autorag": (
        lines(
            {
                "qid": "q1",
                "query": RED,
                "retrieval_gt": [["doc7"], ["doc9"]],
                "generation_gt": ["walk"],
            },
            {"qid": "q2", "query": BLUE, "retrieval_gt": [["doc2"]], "generation_gt": []},
        ),
        RELEVANT,
    ),
    "llama_index": (
        text(
            {
                "queries": {"q1": RED, "q2": BLUE},
                "corpus": {"doc7": "Red", "doc9": "Old", "doc2": "Blue"},
                "relevant_docs": {"q1": ["doc7", "doc9"], "q2": ["doc2"]},
                "mode": "text",
            }
        ),
        RELEVANT,
    ),
    "rre": (
        text(
            {
                "index": "shop",
                "topics": [
                    {"description": "shoes", "query_groups": [{"name": "red", **_GROUP}]},
                    {"description": "hats", "query_groups": [{"queries": [_LISTED]}]},
                ],
            }
        ),
        TWO,
    ),
    "rank_eval": (
        text(
            {
                "requests": [
                    {
                        "id": "q1",
                        "request": {"query": {"bool": {"must": [{"match": {"text": RED}}]}}},
                        "ratings": [
                            {"_index": "i", "_id": "doc7", "rating": 3},
                            {"_index": "i", "_id": "doc9", "rating": 1},
                        ],
                    },
                    {
                        "id": "q2",
                        "template_id": "t",
                        "params": {"query_string": BLUE},
                        "ratings": [{"_index": "i", "_id": "doc2", "rating": 2}],
                    },
                ],
                "metric": {"precision": {"k": 10, "relevant_rating_threshold": 1}},
            }
        ),
        TWO,
    ),
}

JUDGMENTS: Final[dict[str, tuple[bytes, Votes]]] = {
    "trec_qrels": (b"# pooled\nq1 0 doc7 3\nq1\t0  doc9 1\r\n\nq2 Q0 doc2 2\n", BY_ID),
    "smart_qrels": (b"1 7 3\n1 9 1\n2 2 2 \n", BY_NUMBER),
    "smart_rel": (
        b"     1     7\t0\t0.000000\r\n     1     9\t0\t0.000000\r\n     2     2\t0\t0.000000\r\n",
        {("1", "7", 1), ("1", "9", 1), ("2", "2", 1)},
    ),
    "ir_measures": (
        table("query_id|doc_id|relevance|iteration", *[[q, d, g, 0] for q, d, g in sorted(BY_ID)]),
        BY_ID,
    ),
    "beir_qrels": (
        table("query-id|corpus-id|score", *[list(one) for one in sorted(BY_ID)], delimiter="\t"),
        BY_ID,
    ),
    "ranx_table": (table("q_id|doc_id|score", *[list(one) for one in sorted(BY_ID)]), BY_ID),
    "lara": (
        table(
            "topic_id|doc_id|annotation|prob_0|prob_1",
            *[[*one, 0.25, 0.75] for one in sorted(BY_ID)],
        ),
        BY_ID,
    ),
    "ranx": (text({"q1": {"doc7": 3, "doc9": 1}, "q2": {"doc2": 2}}), BY_ID),
}

ASKED: Final[dict[str, bytes]] = {
    "topics_tsv": f"q1\t{RED}\nq2\t{BLUE}\n".encode(),
    "topics_trec": (
        f"<top>\n<num> Number: q1\n<title> {RED}\n<desc> Description:\nto walk\n</top>\n"
        f"<top><num>q2</num><title>{BLUE}</title></top>\n"
    ).encode(),
    "topics_doc": (
        f"<DOC>\n<DOCNO> q1 </DOCNO>\n{RED}\n</DOC>\n<DOC><DOCNO>q2</DOCNO> {BLUE} </DOC>\n"
    ).encode(),
    "topics_smart": f".I 1\n.W\n{RED}\n.I 2\n.W\n{BLUE}\n".encode(),
    "beir_queries": lines({"_id": "q1", "text": RED}, {"_id": "q2", "text": BLUE, "metadata": {}}),
    "srw_queries": text(
        {"name": "n", "querySetQueries": [{"queryText": RED}, {"queryText": BLUE}]}
    ),
    "srw_text": f'query: "{RED}", answer: "walk"\nquery: "{BLUE}"\n'.encode(),
    "information_needs": table(
        "query|information_need", [RED, "to walk"], [BLUE, "to be seen, in rain"]
    ),
}

DOCUMENTS: Final[dict[str, bytes]] = {
    "beir_corpus": lines(
        {"_id": "doc7", "title": "Red", "text": "Shoes"}, {"_id": "doc9", "title": "", "text": ""}
    ),
    "corpus_smart": b".I 7\n.T\nRed\n.A\nAnn\n.W\nShoes\n.I 9\n.T\nOld\n.W\nShoes\n",
    "corpus_ids": b"doc7\ndoc9\n",
}

RUNS: Final[dict[str, bytes]] = {
    "trec_run": b"q1 Q0 doc7 1 12.5 bm25\nq1 Q0 doc9 2 1e-3 bm25\n",
    "ranx_run": text({"q1": {"doc7": 12.5, "doc9": 0.1}}),
}
PREFERENCES: Final = b"q1 A A1 doc7 2\nq1 A A1 doc9 0\n"

OPTIONS: Final[dict[str, dict[str, Any]]] = {
    "columns": {"columns": "query:Query Text,docid:Doc ID,rating:Rating"},
    "esci": {"grades": "E:3,S:2,C:1,I:0"},
}
PARTS: Final = {"corpus_ids": "corpus"}
SAMPLES: Final[dict[str, bytes]] = {
    **{name: body for name, (body, _) in (BOTH | JUDGMENTS).items()},
    **ASKED,
    **DOCUMENTS,
    **RUNS,
    "trec_prefs": PREFERENCES,
}
