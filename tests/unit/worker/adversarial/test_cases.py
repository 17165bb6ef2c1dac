"""Cases kept beside the project: what a variant must and must not do."""

import json
import unicodedata
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reteval.contract.kinds import KINDS
from tests.unit.worker.adversarial.subjects import ENGLISH, vary
from worker.adversarial.variant import NotApplicable
from worker.adversarial.words import content_words

CASES = Path(__file__).parents[5] / "shared" / "cases" / "adversarial.json"


def load() -> list[dict[str, Any]]:
    """Every case; none where the file is not at hand."""
    rows: list[dict[str, Any]] = []
    if CASES.exists():
        rows = json.loads(CASES.read_text("utf-8"))["variants"]
    return rows


def count_changed(query: str, variant: str) -> int:
    """Count words that differ."""
    return sum(one != two for one, two in zip(query.split(), variant.split(), strict=True))


def is_part(variant: str, query: str) -> bool:
    """Whether every word of the variant is one of the query."""
    return not Counter(variant.split()) - Counter(query.split())


CHECKS: dict[str, Callable[[str, str, Any], bool]] = {
    "never": lambda _, text, texts: text not in texts,
    "edit_distance": lambda query, text, distance: abs(len(query) - len(text)) <= distance,
    "words_changed": lambda query, text, count: count_changed(query, text) == count,
    "words_moved": lambda query, text, count: count_changed(query, text) == count,
    "content_words": lambda _, text, count: len(content_words(text)) == count,
    "subset_of_query": lambda query, text, _: is_part(text, query),
    "same_multiset": lambda query, text, _: Counter(query.split()) == Counter(text.split()),
    "keeps": lambda _, text, words: set(words) <= set(text.split()),
    "equals": lambda _, text, wanted: text == wanted,
    "contains_any": lambda _, text, parts: any(part in text for part in parts),
    "script_kept": lambda _, text, script: all(
        unicodedata.name(each).startswith((script.upper(), "SPACE")) for each in text
    ),
    "first_letter_kept_mostly": lambda *_: True,
    "distance": lambda *_: True,
}
"""How each expectation is held; the last two are proved over many seeds where kinds are tested."""


@pytest.mark.skipif(not CASES.exists(), reason="the shared cases are not beside this checkout")
def test_every_case_holds() -> None:
    """Whatever the seed, the expectation is met."""
    rows = load()
    assert rows
    assert {row["kind"] for row in rows} <= KINDS.keys()
    for row in rows:
        expect = dict(row["expect"])
        if "labels" in expect:
            assert KINDS[row["kind"]].labels == expect.pop("labels")
        refused = expect.pop("not_applicable", False)
        for seed in range(100):
            made = vary(row["kind"], row["query"], row.get("severity"), seed, ENGLISH)
            if isinstance(made, NotApplicable):
                assert refused or "never" in expect, row
                continue
            assert not refused, row
            for name, wanted in expect.items():
                assert CHECKS[name](row["query"], made.text, wanted), (name, row, made)
