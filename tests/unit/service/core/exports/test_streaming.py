import io
import zipfile

from reteval.contract.exports import ExportFormat, Loss
from tests.unit.service.core.exports.written import ODD, write


def readme(**changes: object) -> str:
    """Return the README of a zip."""
    with zipfile.ZipFile(io.BytesIO(write(ExportFormat.BEIR, **changes))) as archive:
        return archive.read("README.txt").decode()


def test_readme_says_what_is_lost() -> None:
    """The archive names its files, what is said of the set, and what it leaves out."""
    text = readme(lost=(Loss.TAGS, Loss.SPLIT), language="de", id_rule="lower")
    assert "docs, version 2 of a reteval test set (ts_1, sha256:docs)" in text
    assert "queries.jsonl: " in text
    assert "qrels/test.tsv: " in text
    assert "Grades up to 3; relevant from grade 1; language: de; id rule: lower." in text
    assert "not exactly, in here: tags, split." in text


def test_readme_says_that_nothing_is_lost() -> None:
    """Where all is in it, the archive says so."""
    assert "Nothing of the set is missing here." in readme()
    assert "language: not said; id rule: none." in readme()


def test_same_set_is_the_same_bytes() -> None:
    """No clock of the server is in an archive."""
    assert write(ExportFormat.TREC, ODD) == write(ExportFormat.TREC, ODD)
