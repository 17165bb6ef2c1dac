from pathlib import Path

import httpx

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
