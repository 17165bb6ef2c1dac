"""Queries in scripts that no query of the test set is written in."""

import unicodedata
from collections.abc import Iterable

from reteval.contract.kinds import OUT_OF_CORPUS_TIERS
from worker.adversarial.foreign_pack import FOREIGN
from worker.adversarial.out_of_corpus_tier import TierPlan, request_of


def plan_foreign(texts: Iterable[str]) -> TierPlan:
    """Take the sentences of the scripts absent from the texts, the same under any seed."""
    written = find_scripts(texts)
    pack = [(script, text) for script, texts in FOREIGN.items() for text in texts]
    absent = [(place, text) for place, (script, text) in enumerate(pack) if script not in written]
    return TierPlan(
        tier="other_language",
        requests=tuple(
            request_of("other_language", place, text)
            for place, text in absent[: OUT_OF_CORPUS_TIERS["other_language"]]
        ),
        dropped=len(pack) - len(absent),
    )


def find_scripts(texts: Iterable[str]) -> frozenset[str]:
    """Return the scripts of the texts' letters, by the first word of their Unicode names."""
    letters = {character for text in texts for character in text if character.isalpha()}
    return frozenset(unicodedata.name(letter, "").partition(" ")[0] for letter in letters)
