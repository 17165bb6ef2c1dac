"""Who calls, for which team, and what they may do."""

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from msgspec import Struct

from reteval.contract.api_keys import Scope
from service.store.keys import DEFAULT_TENANT

EVERYTHING: Final = frozenset(Scope)
READING: Final = frozenset({Scope.TEST_SETS_READ, Scope.RUNS_READ, Scope.RESULTS_READ})
"""What a grant lets a reader do with what it is about."""
OPERATOR: Final = "operator"
"""In the place of a key's id: the one key of the deployment's settings."""
_INCLUDES: Final = {
    Scope.TEST_SETS_WRITE: {Scope.TEST_SETS_READ},
    Scope.RUNS_WRITE: {Scope.RUNS_READ},
    Scope.ADMIN: EVERYTHING,
}


class Identity(Struct, frozen=True, kw_only=True):
    """The caller of one request. `tenant` is the team whose objects it works on.

    That is another team than the caller's own only while it reads through `via`, a grant or a
    link. `key` is empty where no key is asked for; `session` is that of a person who signed in
    with one.
    """

    tenant: str
    team: str
    key: str
    scopes: frozenset[Scope]
    ip: str = ""
    request_id: str = ""
    via: str = ""
    session: str = ""

    def may(self, scope: Scope) -> bool:
        """Whether the caller has a scope."""
        return scope in self.scopes


LOCAL: Final = Identity(tenant=DEFAULT_TENANT, team=DEFAULT_TENANT, key="", scopes=EVERYTHING)
"""Whoever calls a service that asks for no key."""
NOBODY: Final = Identity(tenant="", team="", key="", scopes=frozenset())
"""A visitor before it is known who that is."""


def widen(scopes: Iterable[Scope]) -> frozenset[Scope]:
    """Return scopes with all that they include."""
    return _widen(tuple(scopes))


@lru_cache(maxsize=256)
def _widen(scopes: tuple[Scope, ...]) -> frozenset[Scope]:
    given = frozenset(scopes)
    return given.union(*(_INCLUDES.get(scope, ()) for scope in given))
