"""BEIR's lines of queries and documents, other lists of documents, and OpenSearch's query lines."""

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

import msgspec

from service.core.ingest.formats.format import Format, Holds, Likeness, Opened, certain, likely
from service.core.ingest.formats.records import lines_of
from service.core.ingest.formats.rows import Asked, Known, Misfit, Row
from service.core.ingest.formats.sample import Sample
from service.core.ingest.formats.topics import read_records

_QUERY: Final = re.compile(
    r'\s*query:\s*(?P<text>"(?:[^"\\]|\\.)*")\s*(?:,\s*answer:\s*"(?:[^"\\]|\\.)*"\s*)?,?\s*'
)
_DOCUMENT_NAMES: Final = ("corpus", "doc", "product", "passage")
_OTHERS: Final = frozenset({"relevant", "query", "judgments", "relevant_ids"})
_ID: Final = ("_id", "id", "doc_id", "docid")
_RECORD: Final = msgspec.json.Decoder(dict[str, Any])


def _is_text_record(sample: Sample) -> bool:
    record = sample.record
    return (
        ("_id" in record or "id" in record)
        and isinstance(record.get("text"), str)
        and not _OTHERS & set(record)
    )


def _is_corpus(sample: Sample) -> bool:
    record = sample.record
    if sample.part in ("corpus", "queries", "topics"):
        return sample.part == "corpus"
    return "title" in record or any(name in sample.name for name in _DOCUMENT_NAMES)


def _detect_queries(sample: Sample) -> Likeness | None:
    if not _is_text_record(sample) or _is_corpus(sample):
        return None
    return certain("its lines have _id and text, and no title")


def _detect_corpus(sample: Sample) -> Likeness | None:
    if sample.is_json and sample.part == "corpus" and set(_ID) & set(sample.record):
        return certain("it was sent as the corpus, and its records have ids")
    if not _is_text_record(sample) or not _is_corpus(sample):
        return None
    if "title" in sample.record or sample.part == "corpus":
        return certain("its lines have _id, title and text")
    return likely("its lines have an id and a text, and its name is that of documents")


def _read_queries(opened: Opened) -> Iterator[Row]:
    for at, record in _records(opened):
        if isinstance(record, Misfit):
            yield record
            continue
        name, text = record.get("_id", record.get("id")), record.get("text")
        if isinstance(name, (str, int)) and isinstance(text, str):
            yield Asked(str(name), text, at)
        else:
            yield Misfit(at, "not_a_query", "no _id and text", 'Write {"_id": "1", "text": "…"}.')


def _read_corpus(opened: Opened) -> Iterator[Row]:
    for at, record in _records(opened):
        if isinstance(record, Misfit):
            yield record
            continue
        name = next((record[one] for one in _ID if one in record), None)
        if isinstance(name, (str, int)):
            yield Known(str(name))
        else:
            yield Misfit(at, "not_a_document", "no _id", 'Write {"_id": "1", "text": "…"}.')


def _records(opened: Opened) -> Iterator[tuple[int, dict[str, Any] | Misfit]]:
    rows: Iterable[tuple[int, bytes | msgspec.Raw]] = lines_of(opened)
    if not opened.sample.is_lines and isinstance(opened.sample.document, list):
        rows = enumerate(opened.sample.document, 1)
    for at, raw in rows:
        try:
            yield at, _RECORD.decode(raw)
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as exc:
            fix = "Write a JSON object a line, in UTF-8."
            yield at, Misfit(at, "bad_record", f"no JSON object: {exc}", fix)


def _detect_smart(sample: Sample) -> Likeness | None:
    marks = [line[:2] for line in sample.lines if line.startswith(".")]
    if marks[:1] != [".I"] or not sample.lines[0].startswith(".I"):
        return None
    if marks[1:2] == [".W"] and sample.part != "corpus":
        return None
    return certain("records begin with .I and have titles")


def _read_smart(opened: Opened) -> Iterator[Row]:
    for at, name, _ in read_records(opened):
        yield Known(name) if name else Misfit(at, "not_a_document", "no number", "Write `.I 1`.")


def _detect_names(sample: Sample) -> Likeness | None:
    if sample.part != "corpus" or sample.is_json or sample.share(lambda cells: len(cells) == 1) < 1:
        return None
    return likely("it was sent as the corpus, and its lines are one word each")


def _read_names(opened: Opened) -> Iterator[Row]:
    with opened.file.text(opened.sample.encoding) as stream:
        for line in stream:
            if line.strip():
                yield Known(line.strip())


def _detect_srw_text(sample: Sample) -> Likeness | None:
    if sample.is_json or not sample.lines:
        return None
    fitting = sum(bool(_QUERY.fullmatch(line)) for line in sample.lines) / len(sample.lines)
    if fitting == 1:
        return certain('lines are `query: "…", answer: "…"`')
    return likely(f"`query: …` on {fitting:.0%} of the first lines") if fitting >= 0.5 else None  # noqa: PLR2004


def _read_srw_text(opened: Opened) -> Iterator[Row]:
    with opened.file.text(opened.sample.encoding) as stream:
        for at, line in enumerate(stream, 1):
            found = _QUERY.fullmatch(line)
            try:
                if found:
                    yield Asked("", msgspec.json.decode(found["text"], type=str), at)
                    continue
            except (msgspec.DecodeError, UnicodeError):
                pass
            if line.strip():
                fix = 'Write `query: "red shoes", answer: "yes"`.'
                yield Misfit(at, "not_a_query", "no quoted query", fix)


FORMATS: Final = (
    Format(
        name="beir_queries",
        holds=Holds.QUERIES,
        about="BEIR's and MTEB's queries.jsonl",
        example='{"_id": "q1", "text": "red shoes"}',
        detect=_detect_queries,
        read=_read_queries,
    ),
    Format(
        name="beir_corpus",
        holds=Holds.CORPUS,
        about="BEIR's corpus.jsonl: only its ids are read, to check those that are judged",
        example='{"_id": "doc7", "title": "Red", "text": "Shoes that are red"}',
        detect=_detect_corpus,
        read=_read_corpus,
    ),
    Format(
        name="corpus_smart",
        holds=Holds.CORPUS,
        about="SMART documents (.ALL): only their numbers are read",
        example=".I 1\n.T\nRed shoes\n.W\nShoes that are red",
        detect=_detect_smart,
        read=_read_smart,
    ),
    Format(
        name="corpus_ids",
        holds=Holds.CORPUS,
        about="ids of documents, one a line, or the names of files in a tar; as the part corpus",
        example="doc7\ndoc9",
        detect=_detect_names,
        read=_read_names,
    ),
    Format(
        name="srw_text",
        holds=Holds.QUERIES,
        about="an OpenSearch query set as text; answers are not kept",
        example='query: "red shoes", answer: "yes"',
        detect=_detect_srw_text,
        read=_read_srw_text,
    ),
)
