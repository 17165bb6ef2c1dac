"""The page on building names every kind, reason and method, and the bounds."""

from pathlib import Path

from reteval.contract.limits import MAX_QUERY_BYTES
from reteval.contract.query_samples import (
    MAX_LOG_BYTES,
    MAX_LOG_TEXTS,
    Drop,
    SampleMethod,
    SecretKind,
)
from service.core.building import faq, frequencies
from tests.contract.test_docs import DOCS, read_table

PAGE = Path(DOCS / "building.md").read_text(encoding="utf-8")


def test_tables_name_what_there_is() -> None:
    """Kinds of secrets, reasons and methods each have one row, in the order of the enum."""
    for heading, known in (("kind", SecretKind), ("dropped", Drop), ("method", SampleMethod)):
        assert [row[heading] for row in read_table("building.md", heading)] == list(known)


def test_columns_are_named() -> None:
    """Every name that a column may have is on the page."""
    names = (*faq.QUESTION_NAMES, *faq.DOCUMENT_NAMES)
    names += (*frequencies.QUERY_NAMES, *frequencies.COUNT_NAMES, *frequencies.USER_NAMES)
    assert [name for name in names if name not in PAGE] == []


def test_bounds_are_told() -> None:
    """The page's numbers are the code's."""
    assert f"{MAX_LOG_BYTES // 1_000_000} MB" in PAGE
    assert f"{MAX_LOG_TEXTS:,} different lines" in PAGE
    assert f"over {MAX_QUERY_BYTES:,} bytes" in PAGE
