"""What a request for adversarial variants comes to once its preset is filled in."""

import hashlib
from typing import Final

import msgspec
from msgspec import Struct, structs

from reteval.contract.endpoints import Endpoint
from reteval.contract.hostile import EVERYDAY_HOSTILE, HOSTILE_GROUPS
from reteval.contract.kinds import (
    KINDS,
    OUT_OF_CORPUS_REPEATED,
    OUT_OF_CORPUS_TIERS,
    PRESETS,
    SUITE,
    Kind,
    Preset,
)
from reteval.contract.runs import AdversarialRequest

TIER_PREFIX: Final = "out_of_corpus."
CONTROL: Final = "control.repeat"
PARAPHRASE: Final = "paraphrase.model"
PARAPHRASES: Final = KINDS[PARAPHRASE].replicates
"""Texts that are taken of a model's answer."""


class Choice(Struct, frozen=True):
    """Kinds with their severities, out-of-corpus tiers, and how many clean queries to sample.

    `hostile` are the groups of odd strings.
    """

    kinds: tuple[tuple[Kind, int], ...]
    tiers: tuple[str, ...]
    sample: int
    hostile: tuple[str, ...] = ()

    def has(self, name: str) -> bool:
        """Whether the kind of this name was chosen."""
        return any(kind.name == name for kind, _ in self.kinds)

    def count_calls(self, scorable: int) -> int:
        """Return how many requests are sent at most, of so many scorable queries."""
        per_query = sum(kind.count(severity) for kind, severity in self.kinds)
        again = OUT_OF_CORPUS_REPEATED if self.has(CONTROL) else 0
        return (
            min(scorable, self.sample) * per_query
            + sum(n + min(n, again) for n in map(OUT_OF_CORPUS_TIERS.__getitem__, self.tiers))
            + sum(map(HOSTILE_GROUPS.__getitem__, self.hostile))
        )

    def count_model_calls(self, scorable: int) -> int:
        """Return how often the model is called, of so many scorable queries."""
        return min(scorable, self.sample) if self.has(PARAPHRASE) else 0


def choose(request: AdversarialRequest) -> Choice:
    """Resolve a request against its preset.

    `severities` choose among those a kind has; a kind that has none of them keeps its own.

    Raises:
        ValueError: a suite, preset or kind that does not exist.
    """
    if request.suite not in {None, SUITE}:
        raise ValueError(f"suite {request.suite!r} is not made here; ask for {SUITE!r}")
    preset = PRESETS.get(request.preset)
    if preset is None:
        raise ValueError(f"{request.preset!r} is no preset; known are {', '.join(PRESETS)}")
    tiers = {TIER_PREFIX + tier: tier for tier in OUT_OF_CORPUS_TIERS}
    names = _name_kinds(request, preset, tiers)
    known = [*KINDS, *tiers, *HOSTILE_GROUPS]
    unknown = [name for name in names if name not in known]
    if unknown:
        raise ValueError(f"{unknown[0]!r} is no kind; known are {', '.join(known)}")
    return Choice(
        kinds=tuple(
            (KINDS[name], severity)
            for name in names
            if name in KINDS
            for severity in _choose_severities(KINDS[name], request, preset)
        ),
        tiers=tuple(tiers[name] for name in names if name in tiers),
        sample=preset.sample if request.sample is None else request.sample,
        hostile=tuple(name for name in names if name in HOSTILE_GROUPS),
    )


def suite_fingerprint(request: AdversarialRequest) -> str:
    """Return `suite/seed/digest`: equal for two requests whose variants may be compared.

    The digest is over the severities, replicates and target rule of every kind, the tiers and
    the hostile groups, and over the model's description without its headers. The sample is left
    out: a smaller one is a part of the larger.

    Raises:
        ValueError: a suite, preset or kind that does not exist.
    """
    choice = choose(request)
    cells = sorted(
        f"{kind.name} {severity} {kind.count(severity)} {kind.target}"
        for kind, severity in choice.kinds
    )
    model = [_describe_model(request.model)] if request.model else []
    text = "\n".join([*cells, *sorted(choice.tiers), *sorted(choice.hostile), *model])
    return f"{SUITE}/{request.seed}/{hashlib.sha256(text.encode()).hexdigest()[:12]}"


def _name_kinds(
    request: AdversarialRequest, preset: Preset, tiers: dict[str, str]
) -> tuple[str, ...]:
    if request.kinds is not None:
        return tuple(dict.fromkeys(request.kinds))
    hostile = (EVERYDAY_HOSTILE,) if preset.hostile else ()
    model = (PARAPHRASE,) if request.model is not None else ()
    return (*preset.kinds, *model, *(tiers if preset.out_of_corpus else ()), *hostile)


def _describe_model(model: Endpoint) -> str:
    bare = structs.replace(model, headers={}, saved="")
    return msgspec.json.encode(bare, order="deterministic").decode()


def _choose_severities(kind: Kind, request: AdversarialRequest, preset: Preset) -> tuple[int, ...]:
    asked = set(request.severities or ()).intersection(kind.severities)
    return tuple(sorted(asked)) or preset.kinds.get(kind.name, kind.severities)
