"""What a job needs to call an endpoint: its description with secrets, and the egress policy."""

import msgspec

from reteval.contract.endpoints import Endpoint
from service.egress import Policy
from service.store.sealing import split_headers, unseal
from worker.jobs.work import Work


async def open_endpoint(work: Work, endpoint: Endpoint) -> Endpoint:
    """Return the endpoint with the header values that were sealed for this job."""
    return await _open(work, endpoint, whose=0)


async def open_model(work: Work, model: Endpoint) -> Endpoint:
    """Return the model that writes paraphrases, with its header values."""
    return await _open(work, model, whose=1)


async def _open(work: Work, endpoint: Endpoint, *, whose: int) -> Endpoint:
    sealed = await work.store.claims.secrets(work.claim)
    if sealed is None:
        return endpoint
    headers = split_headers(unseal(work.settings.secret_key, sealed))
    return msgspec.structs.replace(endpoint, headers=headers[whose])


def read_policy(work: Work) -> Policy:
    """Return the policy that this worker applies to every call."""
    return Policy.parse(
        work.settings.egress, work.settings.egress_allow, own=work.settings.own_addresses()
    )
