"""Cases kept beside the project: what a variant must and must not do."""

import json
import unicodedata
from pathlib import Path
from typing import Any

import pytest

from reteval.contract.kinds import KINDS
from worker.adversarial.draws import Draws
from worker.adversarial.registry import GENERATORS
from worker.adversarial.variant import NotApplicable, Variant
from worker.adversarial.vocabulary import Vocabulary

CASES = Path(__file__).parents[5] / "shared" / "cases" / "adversarial.json"
VOCABULARY = Vocabulary.build([], language="en")


def load() -> list[dict[str, Any]]:
    """Cases of the kinds that this suite has; none where the file is not at hand."""
    if not CASES.exists():
        return []
    rows = json.loads(CASES.read_text("utf-8"))["variants"]
    return [row for row in rows if row["kind"] in KINDS]


def count_changed(query: str, variant: str) -> int:
    """Count words that differ."""
    return sum(one != two for one, two in zip(query.split(), variant.split(), strict=True))


def check(row: dict[str, Any], made: Variant | NotApplicable) -> None:
    """Hold one variant against what the case expects."""
    expect = row["expect"]
    assert isinstance(made, NotApplicable) is expect.get("not_applicable", False)
    if isinstance(made, NotApplicable):
        return
    assert made.text not in expect.get("never", ())
    if "words_changed" in expect:
        assert count_changed(row["query"], made.text) == expect["words_changed"]
    if "script_kept" in expect:
        script = expect["script_kept"].upper()
        assert all(unicodedata.name(each).startswith((script, "SPACE")) for each in made.text)


@pytest.mark.skipif(not CASES.exists(), reason="the shared cases are not beside this checkout")
def test_every_case_of_a_kind_we_have_holds() -> None:
    """Whatever the seed, the expectation is met."""
    rows = load()
    assert rows
    for row in rows:
        for seed in range(100):
            generate = GENERATORS[row["kind"]]
            check(row, generate(row["query"], row.get("severity", 1), Draws(seed), VOCABULARY))
