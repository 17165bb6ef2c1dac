"""Variants must stay what they are while the suite's version stays; run me to print them anew."""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from reteval.contract.kinds import KINDS, SUITE
from worker.adversarial.out_of_corpus import plan_tier
from worker.adversarial.planning import Cell, Setting, make_variant
from worker.adversarial.preview import name_queries
from worker.adversarial.variant import NotApplicable
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
    "what's the colour of a 25000 km train ticket to Paris on 2024-03-21",
    'state-of-the-art "phrase search" in Berlin',
)
ATTESTED = {"password": ("pasword", "passwrod"), "subscription": ("subcription",)}
LONGEST = 400
"""Characters of a variant that the file keeps."""
LANGUAGES = {
    "de": "Rechnung für die Straßenbahn am 21.03.2024 in Zürich stornieren?",
    "fr": "Comment réinitialiser le mot de passe oublié de 10000 clients ?",
    "es": "¿Dónde está la contraseña de las facturas de septiembre?",
    "ru": "как восстановить забытые пароли в Москве",
    "ja": "東京の 天気 カフェ",
}
ATTESTED = {"password": ("pasword", "passwrod"), "subscription": ("subcription",)}
SEED = 7
LONGEST = 160
"""Characters of a variant that the file keeps; of a longer one it has the digest as well."""


def make_all() -> dict[str, Any]:
    """Make every kind of every text, and the first queries of both tiers."""
    vocabulary = Vocabulary.build(TEXTS, language="en", misspellings=ATTESTED)
    rows = [
        make_row("en", text, Cell(kind, severity, replicate), vocabulary)
        for text in TEXTS
        for kind in KINDS.values()
        for severity in kind.severities
        for replicate in range(kind.count(severity) if kind.name == "typo.mixed" else 1)
    ]
    for language, text in LANGUAGES.items():
        known = Vocabulary.build([text], language=language)
        rows += [
            make_row(language, text, Cell(kind, kind.severities[0]), known)
            for kind in KINDS.values()
        ]
    tiers = {
        tier: [
            f"{request.query_id} {request.text}"
            for request in plan_tier(tier, seed=SEED, vocabulary=vocabulary).requests[:10]
        ]
        for tier in ("far", "gibberish")
    }
    return {"suite": SUITE, "seed": SEED, "tiers": tiers, "variants": rows}


def make_row(language: str, text: str, cell: Cell, vocabulary: Vocabulary) -> dict[str, Any]:
    """Make one variant; its query's id hangs on the text alone."""
    setting = Setting(seed=SEED, vocabulary=vocabulary, taken=frozenset())
    (query,) = name_queries([text])
    made = make_variant(query, cell, setting)
    key = [language, text, cell.kind.name, cell.severity, cell.replicate]
    if isinstance(made, NotApplicable):
        return {"key": key, "reason": made.reason}
    row = {"key": key, "text": made.text[:LONGEST], "ops": [op[:LONGEST] for op in made.ops]}
    if len(made.text) > LONGEST:
        row["sha256"] = hashlib.sha256(made.text.encode()).hexdigest()
    return row


def write_lines(golden: dict[str, Any]) -> str:
    """Write one variant a line, in ASCII, so that what cannot be seen can be read."""
    rows = ",\n".join(json.dumps(row) for row in golden["variants"])
    head = json.dumps({name: each for name, each in golden.items() if name != "variants"})
    return f'{head[:-1]}, "variants": [\n{rows}\n]}}\n'


def test_variants_are_those_of_the_golden_file() -> None:
    """(kind, severity, replicate, seed, query) gives the same text and edits as ever."""
    assert json.loads(write_lines(make_all())) == json.loads(GOLDEN.read_text("utf-8"))


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
    sys.stdout.write(write_lines(make_all()))
