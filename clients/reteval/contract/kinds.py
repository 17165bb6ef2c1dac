"""Kinds of adversarial queries and the suites made of them: names and counts, no text work."""

from typing import Final

from msgspec import Struct

from reteval.contract.kind import Kind, Labels
from reteval.contract.surface_kinds import list_surface_kinds
from reteval.contract.wording_kinds import list_wording_kinds

__all__ = [
    "KINDS",
    "OUT_OF_CORPUS_REPEATED",
    "OUT_OF_CORPUS_TIERS",
    "PRESETS",
    "SUITE",
    "Kind",
    "Labels",
    "Preset",
]

SUITE: Final = "2026.1"
"""The version of everything that decides what is sent; another version is another experiment."""
KINDS: Final = {kind.name: kind for kind in (*list_surface_kinds(), *list_wording_kinds())}
OUT_OF_CORPUS_TIERS: Final = {"far": 60, "near": 60, "gibberish": 60, "other_language": 30}
"""Queries sent per generated tier; `user` queries (`expect: nothing`) are always sent."""
OUT_OF_CORPUS_REPEATED: Final = 10
"""Queries of a tier that are sent twice where `control.repeat` is asked for."""


class Preset(Struct, frozen=True):
    """Kinds with their severities, and the most clean queries sampled for them.

    `out_of_corpus` adds every tier, `hostile` the everyday strings that trip query parsers.
    """

    kinds: dict[str, tuple[int, ...]]
    sample: int
    out_of_corpus: bool = True
    hostile: bool = True


ON_REQUEST: Final = frozenset({"keyboard_layout", "paraphrase.model"})
"""Kinds of no preset: they need certain keyboards, or a model."""
PRESETS: Final = {
    "quick": Preset(
        kinds={
            "control.repeat": (1,),
            "typo.mixed": (1,),
            "whitespace_punct": (1,),
            "inflection": (3,),
            "naturality.stopwords": (1,),
            "short.k3": (1,),
        },
        sample=50,
        hostile=False,
    ),
    "default": Preset(
        kinds={
            "control.repeat": (1,),
            "typo.mixed": (1, 2, 3),
            "misspelling.phonetic": (1,),
            "unicode.nfd": (1,),
            "case.upper": (1,),
            "whitespace_punct": (1,),
            "segment.merge": (1,),
            "naturality.stopwords": (1,),
            "order.swap": (1,),
            "inflection": (3,),
            "short.k1": (1,),
            "short.k3": (1,),
            "verbose.context": (1,),
            "noise.append": (1,),
            "negation": (1,),
        },
        sample=200,
    ),
    "full": Preset(
        kinds={
            **{name: kind.severities for name, kind in KINDS.items() if name not in ON_REQUEST},
            "length.preamble": (1,),
        },
        sample=1_000,
    ),
}
