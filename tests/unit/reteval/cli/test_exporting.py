from pathlib import Path

import httpx
import msgspec
import pytest

from tests.unit.reteval.cli.test_keeping import command

LOST = {"Reteval-Lost": "ids, tags"}


def test_export_is_printed_and_losses_are_told() -> None:
    """The file goes to standard output, what is missing to standard error."""
    answers = [httpx.Response(200, content=b"query,docid,rating\r\n", headers=LOST)]
    code, out, err, _ = command("export-set", "docs", "--format", "quepid", answers=answers)
    assert (code, out, err) == (0, "query,docid,rating\r\n", "not in quepid: ids, tags\n")


def test_export_goes_to_a_file(tmp_path: Path) -> None:
    """A zip is written as it came; nothing lost, nothing said."""
    path = tmp_path / "docs.zip"
    answers = [httpx.Response(200, content=b"PK\x03\x04")]
    words = ("export-set", "docs", "--format", "beir", "--output", str(path))
    assert command(*words, answers=answers)[:3] == (0, "", "")
    assert path.read_bytes() == b"PK\x03\x04"


def test_zip_is_not_printed() -> None:
    """A format of several files needs a file to go to."""
    code, _, err, service = command("export-set", "docs", "--format", "trec", answers=[])
    assert (code, service.requests) == (2, [])
    assert "trec is a zip: add --output FILE" in err


def test_run_is_exported(tmp_path: Path) -> None:
    """Text is printed, any format goes to a file, and the service says which ones there are."""
    answers = [httpx.Response(200, content=b"query_id\r\n")]
    code, out, err, service = command("export", "run_1", "--format", "csv", answers=answers)
    assert (code, out, err) == (0, "query_id\r\n", "")
    assert str(service.requests[0].url).endswith("/v1/runs/run_1/export?format=csv")
    path = tmp_path / "run.zip"
    words = ("export", "run_1", "--format", "trec", "--output", str(path), "--json")
    _, out, _, _ = command(*words, answers=[httpx.Response(200, content=b"PK\xff")])
    assert path.read_bytes() == b"PK\xff"
    assert msgspec.json.decode(out) == {
        "file": str(path),
        "format": "trec",
        "bytes": 3,
        "lost": [],
    }


@pytest.mark.parametrize(
    ("words", "said", "asked"),
    [
        (("run_1", "--format", "trec"), "trec is a zip: add --output FILE", 0),
        (("run_1", "--json"), "--json tells about a file that was written", 0),
        (("run_1", "--format", "parquet"), "parquet is no text: add --output FILE", 1),
    ],
)
def test_files_that_need_a_place(words: tuple[str, ...], said: str, asked: int) -> None:
    """What cannot be printed is refused, before anything is sent where that is known."""
    answers = [httpx.Response(200, content=b"PAR1\xff")]
    code, out, err, service = command("export", *words, answers=answers)
    assert (code, out, len(service.requests)) == (2, "", asked)
    assert said in err
