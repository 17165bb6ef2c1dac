"""Turning what people have (structs, dicts, files in four formats) into an upload call.

Reads files where the format has to be found or the whole is needed; sends nothing.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, TypedDict

import msgspec

from reteval._requests import JSON, Call, Part
from reteval.contract.limits import MAX_JSON_BYTES, MAX_LINE_BYTES
from reteval.contract.testsets import TestSet, TestSetUpload

Source = TestSetUpload | Mapping[str, Any] | str | os.PathLike[str]
NDJSON: Final = "application/x-ndjson"
CSV: Final = "text/csv"
BY_SUFFIX: Final = {".ndjson": NDJSON, ".jsonl": NDJSON, ".csv": CSV, ".tsv": CSV}
UPLOAD_S: Final = 300.0
"""A large set is checked and stored before the answer comes."""


class HeadOptions(TypedDict, total=False):
    """Everything of a test set but its queries; for a JSON source these go before its own."""

    name: str
    scale_max: int
    relevant_from: int
    language: str
    id_rule: str
    allow_unscorable: bool


def upload(source: Source, head: HeadOptions) -> Call[TestSet]:
    """Build the upload of a test set, or of a JSON, NDJSON or CSV file.

    NDJSON and CSV files, and JSON files that need no change, are sent from disk piece by
    piece. A document too large for one JSON body goes as NDJSON.

    Raises:
        OSError: a file that cannot be read.
        ValueError: a JSON file that has to be read here and is no JSON object.
    """
    if not isinstance(source, (str, os.PathLike)):
        return _document_call(source, head)
    path = Path(source)
    media_type = media_type_of(path)
    if media_type != JSON:
        return _call(media_type, params=head_params(head), file=path)
    if head or path.stat().st_size > MAX_JSON_BYTES:
        return _document_call(_json_object(path), head)
    return _call(JSON, file=path)


def upload_trec(
    topics: str | os.PathLike[str], qrels: str | os.PathLike[str], head: HeadOptions
) -> Call[TestSet]:
    """Build the upload of a TREC topics file with its qrels.

    Raises:
        OSError: a file that cannot be read.
    """
    paths = {"topics": Path(topics), "qrels": Path(qrels)}
    parts = tuple(
        Part(name=name, filename=path.name, content=path.read_bytes())
        for name, path in paths.items()
    )
    return _call(None, params=head_params(head), parts=parts)


def media_type_of(path: Path) -> str:
    """Tell the format of a file: by its suffix, else by how its content begins."""
    if path.suffix.lower() in BY_SUFFIX:
        return BY_SUFFIX[path.suffix.lower()]
    with path.open("rb") as file:
        start = file.read(MAX_LINE_BYTES).removeprefix(b"\xef\xbb\xbf").lstrip()
    if not start.startswith(b"{"):
        return JSON if path.suffix.lower() == ".json" else CSV
    try:
        first = msgspec.json.decode(start.partition(b"\n")[0])
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return JSON
    return NDJSON if "query" in first else JSON


def head_params(head: HeadOptions) -> dict[str, str]:
    """Spell the head as query parameters."""
    return {name: _param(value) for name, value in head.items() if value is not None}


def _document_call(source: TestSetUpload | Mapping[str, Any], head: HeadOptions) -> Call[TestSet]:
    document = {**msgspec.to_builtins(source), **_json_head(head)}
    body = msgspec.json.encode(document)
    queries = document.get("queries")
    if len(body) <= MAX_JSON_BYTES or not isinstance(queries, list):
        return _call(JSON, content=body)
    lines = b"".join(msgspec.json.encode(query) + b"\n" for query in queries)
    return _call(NDJSON, params=_params_of(document), content=lines)


def _json_head(head: HeadOptions) -> dict[str, Any]:
    fields: dict[str, Any] = {name: value for name, value in head.items() if value is not None}
    if "scale_max" in fields:
        fields["scale"] = {"max": fields.pop("scale_max")}
    return fields


def _params_of(document: dict[str, Any]) -> dict[str, str]:
    rest = {name: value for name, value in document.items() if name != "queries"}
    if "scale" in rest:
        scale = rest.pop("scale")
        rest["scale_max"] = scale["max"] if isinstance(scale, dict) and "max" in scale else scale
    return {name: _param(value) for name, value in rest.items() if value != ""}


def _param(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _json_object(path: Path) -> dict[str, Any]:
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, Any])
    except (msgspec.MsgspecError, UnicodeDecodeError) as exc:
        raise ValueError(f"{str(path)!r} is no JSON object: {exc}") from exc


def _call(
    media_type: str | None,
    *,
    params: dict[str, str] | None = None,
    content: bytes | None = None,
    file: Path | None = None,
    parts: tuple[Part, ...] = (),
) -> Call[TestSet]:
    # Repeatable because the same content under the same name answers the same test set.
    return Call(
        method="POST",
        path="/v1/test-sets",
        expect=TestSet,
        params=params or {},
        headers={"accept": JSON} | ({"content-type": media_type} if media_type else {}),
        content=content,
        file=file,
        parts=parts,
        repeatable=True,
        extra_s=UPLOAD_S,
    )
