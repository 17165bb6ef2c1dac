"""Suites: test sets that are run as one. Keep, show, delete."""

from collections import Counter

from reteval.contract.limits import MAX_NAME_BYTES
from reteval.contract.problems import ProblemItem
from reteval.contract.suites import Suite, SuiteMember, SuitePage, SuiteRequest
from reteval.contract.testsets import TestSet
from service.core.backend import Backend
from service.core.texts import check_text
from service.errors import InvalidError, NotFoundError
from service.store.records import Idempotency


async def create_suite(
    backend: Backend, request: SuiteRequest, *, idempotency: Idempotency | None = None
) -> Suite:
    """Keep a suite of test sets that are there.

    Raises:
        InvalidError: a rule is broken, or there are as many suites as there may be.
        NotFoundError: one of the test sets does not exist.
        NameTakenError: another suite has the name.
        IdempotencyConflictError: another process took the key over.
    """
    _check(request)
    await find_sets(backend, request.test_sets)
    weights = request.weights or [1.0] * len(request.test_sets)
    pairs = zip(request.test_sets, weights, strict=True)
    members = [SuiteMember(test_set=ref, weight=weight) for ref, weight in pairs]
    return await backend.store.suites.create(
        backend.tenant, request.name, members, idempotency=idempotency
    )


async def list_suites(backend: Backend, *, cursor: str, limit: int) -> SuitePage:
    """Return a page of suites, newest first.

    Raises:
        BadCursorError: the cursor belongs to another list.
    """
    cursors = await backend.cursors()
    scope = ("suites", backend.tenant)
    found, position = await backend.store.suites.page(
        backend.tenant, before=cursors.read(scope, cursor), limit=limit
    )
    return SuitePage(items=tuple(found), next_cursor=cursors.issue(scope, position))


async def get_suite(backend: Backend, ref: str) -> Suite:
    """Return a suite by id or name.

    Raises:
        NotFoundError: there is none.
    """
    return await backend.store.suites.get(backend.tenant, ref)


async def delete_suite(backend: Backend, ref: str) -> None:
    """Delete a suite; its runs stay, as runs of their own.

    Raises:
        NotFoundError: there is none.
    """
    await backend.store.suites.delete(backend.tenant, ref)


async def find_sets(backend: Backend, refs: list[str]) -> list[TestSet]:
    """Return the test sets of a suite, each once.

    Raises:
        NotFoundError, InvalidError: one does not exist, or is named twice.
    """
    found = []
    for index, ref in enumerate(refs):
        try:
            found.append(await backend.store.test_sets.get(backend.tenant, ref))
        except NotFoundError as exc:
            item = ProblemItem(
                pointer=f"/test_sets/{index}",
                message=f"there is no test set {ref!r}",
                fix="Take an id or a name from GET /v1/test-sets.",
            )
            raise NotFoundError(exc.detail, errors=[item]) from exc
    (first, times), *_ = Counter(test_set.id for test_set in found).most_common(1)
    if times > 1:
        item = ProblemItem(
            pointer="/test_sets",
            message=f"{first!r} is there {times} times, by its id or its name",
            fix="Name each test set once; a weight makes it count for more.",
        )
        raise InvalidError("The suite names a test set twice.", errors=[item])
    return found


def _check(request: SuiteRequest) -> None:
    items = [*check_text(request.name, pointer="/name", max_bytes=MAX_NAME_BYTES)]
    if request.weights is not None and len(request.weights) != len(request.test_sets):
        items.append(
            ProblemItem(
                pointer="/weights",
                message=f"{len(request.weights)} weights for {len(request.test_sets)} test sets",
                fix="Give each test set a weight, or leave them out.",
            )
        )
    if items:
        raise InvalidError("The suite breaks a rule.", errors=items)
