"""A backend for tests of use cases, in the service of whom they say, at a time they say."""

from datetime import UTC, datetime, timedelta

from reteval.contract.api_keys import Scope
from service.core.backend import Backend, Keeping, parse_policy
from service.core.identity import Identity, widen
from service.queue import JobQueue
from service.store.store import Store

START = datetime(2026, 11, 30, 12, 0, 0, tzinfo=UTC)


class Clock:
    """A time that goes on when told."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        """Return the time."""
        return self.now

    def go(self, **parts: float) -> None:
        """Let time go on."""
        self.now += timedelta(**parts)


def a_backend(store: Store, queue: JobQueue, clock: Clock | None = None) -> Backend:
    """Return the backend of a process, in the service of whoever calls without a key."""
    return Backend(
        store=store,
        queue=queue,
        policy=parse_policy("loopback", (), ()),
        egress="loopback",
        secret_key="",
        code_version="0.1.0",
        keeping=Keeping(),
        now=clock or Clock(),
    )


def as_team(backend: Backend, team: str, *scopes: Scope) -> Backend:
    """Return the backend in the service of a team's key; without scopes, of one with all."""
    return backend.of(
        Identity(
            tenant=team,
            team=team,
            key=f"key_of_{team}",
            scopes=widen(scopes or Scope),
            ip="192.0.2.7",
            request_id="r1",
        )
    )
