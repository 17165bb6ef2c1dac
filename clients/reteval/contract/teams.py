"""Teams: each sees its own test sets and runs, and what others granted it."""

from typing import Annotated

from msgspec import Meta, Struct

from reteval.contract.testsets import Name

TeamId = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=63,
        pattern=r"^[a-z0-9][a-z0-9-]*(?!\n)$",  # a `$` alone lets a line feed follow
        description="Small letters, digits and hyphens.",
    ),
]


class TeamRequest(Struct, kw_only=True, forbid_unknown_fields=True):
    """The body of `POST /v1/teams`."""

    id: TeamId
    name: Name


class Team(Struct, frozen=True, kw_only=True):
    """A team; `default` is there from the start."""

    id: str
    name: str
    created_at: str


class TeamList(Struct, frozen=True, kw_only=True):
    """All teams of a deployment, by id."""

    items: tuple[Team, ...]
