"""Kinds of adversarial queries and the suites made of them: names and counts, no text work."""

from enum import StrEnum
from typing import Final

from msgspec import Struct


class Labels(StrEnum):
    """What a variant does to the judgments of the query it was made from."""

    PRESERVING = "preserving"
    REDUCING = "reducing"
    CHANGING = "changing"
    NONE = "none"


class Kind(Struct, frozen=True, kw_only=True):
    """A kind of variant. `target` names the word it aims at; `replicates` per severity."""

    name: str
    family: str
    labels: Labels
    about: str
    target: str = "whole_query"
    severities: tuple[int, ...] = (1,)
    replicates: int = 1


SUITE: Final = "2026.0"
KINDS: Final = {
    kind.name: kind
    for kind in (
        Kind(
            name="control.repeat",
            family="control",
            labels=Labels.PRESERVING,
            about="The clean query sent again: the endpoint's own noise.",
        ),
        Kind(
            name="typo.mixed",
            family="character",
            labels=Labels.PRESERVING,
            target="random_content_word",
            severities=(1, 2, 3),
            replicates=3,
            about="Misspellings in the proportions people make them.",
        ),
        Kind(
            name="short.k2",
            family="length",
            labels=Labels.REDUCING,
            target="rarest_in_set",
            about="Only the two content words that are rarest in the test set.",
        ),
    )
}
OUT_OF_CORPUS_TIERS: Final = {"far": 60, "gibberish": 60}
"""Queries sent per generated tier; `user` queries (`expect: nothing`) are always sent."""


class Preset(Struct, frozen=True):
    """Kinds with their severities, and the most clean queries sampled for them."""

    kinds: dict[str, tuple[int, ...]]
    sample: int
    out_of_corpus: bool = True


PRESETS: Final = {
    "quick": Preset(
        kinds={"control.repeat": (1,), "typo.mixed": (1,), "short.k2": (1,)}, sample=50
    ),
    "default": Preset(
        kinds={"control.repeat": (1,), "typo.mixed": (1, 2), "short.k2": (1,)}, sample=200
    ),
    "full": Preset(
        kinds={"control.repeat": (1,), "typo.mixed": (1, 2, 3), "short.k2": (1,)}, sample=1_000
    ),
}
