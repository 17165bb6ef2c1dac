import hashlib
from typing import Any

import pytest

from reteval.contract.diagnostics import Severity
from service.core.ingest.texts import Texts
from tests.unit.service.core.ingest.bodies import json_body, query, take_json

HASHED_A = "q_" + hashlib.sha256(b"a").hexdigest()[:12]


def warning(body: bytes, code: str) -> Any:
    """The one warning with this code, or None."""
    found = [one for one in take_json(body)[0].warnings if one.code == code]
    return found[0] if found else None


@pytest.mark.parametrize(
    ("n", "words"),
    [
        (1, "too few to trust"),
        (19, "too few to trust"),
        (20, "below the minimum"),
        (29, "below the minimum"),
        (30, "below production"),
        (49, "below production"),
        (50, ""),
    ],
)
def test_ingest_warns_when_queries_are_few(n: int, words: str) -> None:
    """Only scorable clean queries count."""
    others = [query(f"n{i}", expect="nothing") for i in range(60)]
    found = warning(json_body(*[query(f"q{i}") for i in range(n)], *others), "few_queries")
    if words:
        assert words in found.message
        assert found.evidence[0]["scorable"] == n
    else:
        assert found is None


def test_ingest_warns_when_texts_are_nearly_the_same() -> None:
    """Case, width, composition, spaces and punctuation; with the pair as evidence."""
    texts = [
        "Nike shoes!",
        "  nike\tSHOES",
        "\uff4eike shoes",
        "cafe\u0301",
        "café",
        "c++",
        "c",
        "?",
        "!",
    ]
    found = warning(json_body(*[query(text) for text in texts]), "near_identical_texts")
    pairs = [(row["first"], row["second"]) for row in found.evidence]
    assert pairs == [
        ("/queries/0", "/queries/1"),
        ("/queries/0", "/queries/2"),
        ("/queries/3", "/queries/4"),
    ]
    assert (found.severity, ": 3." in found.message) == (Severity.WARN, True)


def test_texts_are_folded_alike_whether_ascii_or_not() -> None:
    """Every ASCII character folds as in a text that has another one, which goes another way."""
    for code in range(128):
        texts = Texts()
        assert texts.find_near(f"a{chr(code)}B", 0) is None
        assert texts.find_near(f"A{chr(code)}b\u200b", 1) == 0, code


def test_ingest_does_not_warn_when_a_variant_is_close_to_its_parent() -> None:
    """That is what it was made for; and signs that change a word are not punctuation."""
    body = json_body(
        query("jwt", id="p"), query("JWT", parent="p", kind="case"), query("कि"), query("का")
    )
    assert warning(body, "near_identical_texts") is None


def test_ingest_warns_when_a_text_has_two_ids() -> None:
    """The same text under two given ids is legal, but counts twice."""
    found = warning(json_body(query("a", id="1"), query("a", id="2"), query("a")), "same_text")
    assert [row["query_id"] for row in found.evidence] == ["2", HASHED_A]
    assert ": 2." in found.message


def test_ingest_warns_when_repeats_were_collapsed() -> None:
    """Every dropped judgment is counted; the evidence names the document."""
    found = warning(
        json_body(query("a", id="1", relevant_ids=[42, "42", "x", 42])), "repeat_collapsed"
    )
    assert found.evidence == ({"query_id": "1", "document": "42"},)
    assert (found.severity, ": 2." in found.message) == (Severity.INFO, True)


def test_ingest_warns_when_queries_are_unscorable() -> None:
    """At most five rows are shown, all are counted."""
    many = [query(str(n), id=str(n), relevant_ids=[]) for n in range(7)]
    found = warning(json_body(*many, allow_unscorable=True), "unscorable")
    assert [row["query_id"] for row in found.evidence] == ["0", "1", "2", "3", "4"]
    assert ": 7." in found.message
