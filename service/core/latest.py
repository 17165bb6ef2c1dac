"""The newest completed run of a test set or label: the team's own, else one it was granted."""

from typing import Final

from msgspec import Struct, structs

from reteval.contract.grants import Grant
from reteval.contract.problems import ProblemItem
from reteval.contract.runs import Run, RunStatus
from service.core.backend import Backend
from service.core.grants import read_through
from service.core.runs import show_to
from service.errors import InvalidError, NotFoundError
from service.store.records import RunRecord

BRANCH: Final = "branch"
"""The key of `meta` under which a pipeline says what it tested."""
_BATCH: Final = 50
_COMPLETED: Final = (RunStatus.COMPLETED, RunStatus.COMPLETED_WITH_ERRORS)


class Wanted(Struct, frozen=True, kw_only=True):
    """Which runs; an empty filter fits all. `test_set` is an id, or a name for all versions.

    `branch` is what their `meta` says.
    """

    test_set: str = ""
    label: str = ""
    branch: str = ""
    team: str = ""

    def fits(self, record: RunRecord) -> bool:
        """Whether a run is one of them and has numbers."""
        test_set, request = record.spec.test_set, record.spec.request
        return (
            record.status in _COMPLETED
            and self.test_set in ("", test_set.id, test_set.name)
            and self.label in ("", request.label)
            and self.branch in ("", request.meta.get(BRANCH))
        )


async def find_latest(backend: Backend, wanted: Wanted) -> Run:
    """Return the newest completed run that fits, as its reader may see it.

    Raises:
        InvalidError, NotFoundError: as `find_newest`.
    """
    return show_to(*await find_newest(backend, wanted))


async def find_newest(backend: Backend, wanted: Wanted) -> tuple[Backend, RunRecord]:
    """Return the newest completed run that fits, and the backend through which it is read.

    It is of the caller's team if that has any. Else another team, by granting a newer run of the
    same label, could say what ours is.

    Raises:
        InvalidError: no filter at all.
        NotFoundError: there is none that the caller may read.
    """
    if not wanted.test_set and not wanted.label:
        item = ProblemItem(
            pointer="?test_set",
            message="nothing says which runs are meant",
            fix="Give test_set, label, or both.",
        )
        raise InvalidError("A query parameter is not valid.", errors=[item])
    own = await _newest_own(backend, wanted)
    if own is not None:
        return backend, own
    granted = await _newest_granted(backend, wanted)
    if granted is None:
        raise NotFoundError("There is no completed run of this test set and label to be read.")
    record, grant = granted
    return await read_through(backend, grant, record.id), record


async def _newest_own(backend: Backend, wanted: Wanted) -> RunRecord | None:
    if wanted.team not in ("", backend.tenant):
        return None
    found = [
        await _newest(backend, backend.tenant, wanted, test_set)
        for test_set in await _own_sets(backend, wanted)
    ]
    runs = [record for record in found if record is not None]
    return max(runs, key=lambda record: record.created_ms, default=None)


async def _newest_granted(backend: Backend, wanted: Wanted) -> tuple[RunRecord, Grant] | None:
    newest: tuple[RunRecord, Grant] | None = None
    for grant in await backend.store.grants.received(backend.tenant):
        record = await _granted(backend, wanted, grant)
        if record is not None and (newest is None or record.created_ms > newest[0].created_ms):
            newest = record, grant
    return newest


async def _own_sets(backend: Backend, wanted: Wanted) -> list[str | None]:
    if not wanted.test_set:
        return [None]
    try:
        found = await backend.store.test_sets.versions(backend.tenant, wanted.test_set)
    except NotFoundError:
        return []
    return [test_set.id for test_set in found]


async def _granted(backend: Backend, wanted: Wanted, grant: Grant) -> RunRecord | None:
    if grant.team == backend.tenant or grant.test_set is not None:
        return None
    if wanted.team not in ("", grant.team):
        return None
    if grant.label is None:
        try:
            record = await backend.store.runs.get(grant.team, grant.run or "")
        except NotFoundError:  # deleted since it was granted
            return None
        return record if wanted.fits(record) else None
    if wanted.label not in ("", grant.label):
        return None
    narrowed = structs.replace(wanted, label=grant.label, team="")
    return await _newest(backend, grant.team, narrowed, None)


async def _newest(
    backend: Backend, tenant: str, wanted: Wanted, test_set: str | None
) -> RunRecord | None:
    position: str | None = None
    while True:
        records, position = await backend.store.runs.page(
            tenant,
            before=position,
            limit=_BATCH,
            test_set=test_set,
            label=wanted.label or None,
        )
        for record in records:
            if wanted.fits(record):
                return record
        if position is None:
            return None
