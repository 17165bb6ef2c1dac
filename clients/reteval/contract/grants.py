"""Sharing: what one team lets others read, and links that open one run."""

from typing import Annotated, Final

from msgspec import Meta, Struct

from reteval.contract import limits
from reteval.contract.teams import TeamId

EVERYONE: Final = "*"
"""In the place of a team: every team of the deployment."""
MAX_LINK_DAYS: Final = 365
DEFAULT_LINK_DAYS: Final = 7
SHARE_HEADER: Final = "Reteval-Share"
SHARE_PARAMETER: Final = "share"
"""Where a share token is sent: in the header, or in the query of a link."""

_Id = Annotated[str, Meta(min_length=1, max_length=64)]
Reader = Annotated[str, Meta(pattern=r"^(\*|[a-z0-9][a-z0-9-]*)(?!\n)$", max_length=63)]


class GrantRequest(Struct, kw_only=True, forbid_unknown_fields=True):
    """The body of `POST /v1/grants`: one of `run`, `test_set` and `label`, and who may read it.

    `to` is the id of a team, or `*` for every team of the deployment. A label stands for all
    runs that have it, later ones too.
    """

    to: Reader
    run: _Id | None = None
    test_set: _Id | None = None
    label: Annotated[str, Meta(min_length=1, max_length=limits.MAX_NAME_BYTES)] | None = None


class Grant(Struct, frozen=True, kw_only=True):
    """What `team` lets `to` read; of `run`, `test_set` and `label` one is given."""

    id: str
    team: TeamId
    to: str
    run: str | None
    test_set: str | None
    label: str | None
    created_at: str
    created_by: str


class GrantList(Struct, frozen=True, kw_only=True):
    """Grants that a team gave, or that it was given, oldest first."""

    items: tuple[Grant, ...]


class LinkRequest(Struct, kw_only=True, forbid_unknown_fields=True):
    """The body of `POST /v1/runs/{id}/links`."""

    expires_in_days: Annotated[int, Meta(ge=1, le=MAX_LINK_DAYS)] = DEFAULT_LINK_DAYS


class Link(Struct, frozen=True, kw_only=True):
    """A link that opens one run for reading, without its token."""

    id: str
    run: str
    created_at: str
    created_by: str
    expires_at: str


class NewLink(Link, frozen=True, kw_only=True):
    """A link just made. `url` is the report's address with the token, which is shown once."""

    token: str
    url: str


class LinkList(Struct, frozen=True, kw_only=True):
    """The links of a run that still open it, oldest first."""

    items: tuple[Link, ...]
