"""Links: open one run for reading to whoever has the token, for some days."""

from reteval.contract.grants import SHARE_PARAMETER, Link, LinkList, LinkRequest, NewLink
from reteval.contract.tokens import SHARE, spell_token
from service.core.api_keys import DAY_MS, new_secret
from service.core.backend import Backend
from service.core.idempotency import Idempotency
from service.core.keyring import digest_token
from service.store.bare_report import iso_time
from service.store.keys import new_id
from service.store.links import LinkRecord


async def create_link(
    backend: Backend,
    run_id: str,
    request: LinkRequest,
    *,
    idempotency: Idempotency | None = None,
) -> NewLink:
    """Make a link to a run; its token leaves once, in this answer.

    Raises:
        NotFoundError: no such run.
        InvalidError: the run has as many links as it may.
        IdempotencyConflictError: another process took the key over.
        ShownOnceError: it made a link before, whose token nobody has.
    """
    link_id = new_id("lnk")
    token = spell_token(SHARE, link_id.removeprefix("lnk_"), new_secret())
    now_ms = backend.now_ms()
    record = LinkRecord(
        id=link_id,
        team=backend.tenant,
        run=run_id,
        digest=digest_token(token),
        created_ms=now_ms,
        created_by=backend.identity.key,
        expires_ms=now_ms + request.expires_in_days * DAY_MS,
    )
    await backend.store.links.create(record, idempotency=idempotency)
    url = f"/v1/runs/{run_id}/results?{SHARE_PARAMETER}={token}"
    return NewLink(**_show(record), token=token, url=url)


async def list_links(backend: Backend, run_id: str) -> LinkList:
    """Return the links that still open a run.

    Raises:
        NotFoundError: no such run.
    """
    await backend.store.runs.get(backend.tenant, run_id)
    found = await backend.store.links.of_run(backend.tenant, run_id, now_ms=backend.now_ms())
    return LinkList(items=tuple(Link(**_show(record)) for record in found))


async def delete_link(backend: Backend, run_id: str, link_id: str) -> None:
    """Close a link.

    Raises:
        NotFoundError: no such run, or it has no such link.
    """
    await backend.store.runs.get(backend.tenant, run_id)
    await backend.store.links.delete(backend.tenant, run_id, link_id)


def _show(record: LinkRecord) -> dict[str, str]:
    return {
        "id": record.id,
        "run": record.run,
        "created_at": iso_time(record.created_ms),
        "created_by": record.created_by,
        "expires_at": iso_time(record.expires_ms),
    }
