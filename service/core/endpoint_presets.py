"""Presets of endpoints: the catalogue, and filling one in."""

from collections.abc import Iterator
from typing import Final

from msgspec import UNSET, structs

from reteval.contract.catalogues import PresetCatalogue
from reteval.contract.endpoints import Endpoint
from reteval.contract.presets import PRESETS, Preset
from reteval.contract.problems import ProblemItem
from service.core.decoding import escape
from service.errors import InvalidError

_MERGED: Final = ("params", "headers")


def list_presets() -> PresetCatalogue:
    """Return every preset with the description it stands for."""
    return PresetCatalogue(presets=tuple(PRESETS.values()))


def apply_preset(endpoint: Endpoint) -> Endpoint:
    """Return the endpoint with what its preset adds; doing so again changes nothing.

    Raises:
        InvalidError: there is no such preset, or a place that it cannot know is empty.
    """
    if endpoint.preset is None:
        return endpoint
    preset = PRESETS.get(endpoint.preset)
    if preset is None:
        item = ProblemItem(
            pointer="/endpoint/preset",
            message=f"there is no preset {endpoint.preset!r}",
            fix=f"Use one of {', '.join(PRESETS)}, or describe the endpoint yourself.",
        )
        raise InvalidError("The endpoint breaks a rule.", errors=[item])
    items = list(_find_gaps(endpoint, preset))
    if items:
        raise InvalidError("The endpoint breaks a rule.", errors=items)
    return _fill_in(endpoint, preset.endpoint)


def _find_gaps(endpoint: Endpoint, preset: Preset) -> Iterator[ProblemItem]:
    for place in preset.needs:
        field, _, name = place.partition(".")
        given = getattr(endpoint, field)
        if given is UNSET or (name and name.lower() not in map(str.lower, given)):
            pointer = f"/endpoint/{field}" + (f"/{escape(name)}" if name else "")
            yield ProblemItem(
                pointer=pointer,
                message=f"the preset {preset.name!r} cannot know `{place}`",
                fix="Give it; GET /v1/endpoints/presets shows the whole description.",
            )


def _fill_in(endpoint: Endpoint, known: Endpoint) -> Endpoint:
    plain = Endpoint()
    changes = {}
    for name in endpoint.__struct_fields__:
        given = getattr(endpoint, name)
        if name in _MERGED:
            changes[name] = getattr(known, name) | given
        elif name != "url" and (given is UNSET or given == getattr(plain, name)):
            changes[name] = getattr(known, name)
    if endpoint.form is not UNSET:
        changes["body"] = UNSET
    return structs.replace(endpoint, **(changes | {"preset": endpoint.preset}))
