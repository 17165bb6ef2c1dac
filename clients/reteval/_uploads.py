"""Turning what people have (structs, dicts, files of any format) into an upload call.

Reads files where the format has to be found or the whole is needed; sends nothing.
"""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypedDict

import msgspec

from reteval._requests import JSON, Call, Part
from reteval.contract.imports import ImportPreview
from reteval.contract.limits import MAX_JSON_BYTES, MAX_LINE_BYTES
from reteval.contract.testsets import TestSet, TestSetUpload

Source = TestSetUpload | Mapping[str, Any] | str | os.PathLike[str]
NDJSON: Final = "application/x-ndjson"
CSV: Final = "text/csv"
BINARY: Final = "application/octet-stream"
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


class UploadOptions(HeadOptions, total=False):
    """And how files of other tools are read, see `reteval.contract.imports.ImportOptions`.

    `corpus` is a file of documents that judged ids are checked against.
    """

    format: str
    columns: str
    grades: str
    reverse: str
    negatives: str
    consensus: str
    models: str
    query_ids: str
    texts: str
    unlabelled: str
    on_error: str
    corpus: str | os.PathLike[str]


def upload(
    source: Source, options: UploadOptions, more: Sequence[str | os.PathLike[str]] = ()
) -> Call[TestSet]:
    """Build the upload of a test set, or of files in any format.

    One file is sent from disk piece by piece, but for a JSON file of ours that needs a change;
    several are sent as parts. A document too large for one JSON body goes as NDJSON.

    Raises:
        OSError: a file that cannot be read.
        ValueError: a JSON file that has to be read here and is no JSON; several sources of which
            one is no file.
    """
    if more or "corpus" in options:
        return _parts_call(source, more, options)
    if not isinstance(source, (str, os.PathLike)):
        return _document_call(source, options)
    path = Path(source)
    media_type = media_type_of(path)
    if media_type == JSON and (options or path.stat().st_size > MAX_JSON_BYTES):
        document = _json_of(path)
        if _is_ours(document):
            return _document_call(document, options)
        media_type = BINARY
    return _call(media_type, params=head_params(options), file=path)


def preview(call: Call[TestSet]) -> Call[ImportPreview]:
    """Build the dry run of an upload."""
    return Call(
        method=call.method,
        path=call.path,
        expect=ImportPreview,
        params={**call.params, "dry_run": "true"},
        headers=call.headers,
        content=call.content,
        file=call.file,
        parts=call.parts,
        repeatable=True,
        extra_s=call.extra_s,
    )


def upload_trec(
    topics: str | os.PathLike[str], qrels: str | os.PathLike[str], options: UploadOptions
) -> Call[TestSet]:
    """Build the upload of a TREC topics file with its qrels.

    Raises:
        OSError: a file that cannot be read.
    """
    return _files_call({"topics": Path(topics), "qrels": Path(qrels)}, options)


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
    """Spell the head, and how files are read, as query parameters."""
    return {name: _param(value) for name, value in head.items() if value is not None}


def _parts_call(
    source: Source, more: Sequence[str | os.PathLike[str]], options: UploadOptions
) -> Call[TestSet]:
    if not isinstance(source, (str, os.PathLike)):
        raise ValueError("several sources: each must be a file")  # noqa: TRY004 - of an option
    named = {f"file{n}": Path(path) for n, path in enumerate((source, *more), 1)}
    return _files_call(named, options)


def _files_call(paths: dict[str, Path], options: UploadOptions) -> Call[TestSet]:
    if "corpus" in options:
        paths["corpus"] = Path(options["corpus"])
    params = head_params(options)
    params.pop("corpus", None)
    parts = tuple(
        Part(name=name, filename=path.name, content=path.read_bytes())
        for name, path in paths.items()
    )
    return _call(None, params=params, parts=parts)


def _document_call(source: TestSetUpload | Mapping[str, Any], head: HeadOptions) -> Call[TestSet]:
    document = {**msgspec.to_builtins(source), **_json_head(head)}
    body = msgspec.json.encode(document)
    queries = document.get("queries")
    if len(body) <= MAX_JSON_BYTES or not isinstance(queries, list):
        return _call(JSON, content=body)
    lines = b"".join(msgspec.json.encode(query) + b"\n" for query in queries)
    return _call(NDJSON, params=_params_of(document), content=lines)


def _json_head(head: HeadOptions) -> dict[str, Any]:
    fields: dict[str, Any] = {
        name: value
        for name, value in head.items()
        if value is not None and name in HeadOptions.__optional_keys__
    }
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


def _json_of(path: Path) -> Any:
    try:
        return msgspec.json.decode(path.read_bytes())
    except (msgspec.MsgspecError, UnicodeDecodeError) as exc:
        raise ValueError(f"{str(path)!r} is no JSON: {exc}") from exc


def _is_ours(document: Any) -> bool:
    queries = document.get("queries") if isinstance(document, dict) else None
    if not isinstance(queries, list):
        return False
    return not queries or (isinstance(queries[0], dict) and "query" in queries[0])


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
