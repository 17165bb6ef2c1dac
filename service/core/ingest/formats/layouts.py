"""JSON of other tools, as data: where records stand, and what their members mean."""

from typing import Final

from service.core.ingest.formats.format import Holds
from service.core.ingest.formats.layout import Layout, Paths, Shape


def _keys(text: str) -> frozenset[str]:
    return frozenset(text.split())


_DOCUMENT_LISTS: Final = ("doc_ids", "document_ids", "documents", "relevant_ids", "ids", "docs")


def _inside(*parents: str) -> Paths:
    return tuple(f"{parent}.{name}" for parent in parents for name in _DOCUMENT_LISTS)


_ASKED: Final = ("question", "query", "input", "prompt", "text")


def _asked(parent: str) -> Paths:
    return (*(f"{parent}.{name}" for name in _ASKED), parent)


SHAPES: Final = (
    Shape(
        name="queries_jsonl",
        holds=Holds.BOTH,
        about="a query a line with its text under `text`, and relevant as in our own lines",
        example='{"id": "q1", "text": "red shoes", "relevant": [{"id": "doc7", "grade": 2}]}',
        layouts=(
            Layout(
                keys=_keys("text relevant"),
                without=_keys("query"),
                query=("text",),
                id=("id",),
                judgments="relevant",
                document=("id",),
                grade=("grade",),
                need=("information_need",),
                split=("split",),
                source=("source",),
                tags=("slice", "tags"),
            ),
        ),
    ),
    Shape(
        name="quepid_book",
        holds=Holds.BOTH,
        about="Quepid's book: pairs with every rater's judgment",
        example='{"query_doc_pairs": [{"query_text": "red shoes", "doc_id": "doc7", '
        '"judgements": [{"rating": 2.0, "user_email": "ann"}]}]}',
        layouts=(
            Layout(
                keys=_keys("query_text doc_id judgements"),
                under=("query_doc_pairs",),
                query=("query_text",),
                judgments="judgements",
                document=("doc_id",),
                grade=("rating",),
                rater=("user_email",),
                need=("information_need",),
            ),
        ),
    ),
    Shape(
        name="quepid_case",
        holds=Holds.BOTH,
        about="Quepid's case, or a snapshot of one, with its queries and their ratings",
        example='{"case_name": "C", "queries": [{"query_text": "red shoes", "ratings": '
        '[{"doc_id": "doc7", "rating": 2}]}]}',
        layouts=(
            Layout(
                keys=_keys("query_text ratings"),
                under=("queries",),
                query=("query_text",),
                judgments="ratings",
                document=("doc_id",),
                grade=("rating",),
                rater=("user_email",),
                need=("information_need",),
            ),
        ),
    ),
    Shape(
        name="quepid_ratings",
        holds=Holds.BOTH,
        about="what Quepid's ratings API answers",
        example='{"ratings": [{"query_text": "red shoes", "doc_id": "doc7", "rating": 2}]}',
        layouts=(
            Layout(
                keys=_keys("query_text doc_id rating"),
                under=("ratings",),
                query=("query_text",),
                document=("doc_id",),
                grade=("rating",),
                rater=("user_email",),
            ),
        ),
    ),
    Shape(
        name="srw_judgments",
        holds=Holds.BOTH,
        about="OpenSearch Search Relevance Workbench judgments, also under their old name "
        "judgmentScores; what failed there is unrated",
        example='{"judgmentRatings": [{"query": "red shoes", "ratings": '
        '[{"docId": "doc7", "rating": "1.0"}]}]}',
        layouts=(
            Layout(
                keys=_keys("query"),
                any_keys=_keys("ratings scores"),
                under=("judgmentRatings", "judgmentScores"),
                query=("query",),
                judgments="ratings",
                document=("docId",),
                grade=("rating", "score"),
                failed="failures",
            ),
        ),
    ),
    Shape(
        name="srw_queries",
        holds=Holds.QUERIES,
        about="an OpenSearch query set, or its lines; reference answers are not kept",
        example='{"querySetQueries": [{"queryText": "red shoes", "referenceAnswer": "yes"}]}',
        layouts=(
            Layout(keys=_keys("queryText"), under=("querySetQueries",), query=("queryText",)),
        ),
    ),
    Shape(
        name="relevance_studio",
        holds=Holds.BOTH,
        about="Elastic's Relevance Studio: scenarios, and judgments that name them",
        example='{"scenarios": [{"_id": "s1", "name": "red shoes", "values": {"text": "red '
        'shoes"}}], "judgments": [{"scenario_id": "s1", "index": "i", "doc_id": "doc7", '
        '"rating": 2}]}',
        layouts=(
            Layout(
                keys=_keys("name values"),
                any_keys=_keys("_id id"),
                under=("scenarios",),
                query=("values.text", "values.query", "values.q", "name"),
                id=("_id", "id"),
                tags=("tags",),
            ),
            Layout(
                keys=_keys("scenario_id doc_id rating"),
                under=("judgments",),
                id=("scenario_id",),
                document=("doc_id",),
                grade=("rating",),
            ),
        ),
    ),
    Shape(
        name="umbrela",
        holds=Holds.BOTH,
        about="UMBRELA's records; a candidate without a judgment, or whose status is no success, "
        "is unrated",
        example='{"query": {"text": "red shoes", "qid": "q1"}, "candidates": '
        '[{"docid": "doc7", "judgment": 2}]}',
        layouts=(
            Layout(
                keys=_keys("query candidates"),
                objects=_keys("query"),
                query=("query.text",),
                id=("query.qid",),
                judgments="candidates",
                document=("docid",),
                grade=("judgment",),
                failed="result_status",
            ),
        ),
    ),
    Shape(
        name="ragas",
        holds=Holds.BOTH,
        about="Ragas test sets; reference_context_ids are the relevant documents",
        example='{"user_input": "red shoes?", "reference_context_ids": ["doc7"]}',
        layouts=(
            Layout(
                keys=_keys("user_input"),
                under=("samples", "dataset"),
                query=("user_input",),
                documents=("reference_context_ids",),
                source=("synthesizer_name",),
                tags=("query_style", "query_length"),
            ),
        ),
    ),
    Shape(
        name="langsmith",
        holds=Holds.BOTH,
        about="LangSmith examples; the relevant documents are a list in outputs",
        example='{"id": "q1", "inputs": {"question": "red shoes?"}, '
        '"outputs": {"doc_ids": ["doc7"]}}',
        layouts=(
            Layout(
                keys=_keys("inputs outputs"),
                objects=_keys("inputs"),
                under=("examples",),
                query=tuple(f"inputs.{name}" for name in _ASKED),
                id=("id",),
                documents=_inside("outputs", "metadata"),
                split=("split", "metadata.dataset_split"),
            ),
        ),
    ),
    Shape(
        name="langfuse",
        holds=Holds.BOTH,
        about="Langfuse dataset items; the relevant documents are a list in expectedOutput",
        example='{"id": "q1", "input": {"question": "red shoes?"}, '
        '"expectedOutput": {"doc_ids": ["doc7"]}}',
        layouts=(
            Layout(
                keys=_keys("input expectedOutput"),
                under=("items", "data"),
                query=_asked("input"),
                id=("id",),
                documents=_inside("expectedOutput", "metadata"),
            ),
        ),
    ),
    Shape(
        name="phoenix",
        holds=Holds.BOTH,
        about="Phoenix examples; the relevant documents are a list in output or metadata",
        example='{"id": "q1", "input": {"question": "red shoes?"}, "output": '
        '{"doc_ids": ["doc7"]}, "metadata": {}}',
        layouts=(
            Layout(
                keys=_keys("input output metadata"),
                objects=_keys("input output"),
                under=("examples",),
                query=_asked("input"),
                id=("id", "example_id"),
                documents=_inside("output", "metadata"),
                split=("split",),
            ),
        ),
    ),
    Shape(
        name="deepeval",
        holds=Holds.BOTH,
        about="DeepEval goldens; the source file is the relevant document, unless "
        "additional_metadata lists some",
        example='{"input": "red shoes?", "expected_output": "yes", "source_file": "doc7"}',
        layouts=(
            Layout(
                keys=_keys("input"),
                any_keys=_keys("expected_output context retrieval_context source_file"),
                without=_keys("expectedOutput"),
                under=("goldens",),
                query=("input",),
                documents=(*_inside("additional_metadata", "additionalMetadata"), "source_file"),
            ),
        ),
    ),
    Shape(
        name="autorag",
        holds=Holds.BOTH,
        about="AutoRAG's qa table: retrieval_gt lists the relevant documents, in groups",
        example='{"qid": "q1", "query": "red shoes?", "retrieval_gt": [["doc7"]]}',
        layouts=(
            Layout(
                keys=_keys("qid query retrieval_gt"),
                query=("query",),
                id=("qid",),
                documents=("retrieval_gt",),
            ),
        ),
    ),
)
