"""API keys: who may do what, until when. The secret is shown once, when a key is made."""

from enum import StrEnum
from typing import Annotated, Final

from msgspec import Meta, Struct

from reteval.contract.teams import TeamId
from reteval.contract.testsets import Name

MAX_DAYS: Final = 365
DEFAULT_DAYS: Final = 90
MAX_OVERLAP_HOURS: Final = 720
DEFAULT_OVERLAP_HOURS: Final = 24


class Scope(StrEnum):
    """What a key may do. Writing includes reading of the same; `admin` includes everything."""

    TEST_SETS_READ = "testsets:read"
    TEST_SETS_WRITE = "testsets:write"
    RUNS_READ = "runs:read"
    RUNS_WRITE = "runs:write"
    RESULTS_READ = "results:read"
    KEYS_ADMIN = "keys:admin"
    ADMIN = "admin"


class ApiKeyRequest(Struct, kw_only=True, forbid_unknown_fields=True):
    """The body of `POST /v1/keys`. `team` is another one than the caller's only for `admin`."""

    name: Name
    scopes: Annotated[list[Scope], Meta(min_length=1, max_length=len(Scope))]
    expires_in_days: Annotated[int, Meta(ge=1, le=MAX_DAYS)] = DEFAULT_DAYS
    team: TeamId | None = None


class ApiKey(Struct, frozen=True, kw_only=True):
    """A key without its secret; `last4` tells which one it is, `last_used_at` to the minute."""

    id: str
    team: str
    name: str
    scopes: tuple[Scope, ...]
    last4: str
    created_at: str
    created_by: str
    expires_at: str
    last_used_at: str | None
    revoked_at: str | None


class NewApiKey(ApiKey, frozen=True, kw_only=True):
    """A key just made, with its secret: nobody can read that a second time."""

    secret: str


class ApiKeyPage(Struct, frozen=True, kw_only=True):
    """A page of keys, newest first."""

    items: tuple[ApiKey, ...]
    next_cursor: str | None = None
