"""What usually goes wrong, looked for in the order in which things rest on each other.

Nothing is changed at the service. The endpoint is called by the service, as it would be in a run.
"""

import shlex
from collections.abc import Generator, Iterator

from reteval.cli.endpoint_checkup import examine_endpoint
from reteval.cli.findings import Found, weighed, well, wrong
from reteval.cli.init import QUERIES_FILE
from reteval.cli.service_checkup import examine_key, examine_scopes, examine_service
from reteval.cli.session import Session
from reteval.contract.testsets import TestSet
from reteval.errors import NotFoundError, RetevalError


def examine(session: Session) -> Iterator[Found]:
    """Yield what was found; what rests on something that is missing is not looked at."""
    options = session.options
    if not (yield from examine_service(session)) or not (yield from examine_key(session)):
        return
    yield from examine_scopes(session)
    test_set = None
    if options.test_set is not None:
        test_set = yield from _examine_test_set(session, options.test_set)
    if options.endpoint_url is not None or options.endpoint is not None:
        yield from examine_endpoint(session, test_set)


def _examine_test_set(session: Session, name: str) -> Generator[Found, None, TestSet | None]:
    try:
        found = session.client.test_set(name)
    except NotFoundError:
        fix = f"upload it: reteval upload {_queries_at_hand(session)} --name {shlex.quote(name)}"
        yield wrong("test set", f"the service has none that is called {name!r}", fix)
        return None
    except RetevalError as exc:
        yield wrong("test set", str(exc), "see the message; then ask again")
        return None
    stats = found.stats
    counts = f"{stats.queries} queries ({stats.scorable} scorable), {stats.judgments} judgments"
    yield well("test set", f"{found.name} version {found.version}: {counts}")
    for one in found.warnings:
        yield weighed("test set", one.severity, f"{one.code.value}: {one.message}", one.fix)
    return found


def _queries_at_hand(session: Session) -> str:
    """Name the file that `reteval init` wrote, where it lies here."""
    return QUERIES_FILE if (session.place.folder / QUERIES_FILE).is_file() else "FILE"
