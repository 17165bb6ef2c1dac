"""Requests about endpoints, one function a route: probe one, save one, know its like."""

from collections.abc import Mapping
from typing import Any

from reteval._requests import Call, delete_at, get_from, post_to, put_at, segment
from reteval.contract.catalogues import PresetCatalogue
from reteval.contract.probes import Probe, ProbeRequest
from reteval.contract.saved_endpoints import (
    SavedEndpoint,
    SavedEndpointPage,
    SavedEndpointRequest,
    SecretsRequest,
)

Described = SavedEndpointRequest | Mapping[str, Any]


def post_probe(request: ProbeRequest | Mapping[str, Any], wait: int | None = None) -> Call[Probe]:
    """Probe an endpoint."""
    return post_to("/v1/probes", Probe, request, wait=wait, keyed=True)


def get_probe(probe_id: str, wait: int | None = None) -> Call[Probe]:
    """Read a probe; with `wait`, held so many seconds or to its end."""
    return get_from(f"/v1/probes/{segment(probe_id)}", Probe, wait=wait)


def post_endpoint(request: Described) -> Call[SavedEndpoint]:
    """Save an endpoint."""
    return post_to("/v1/endpoints", SavedEndpoint, request, keyed=True)


def get_endpoints(limit: int | None = None) -> Call[SavedEndpointPage]:
    """List saved endpoints, newest first."""
    return get_from("/v1/endpoints", SavedEndpointPage, limit=limit)


def get_endpoint(id_or_name: str) -> Call[SavedEndpoint]:
    """Read a saved endpoint."""
    return get_from(_path(id_or_name), SavedEndpoint)


def put_endpoint(known: SavedEndpoint | str, request: Described) -> Call[SavedEndpoint]:
    """Replace a saved endpoint: as it was read, or whatever it is by now."""
    place, headers = _changed(known)
    return put_at(place, SavedEndpoint, request, **headers)


def put_secrets(known: SavedEndpoint | str, headers: Mapping[str, str]) -> Call[SavedEndpoint]:
    """Replace header values of a saved endpoint."""
    place, conditions = _changed(known)
    request = SecretsRequest(headers=dict(headers))
    return put_at(f"{place}/secrets", SavedEndpoint, request, **conditions)


def delete_endpoint(id_or_name: str) -> Call[None]:
    """Delete a saved endpoint."""
    return delete_at(_path(id_or_name))


def get_presets() -> Call[PresetCatalogue]:
    """List the presets of endpoints."""
    return get_from("/v1/endpoints/presets", PresetCatalogue)


def _path(id_or_name: str) -> str:
    return f"/v1/endpoints/{segment(id_or_name)}"


def _changed(known: SavedEndpoint | str) -> tuple[str, dict[str, str]]:
    """Return where an endpoint is, and what has to be true of it for a change."""
    if isinstance(known, str):
        return _path(known), {"if-match": "*"}
    return _path(known.id), {"if-match": known.entity_tag}
