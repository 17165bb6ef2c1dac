"""What a job needs to call an endpoint: its description with secrets, and the egress policy."""

import msgspec

from reteval.contract.endpoints import Endpoint
from service.egress import Policy
from service.store.sealing import unseal
from worker.jobs.work import Work


async def open_endpoint(work: Work, endpoint: Endpoint) -> Endpoint:
    """Return the endpoint with the header values that were sealed for this job."""
    sealed = await work.store.claims.secrets(work.claim)
    if sealed is None:
        return endpoint
    return msgspec.structs.replace(endpoint, headers=unseal(work.settings.secret_key, sealed))


def read_policy(work: Work) -> Policy:
    """Return the policy that this worker applies to every call."""
    return Policy.parse(
        work.settings.egress, work.settings.egress_allow, own=work.settings.own_addresses()
    )
