"""Variants must stay what they are while the suite's version stays; run me to print them anew."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from msgspec import to_builtins

from reteval.contract.kinds import KINDS, SUITE
from reteval.contract.testsets import Query
from worker.adversarial.out_of_corpus import plan_tier
from worker.adversarial.planning import Cell, Setting, make_variant
from worker.adversarial.vocabulary import Vocabulary

GOLDEN = Path(__file__).parents[3] / "golden" / "adversarial.json"
TEXTS = (
    "How do I reset a forgotten password?",
    "invoice late fee reminder email",
    "Cancel subscription before renewal date",
    "form",
    "the of and to",
    "ISO9001 X509v3",
    "東京の天気",
    "погода в Москве",
    "Öffnungszeiten Straßenbahn   Zürich",
    "café menu, vegetarian options",
)
SEEDS = (0, 7)


def make_all() -> dict[str, Any]:
    """Make every kind of every text, and the first queries of both tiers."""
    vocabulary = Vocabulary.build(TEXTS, language="en")
    rows = []
    for seed in SEEDS:
        setting = Setting(seed=seed, vocabulary=vocabulary, taken=frozenset())
        for place, text in enumerate(TEXTS):
            for kind in KINDS.values():
                for severity in kind.severities:
                    for replicate in range(kind.replicates):
                        cell = Cell(kind, severity, replicate)
                        made = make_variant(Query(id=f"q{place}", query=text), cell, setting)
                        key = [kind.name, severity, replicate, seed, text]
                        rows.append({"key": key, "made": to_builtins(made)})
    tiers = {
        tier: [
            f"{request.query_id} {request.text}"
            for request in plan_tier(tier, seed=7, vocabulary=vocabulary).requests[:10]
        ]
        for tier in ("far", "gibberish")
    }
    return {"suite": SUITE, "variants": rows, "tiers": tiers}


def test_variants_are_those_of_the_golden_file() -> None:
    """(kind, severity, replicate, seed, query) gives the same text and edits as ever."""
    assert json.loads(json.dumps(make_all())) == json.loads(GOLDEN.read_text("utf-8"))


def test_another_process_makes_the_same_variants() -> None:
    """Nothing hangs on the hash seed of a process."""
    printed = subprocess.run(
        [sys.executable, __file__],
        env={**os.environ, "PYTHONHASHSEED": "12345", "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        check=True,
    )
    assert printed.stdout.decode() == GOLDEN.read_text("utf-8")


if __name__ == "__main__":
    sys.stdout.write(json.dumps(make_all(), ensure_ascii=False, indent=1) + "\n")
