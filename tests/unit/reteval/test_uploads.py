from pathlib import Path

import msgspec
import pytest

from reteval import _uploads
from reteval._requests import JSON
from reteval._uploads import BINARY, CSV, NDJSON, media_type_of
from reteval.contract.imports import ImportPreview
from reteval.contract.limits import MAX_JSON_BYTES
from reteval.contract.testsets import Judgment, Query, Scale, TestSetUpload

QUERY = {"query": "reset password", "relevant_ids": [1, "b"]}


def a_file(folder: Path, name: str, content: bytes) -> Path:
    """Write a file and return where."""
    path = folder / name
    path.write_bytes(content)
    return path


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("a.json", b'{"queries": [{"query": "x"}]}', JSON),
        ("a.json", b'\xef\xbb\xbf {\n "queries": []}', JSON),
        ("a.json", b'{"query": "x"}\n{"query": "y"}\n', NDJSON),
        ("a.json", b'{"queries": [' + b" " * 70_000 + b"]}", JSON),
        ("a.json", b"", JSON),
        ("a.json", b"[]", JSON),
        ("a.json", b'{"queries": "\xff"}', JSON),
        ("a.JSONL", b"not read", NDJSON),
        ("a.ndjson", b"", NDJSON),
        ("a.csv", b"", CSV),
        ("a.tsv", b"", CSV),
        ("a.txt", b"query,docid,rating\nx,1,1\n", CSV),
        ("a.txt", b'\n{"query": "x"}', NDJSON),
        ("noending", b'{"queries": []}', JSON),
    ],
)
def test_media_type_of_a_file(tmp_path: Path, name: str, content: bytes, expected: str) -> None:
    """A telling suffix decides; otherwise the beginning of the content does."""
    assert expected == media_type_of(a_file(tmp_path, name, content))


def test_upload_a_struct() -> None:
    """A struct goes as one JSON body without the spellings it does not use."""
    source = TestSetUpload(
        name="docs",
        queries=[Query(query="x", relevant=[Judgment("1", 3)])],
        scale=Scale(max=3),
    )
    call = _uploads.upload(source, {})
    document = msgspec.json.decode(call.content or b"")
    assert [{"query": "x", "relevant": [{"id": "1", "grade": 3}]}] == document["queries"]
    assert ("POST", "/v1/test-sets", JSON) == (call.method, call.path, call.headers["content-type"])
    assert call.repeatable


def test_upload_a_dict_with_a_head() -> None:
    """What is said in the call goes before what the document says."""
    call = _uploads.upload(
        {"name": "old", "language": "en", "queries": [QUERY]}, {"name": "new", "scale_max": 2}
    )
    expected = {"name": "new", "language": "en", "scale": {"max": 2}, "queries": [QUERY]}
    assert expected == msgspec.json.decode(call.content or b"")


def test_upload_a_json_file_unchanged(tmp_path: Path) -> None:
    """A JSON file that needs no change is not read but sent from disk."""
    path = a_file(tmp_path, "a.json", b'{"queries": []}')
    call = _uploads.upload(str(path), {})
    assert (path, None, {}) == (call.file, call.content, call.params)


def test_upload_a_json_file_with_a_head(tmp_path: Path) -> None:
    """A name given beside a JSON file is written into the document."""
    path = a_file(tmp_path, "a.json", msgspec.json.encode({"queries": [QUERY]}))
    call = _uploads.upload(path, {"name": "docs"})
    expected = {"queries": [QUERY], "name": "docs"}
    assert expected == msgspec.json.decode(call.content or b"")


@pytest.mark.parametrize("content", [b'{"queries', b'{"name": "\xff"}'])
def test_upload_a_broken_json_file_with_a_head(tmp_path: Path, content: bytes) -> None:
    """A file that has to be changed and is no JSON is refused with its name."""
    path = a_file(tmp_path, "a.json", content)
    with pytest.raises(ValueError, match=r"a\.json' is no JSON"):
        _uploads.upload(path, {"name": "docs"})


@pytest.mark.parametrize(("name", "kind"), [("a.ndjson", NDJSON), ("a.csv", CSV)])
def test_upload_lines_with_a_head(tmp_path: Path, name: str, kind: str) -> None:
    """NDJSON and CSV go from disk, their head as query parameters."""
    path = a_file(tmp_path, name, b"")
    call = _uploads.upload(path, {"name": "docs", "scale_max": 2, "allow_unscorable": True})
    expected = {"name": "docs", "scale_max": "2", "allow_unscorable": "true"}
    assert (path, expected, kind) == (call.file, call.params, call.headers["content-type"])


def test_upload_a_json_file_of_another_tool(tmp_path: Path) -> None:
    """Nothing is written into a foreign document: its options go beside it."""
    for content in (b'{"queries": [{"query_text": "x"}], "case_name": "c"}', b'[{"inputs": {}}]'):
        path = a_file(tmp_path, "a.json", content)
        call = _uploads.upload(path, {"name": "docs", "texts": "ids"})
        assert (path, {"name": "docs", "texts": "ids"}) == (call.file, call.params)
        assert BINARY == call.headers["content-type"]


def test_upload_several_files(tmp_path: Path) -> None:
    """Files of one set are parts; the corpus is named as such, and is no parameter."""
    one, two = a_file(tmp_path, "q.tsv", b"1\tx\n"), a_file(tmp_path, "r", b"1 0 d 1\n")
    call = _uploads.upload(one, {"name": "docs", "corpus": two}, [two])
    assert [(part.name, part.filename) for part in call.parts] == [
        ("file1", "q.tsv"),
        ("file2", "r"),
        ("corpus", "r"),
    ]
    assert {"name": "docs"} == call.params
    with pytest.raises(ValueError, match="each must be a file"):
        _uploads.upload({"queries": []}, {}, [two])


def test_preview_is_the_upload_that_stores_nothing(tmp_path: Path) -> None:
    """A preview sends what the upload would, and expects another answer."""
    path = a_file(tmp_path, "a.csv", b"query,docid,rating\n")
    call = _uploads.preview(_uploads.upload(path, {"name": "docs"}))
    assert {"name": "docs", "dry_run": "true"} == call.params
    assert (path, ImportPreview) == (call.file, call.expect)


def test_upload_a_document_too_large_for_one_body(tmp_path: Path) -> None:
    """A large document, in memory or on disk, goes as NDJSON with the same head and queries."""
    queries = [{"query": f"{number} " + "x" * 8_000} for number in range(MAX_JSON_BYTES // 8_000)]
    document = {"name": "docs", "language": "", "scale": {"max": 2}, "queries": queries}
    path = a_file(tmp_path, "a.json", msgspec.json.encode(document))
    for call in (_uploads.upload(document, {}), _uploads.upload(path, {})):
        assert NDJSON == call.headers["content-type"]
        assert {"name": "docs", "scale_max": "2"} == call.params
        assert queries == msgspec.json.Decoder().decode_lines(call.content or b"")


@pytest.mark.parametrize(
    "extra", [{"queries": "x" * MAX_JSON_BYTES}, {"name": "x" * MAX_JSON_BYTES}]
)
def test_upload_a_large_document_without_queries(extra: dict[str, str]) -> None:
    """What cannot be sent in lines is sent as it is, for the service to refuse."""
    assert JSON == _uploads.upload(extra, {}).headers["content-type"]


def test_upload_a_large_document_with_a_wrong_scale() -> None:
    """A head that breaks a rule reaches the service, which says so."""
    queries = [{"query": "x" * MAX_JSON_BYTES}]
    call = _uploads.upload({"scale": 3, "queries": queries}, {})
    assert {"scale_max": "3"} == call.params


def test_upload_trec(tmp_path: Path) -> None:
    """Topics and qrels go as the two parts of one body."""
    topics = a_file(tmp_path, "topics.tsv", b"q1\treset password\n")
    qrels = a_file(tmp_path, "qrels.txt", b"q1 0 d1 2\n")
    call = _uploads.upload_trec(topics, str(qrels), {"name": "docs"})
    parts = [(part.name, part.filename, part.content) for part in call.parts]
    expected = [
        ("topics", "topics.tsv", b"q1\treset password\n"),
        ("qrels", "qrels.txt", b"q1 0 d1 2\n"),
    ]
    assert (expected, {"name": "docs"}) == (parts, call.params)
    assert "content-type" not in call.headers


def test_upload_a_missing_file(tmp_path: Path) -> None:
    """A file that is not there is an OSError with its name, as everywhere in Python."""
    with pytest.raises(FileNotFoundError, match="absent"):
        _uploads.upload(tmp_path / "absent.json", {})
