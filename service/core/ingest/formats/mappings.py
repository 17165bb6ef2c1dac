"""JSON whose keys are ids: ranx qrels, and LlamaIndex's question and context pairs."""

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from service.core.ingest.formats.format import (
    Format,
    Holds,
    Likeness,
    Opened,
    certain,
    refuse_run,
)
from service.core.ingest.formats.records import flatten
from service.core.ingest.formats.rows import Asked, Misfit, Row, Vote
from service.core.ingest.formats.sample import Sample

_GRADES: Final = msgspec.json.Decoder(dict[str, int | float | str])
_SCORES: Final = msgspec.json.Decoder(dict[str, int | float])
_LLAMA: Final = ("queries", "relevant_docs")


def _members(sample: Sample) -> dict[str, msgspec.Raw]:
    if not sample.is_json or sample.is_lines or not isinstance(sample.document, dict):
        return {}
    return sample.document


def _detect_ranx(sample: Sample) -> Likeness | None:
    grades = _first_values(sample)
    if not grades or not all(isinstance(grade, int) for grade in grades):
        return None
    return certain("it maps queries to documents, and these to whole numbers")


def _detect_run(sample: Sample) -> Likeness | None:
    scores = _first_values(sample)
    if not scores or not any(isinstance(score, float) for score in scores):
        return None
    return certain("it maps queries to documents, and these to scores")


def _first_values(sample: Sample) -> list[int | float]:
    first = next(iter(_members(sample).values()), None)
    if first is None:
        return []
    try:
        return list(_SCORES.decode(first).values())
    except (msgspec.DecodeError, RecursionError):
        return []


def _read_ranx(opened: Opened) -> Iterator[Row]:
    fix = 'Write {"query": {"document": grade}}.'
    for at, (name, raw) in enumerate(_members(opened.sample).items(), 1):
        opened.pointer = f"/{_escaped(name)}"
        try:
            grades = _GRADES.decode(raw)
        except (msgspec.DecodeError, RecursionError) as exc:
            yield Misfit(at, "not_a_judgment", f"query {name[:200]!r}: {exc}", fix)
            continue
        for document, grade in grades.items():
            yield Vote(name, None, document, grade, at)


def _escaped(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1").replace("{", "{{").replace("}", "}}")


def _detect_llama(sample: Sample) -> Likeness | None:
    members = _members(sample)
    if not set(_LLAMA) <= set(members):
        return None
    if any(bytes(memoryview(members[name])[:1]) != b"{" for name in _LLAMA):
        return None
    return certain("it has queries and relevant_docs by id")


def _read_llama(opened: Opened) -> Iterator[Row]:
    fix = "Write ids with texts under queries, ids with lists under relevant_docs."
    for part in _LLAMA:
        opened.pointer = f"/{part}"
        try:
            rows = msgspec.json.decode(_members(opened.sample)[part], type=dict[str, Any])
        except (msgspec.DecodeError, RecursionError) as exc:
            yield Misfit(1, "bad_record", f"{part}: {exc}", fix)
            continue
        for at, (name, value) in enumerate(rows.items(), 1):
            if part == "queries" and isinstance(value, str):
                yield Asked(name, value, at)
            elif part != "queries" and isinstance(value, list):
                yield from (Vote(name, None, document, 1, at) for document in flatten(value))
            else:
                yield Misfit(at, "bad_record", f"{part}: {name[:200]!r} has another form", fix)


FORMATS: Final = (
    Format(
        name="ranx",
        holds=Holds.JUDGMENTS,
        about="ranx qrels as JSON; their grades are whole numbers",
        example='{"q1": {"doc7": 2, "doc9": 0}}',
        detect=_detect_ranx,
        read=_read_ranx,
    ),
    Format(
        name="ranx_run",
        holds=Holds.RUN,
        about="a ranx run as JSON; goes to POST /v1/rankings, and is named as such here",
        example='{"q1": {"doc7": 12.5, "doc9": 0.1}}',
        detect=_detect_run,
        read=refuse_run,
    ),
    Format(
        name="llama_index",
        holds=Holds.BOTH,
        about="LlamaIndex's EmbeddingQAFinetuneDataset; each relevant document is grade 1",
        example='{"queries": {"q1": "red shoes"}, "corpus": {"doc7": "…"}, '
        '"relevant_docs": {"q1": ["doc7"]}, "mode": "text"}',
        detect=_detect_llama,
        read=_read_llama,
    ),
)
