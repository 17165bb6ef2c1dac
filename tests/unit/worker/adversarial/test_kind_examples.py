"""The catalogue's examples are what the generators make; run me to print them anew."""

import sys

from reteval.contract.kind_examples import KIND_EXAMPLES, KindExample
from reteval.contract.kinds import KINDS
from worker.adversarial.planning import Cell, Setting, make_variant
from worker.adversarial.preview import name_queries
from worker.adversarial.variant import Variant
from worker.adversarial.vocabulary import Vocabulary

TEXTS = (
    "How do I reset a forgotten password?",
    "invoice for colour printing in Berlin",
    "café menu with vegetarian dishes",
    "ticket to Paris on 2024-03-21",
    "what's new in release 7 of the notebook",
)
ATTESTED = {"password": ("pasword",)}
PARAPHRASE = "I no longer know my password; how can I choose another one?"
SEED = 7
SHOWN = 120
WIDTH = 80
HEAD = '''"""An example of each kind, as the generators make it."""

from typing import Final

from msgspec import Struct


class KindExample(Struct, frozen=True):
    """A query and one variant of it, which is cut at 120 characters."""

    query: str
    variant: str


KIND_EXAMPLES: Final = {
'''


def make_examples() -> dict[str, KindExample]:
    """Take the first text that each kind applies to."""
    vocabulary = Vocabulary.build(TEXTS, language="en", misspellings=ATTESTED)
    written = {
        query.id: (Variant(text=PARAPHRASE),)
        for query in name_queries(TEXTS)
        if query.query == TEXTS[0]
    }
    setting = Setting(seed=SEED, vocabulary=vocabulary, taken=frozenset(), paraphrases=written)
    return {
        kind.name: next(
            KindExample(query.query, cut(made.text))
            for query in name_queries(TEXTS)
            for made in (make_variant(query, Cell(kind, kind.severities[0]), setting),)
            if isinstance(made, Variant)
        )
        for kind in KINDS.values()
    }


def cut(text: str) -> str:
    """Cut a long text."""
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 1]}\u2026"


def test_examples_are_those_that_the_generators_make() -> None:
    """Every kind has one, and none is out of date."""
    assert make_examples() == KIND_EXAMPLES


def write(text: str) -> str:
    """Write a text as lines of a literal, in ASCII."""
    lines = [""]
    for character in text:
        escaped = ascii(character)[1:-1]
        if len(lines[-1]) + len(escaped) > WIDTH:
            lines.append("")
        lines[-1] += {"'": "'", '"': '\\"'}.get(character, escaped)
    return " ".join(f'"{line}"' for line in lines)


if __name__ == "__main__":
    rows = "".join(
        f'"{name}": KindExample({write(each.query)}, {write(each.variant)}),'
        for name, each in make_examples().items()
    )
    sys.stdout.write(f"{HEAD}{rows}}}\n")
