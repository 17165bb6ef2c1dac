"""Saved endpoints: described once, with secrets that nobody can read back."""

from typing import Annotated

from msgspec import Meta, Struct

from reteval.contract import limits
from reteval.contract.endpoints import Endpoint
from reteval.contract.entity_tags import tag_version
from reteval.contract.testsets import Name

Description = Annotated[str, Meta(max_length=1_000)]


class SavedEndpointRequest(Struct, kw_only=True, forbid_unknown_fields=True):
    """The body of `POST /v1/endpoints` and `PUT /v1/endpoints/{id}`."""

    name: Name
    endpoint: Endpoint
    description: Description = ""


class SecretsRequest(Struct, kw_only=True, forbid_unknown_fields=True):
    """The body of `PUT /v1/endpoints/{id}/secrets`: new values for headers that are there."""

    headers: Annotated[dict[str, str], Meta(min_length=1, max_length=limits.MAX_HEADERS)]


class SavedEndpoint(Struct, frozen=True, kw_only=True):
    """A saved endpoint. Header values are empty; `version` counts changes, secrets included."""

    id: str
    name: str
    description: str
    endpoint: Endpoint
    version: int
    created_at: str
    updated_at: str

    @property
    def entity_tag(self) -> str:
        """The strong entity tag of this version, quotes included."""
        return tag_version(self.id, self.version)


class SavedEndpointPage(Struct, frozen=True, kw_only=True):
    """A page of saved endpoints, newest first."""

    items: tuple[SavedEndpoint, ...]
    next_cursor: str | None = None
