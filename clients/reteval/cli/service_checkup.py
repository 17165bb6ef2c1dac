"""Whether a service is there, fits this client, works, and lets the key in."""

from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from typing import Final

from reteval._readiness import Sight
from reteval._transport import DEFAULT_URL, release
from reteval.cli.findings import Found, doubtful, weighed, well, wrong
from reteval.cli.session import Session
from reteval.client import Client
from reteval.contract.api_keys import Scope
from reteval.contract.problems import ErrorCode
from reteval.errors import (
    ClientError,
    ConnectionFailedError,
    ResponseError,
    RetevalError,
    UnauthorizedError,
)

SKEW_S: Final = 60.0
"""A clock that is off by more makes keys expire early and signatures of webhooks fail."""
_START: Final = "start it (`make serve`, or `python -m service up`)"
_NAME_IT: Final = "say where it is: --url, RETEVAL_URL, or the url of a profile"
_NO_RUN: Final = "run_none"


def examine_service(session: Session) -> Generator[Found, None, bool]:
    """Look whether a reteval service answers, and return whether it can be asked more."""
    url = session.client.url
    try:
        sight = session.client.readiness()
    except ConnectionFailedError as exc:
        yield wrong("service", str(exc), f"{_START}, or {_NAME_IT}{_elsewhere(session)}")
        return False
    except ResponseError as exc:
        if exc.code is None:
            yield _something_else(session, exc)
            return False
        yield from _not_ready(exc)
        return False
    except RetevalError as exc:
        yield _something_else(session, exc)
        return False
    yield well("service", f"reteval {sight.readiness.version} answers at {url}")
    yield from _examine_state(session, sight)
    return True


def _something_else(session: Session, exc: RetevalError) -> Found:
    message = f"what answers at {session.client.url} is no reteval service: {exc}"
    fix = f"check the port (usually that of {DEFAULT_URL}) and {_NAME_IT}{_elsewhere(session)}"
    return wrong("service", message, fix)


def _not_ready(exc: ResponseError) -> Iterator[Found]:
    for item in exc.errors:
        yield wrong("service", item.message, item.fix)
    if not exc.errors:
        yield wrong("service", str(exc), "ask again later, or tell the operator the request id")


def _elsewhere(session: Session) -> str:
    """Say that a service answers at the default address, where another one was asked."""
    if session.client.url == DEFAULT_URL:
        return ""
    with suppress(RetevalError), session.connect(DEFAULT_URL, "") as other:
        other.readiness()
        return f"; one answers at {DEFAULT_URL}"
    return ""


def _examine_state(session: Session, sight: Sight) -> Iterator[Found]:
    ours, theirs = release(), sight.readiness.version
    if _series(ours) != _series(theirs):
        message = f"this client is {ours}, the service {theirs}"
        yield doubtful("version", message, f"install the client of release {_series(theirs)}")
    if sight.clock is not None:
        ahead_s = session.place.now() - sight.clock.timestamp()
        if abs(ahead_s) > SKEW_S:
            side = "ahead of" if ahead_s > 0 else "behind"
            message = f"this machine's clock is {abs(ahead_s):.0f} s {side} the service's"
            yield doubtful(
                "clock", message, "set both by NTP: keys expire and signatures end by it"
            )
    for one in sight.readiness.findings:
        yield weighed("service", one.severity, f"{one.code.value}: {one.message}", one.fix)


def _series(version: str) -> str:
    """Return the part of a version within which client and service fit."""
    return ".".join(version.split(".")[:2])


def examine_key(session: Session) -> Generator[Found, None, bool]:
    """Look whether the key opens anything, and return whether it does."""
    try:
        allowed = session.client.limits()
    except UnauthorizedError as exc:
        setting = next(one for one in session.settings if one.name == "api key")
        if setting.value:
            fix = f"the key comes from {setting.source}: have another made, `reteval keys create`"
        else:
            fix = "ask the operator for a key, and set RETEVAL_API_KEY or api_key_env in a profile"
        yield wrong("key", str(exc), fix)
        return False
    except RetevalError as exc:
        yield wrong("key", str(exc), "see the message; then ask again")
        return False
    key = f"key {allowed.key}" if allowed.key else "no key is needed"
    yield well("key", f"team {allowed.team}, {key}")
    return True


def examine_scopes(session: Session) -> Iterator[Found]:
    """Look which of the usual scopes the key lacks."""
    lacks = [scope for scope, ask in _ASKS.items() if _is_refused(session.client, ask)]
    if not lacks:
        yield well("scope", "the key may upload, run and read")
        return
    fix = f"have a key made that may do more: reteval keys create NAME --scopes {','.join(_ASKS)}"
    yield doubtful("scope", f"the key lacks {', '.join(lacks)}", fix)


def _is_refused(client: Client, ask: Callable[[Client], object]) -> bool:
    try:
        ask(client)
    except ClientError as exc:
        return exc.code == ErrorCode.FORBIDDEN
    return False


# Whoever lacks a scope is told so before the request is looked at. Those that would make
# something are empty: they are refused either way.
_ASKS: Final[dict[Scope, Callable[[Client], object]]] = {
    Scope.TEST_SETS_READ: lambda client: next(client.test_sets(limit=1), None),
    Scope.TEST_SETS_WRITE: lambda client: client.upload({}),
    Scope.RUNS_READ: lambda client: next(client.runs(limit=1), None),
    Scope.RUNS_WRITE: lambda client: client.run({}),
    Scope.RESULTS_READ: lambda client: client.results(_NO_RUN),
}
