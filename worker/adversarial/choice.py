"""What a request for adversarial variants comes to once its preset is filled in."""

from msgspec import Struct

from reteval.contract.kinds import KINDS, OUT_OF_CORPUS_TIERS, PRESETS, SUITE, Kind, Preset
from reteval.contract.runs import AdversarialRequest

TIER_PREFIX = "out_of_corpus."


class Choice(Struct, frozen=True):
    """Kinds with their severities, out-of-corpus tiers, and how many clean queries to sample."""

    kinds: tuple[tuple[Kind, int], ...]
    tiers: tuple[str, ...]
    sample: int


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
    unknown = [name for name in names if name not in KINDS and name not in tiers]
    if unknown:
        raise ValueError(f"{unknown[0]!r} is no kind; known are {', '.join([*KINDS, *tiers])}")
    return Choice(
        kinds=tuple(
            (KINDS[name], severity)
            for name in names
            if name in KINDS
            for severity in _choose_severities(KINDS[name], request, preset)
        ),
        tiers=tuple(tiers[name] for name in names if name in tiers),
        sample=preset.sample if request.sample is None else request.sample,
    )


def _name_kinds(
    request: AdversarialRequest, preset: Preset, tiers: dict[str, str]
) -> tuple[str, ...]:
    if request.kinds is not None:
        return tuple(dict.fromkeys(request.kinds))
    return (*preset.kinds, *(tiers if preset.out_of_corpus else ()))


def _choose_severities(kind: Kind, request: AdversarialRequest, preset: Preset) -> tuple[int, ...]:
    asked = set(request.severities or ()).intersection(kind.severities)
    return tuple(sorted(asked)) or preset.kinds.get(kind.name, kind.severities)
