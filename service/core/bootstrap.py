"""The first key of a deployment: made once, by whoever may run commands beside its store."""

from msgspec import structs

from reteval.contract.api_keys import NewApiKey, Scope
from reteval.contract.audit import AuditEvent
from service.core.api_keys import DAY_MS, issue_key
from service.core.audit import record
from service.core.backend import Backend
from service.core.identity import LOCAL, OPERATOR
from service.errors import ForbiddenError
from service.store.bare_report import iso_time
from service.store.keys import DEFAULT_TENANT


async def make_first_key(backend: Backend, *, days: int, again: bool) -> NewApiKey:
    """Make the first admin's key; `again` revokes the one that was made before.

    Raises:
        ForbiddenError: it was made already and still opens.
    """
    backend = backend.of(structs.replace(LOCAL, key=OPERATOR))
    store, now_ms = backend.store.api_keys, backend.now_ms()
    known = await store.first()
    old = await store.find(known) if known else None
    opens = old is not None and old.opens(now_ms)
    if old is not None and opens and not again:
        raise _made(f"It is {old.id}, opens until {iso_time(old.expires_ms)}, ends in {old.last4}.")
    made = await issue_key(
        backend,
        team=DEFAULT_TENANT,
        name="first key",
        scopes=(Scope.ADMIN,),
        now_ms=now_ms,
        lifetime_ms=days * DAY_MS,
    )
    if not await store.claim_first(made.id, after=known):
        await store.revoke(made.id, now_ms)
        raise _made("Somebody else did it just now.")
    await record(backend, AuditEvent.KEY_CREATED, target=made.id, detail="bootstrap")
    if old is not None and opens:
        await store.revoke(old.id, now_ms)
        await record(backend, AuditEvent.KEY_REVOKED, target=old.id, detail="bootstrap")
    return made


def _made(which: str) -> ForbiddenError:
    return ForbiddenError(
        f"The first key was made already. {which} With it, make others: `reteval keys create`. "
        "If it is lost, add --again, which revokes it."
    )
