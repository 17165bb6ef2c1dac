"""Jobs of one kind as they are read: the record by id, and the report once they have ended well."""

from typing import Any, ClassVar, Generic, TypeVar, cast

import msgspec

from reteval.contract.runs import RunStatus
from service.errors import NotFoundError
from service.store import keys
from service.store.connection import Connection
from service.store.damage import reading
from service.store.jobs import read_state
from service.store.records import JobRecord
from service.store.scripts import Scripts

J = TypeVar("J", bound=JobRecord)
R = TypeVar("R")


class Shelf(Generic[J, R]):
    """All jobs of one kind. `about` names the kind to people, `prefix` begins its ids."""

    about: ClassVar[str]
    prefix: ClassVar[str]
    spec: ClassVar[type[Any]]
    record: ClassVar[type[Any]]
    found: ClassVar[type[Any]]

    def __init__(self, connection: Connection, scripts: Scripts) -> None:
        self._connection = connection
        self._scripts = scripts

    async def get(self, tenant: str, job_id: str) -> J:
        """Return a job's record.

        Raises:
            NotFoundError: no such job of this kind, or none any more.
        """
        fields = await self._connection.hgetall(keys.job(tenant, job_id))
        if not job_id.startswith(self.prefix) or not fields:
            raise NotFoundError(f"There is no {self.about} {job_id!r}.")
        with reading(f"the {self.about} {job_id!r}"):
            spec = msgspec.json.decode(fields["spec"], type=self.spec)
            return cast("J", self.record(spec=spec, **read_state(tenant, fields)))

    async def report(self, tenant: str, record: J) -> R | None:
        """Return what a job found; None unless it has ended well."""
        if record.status is not RunStatus.COMPLETED:
            return None
        job_id: str = record.spec.id  # type: ignore[attr-defined]  # every kind's record has one
        body = await self._connection.get(keys.job_part(tenant, job_id, "report"))
        with reading(f"the report of {job_id!r}"):
            return cast("R", msgspec.json.decode(body, type=self.found)) if body else None
