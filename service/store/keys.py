"""Names of keys and ids. Every key begins with its tenant."""

import secrets
from typing import Final

DEFAULT_TENANT: Final = "default"
SYSTEM_TENANT: Final = "_"
_ALPHABET: Final = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_ID_LENGTH: Final = 22
"""62^22 is just above 2^128."""

ACTIVE: Final = f"t:{SYSTEM_TENANT}:active"
"""Sorted set of `tenant/job` for every job that has not ended."""
SIGNING_KEY: Final = f"t:{SYSTEM_TENANT}:signing-key"
PROBE: Final = f"t:{SYSTEM_TENANT}:probe"
PROBE_PREFIX: Final = "prb_"
"""Of the ids of probes, which send a few queries and are kept for a day."""
PREVIEW_PREFIX: Final = "prv_"
"""Of the ids of previews, which show variants and are kept for a day, too."""
REAPER: Final = f"t:{SYSTEM_TENANT}:reaper"
COUNTERS: Final = f"t:{SYSTEM_TENANT}:counters"
"""What has been counted in the whole deployment, by counter, label and target."""
COUNTED_TARGETS: Final = f"t:{SYSTEM_TENANT}:counters:targets"


def new_id(prefix: str) -> str:
    """Return an id of at least 128 random bits, such as `run_…`."""
    return f"{prefix}_{''.join(secrets.choice(_ALPHABET) for _ in range(_ID_LENGTH))}"


def staging(tenant: str, token: str) -> str:
    """Queries of an upload that is not complete yet."""
    return f"t:{tenant}:staging:{token}"


def test_set(tenant: str, test_set_id: str) -> str:
    """Head of a test set."""
    return f"t:{tenant}:ts:{test_set_id}"


def test_set_queries(tenant: str, test_set_id: str) -> str:
    """Chunks of a test set's queries."""
    return f"t:{tenant}:ts:{test_set_id}:queries"


def test_set_runs(tenant: str, test_set_id: str) -> str:
    """Runs that refer to a test set, by time."""
    return f"t:{tenant}:ts:{test_set_id}:runs"


def test_sets(tenant: str) -> str:
    """All test sets, by time."""
    return f"t:{tenant}:test-sets"


def test_set_contents(tenant: str) -> str:
    """From a name and a content hash to the set that has them."""
    return f"t:{tenant}:test-sets:contents"


def test_set_versions(tenant: str) -> str:
    """From a name to the number of versions it ever had."""
    return f"t:{tenant}:test-sets:versions"


def test_set_name(tenant: str, name: str) -> str:
    """Living versions of a name, by number."""
    return f"t:{tenant}:test-sets:name:{name}"


def job(tenant: str, job_id: str) -> str:
    """Record of a job; the id's prefix says which kind it is (`run_`, `cmp_`, `prb_`)."""
    return f"t:{tenant}:{job_id.partition('_')[0]}:{job_id}"


def job_part(tenant: str, job_id: str, part: str) -> str:
    """A part of a job: secrets, plan, outcomes, packed, columns, unjudged or report."""
    return f"{job(tenant, job_id)}:{part}"


RUN_PARTS: Final = (
    "secrets",
    "plan",
    "outcomes",
    "packed",
    "columns",
    "unjudged",
    "report",
    "rankings",
)


def runs(tenant: str) -> str:
    """All runs, by time."""
    return f"t:{tenant}:runs"


def endpoint(tenant: str, endpoint_id: str) -> str:
    """A saved endpoint."""
    return f"t:{tenant}:ep:{endpoint_id}"


def endpoints(tenant: str) -> str:
    """All saved endpoints, by time."""
    return f"t:{tenant}:endpoints"


def endpoint_names(tenant: str) -> str:
    """From a name to the saved endpoint that has it."""
    return f"t:{tenant}:endpoints:names"


def comparisons(tenant: str) -> str:
    """From the content of a comparison to the one that has it."""
    return f"t:{tenant}:comparisons"


def target_slots(target: str) -> str:
    """When the next request to a target may start, whoever sends it."""
    return f"t:{SYSTEM_TENANT}:target:{target}:slots"


def target_lanes(target: str) -> str:
    """Who holds how many connections to a target."""
    return f"t:{SYSTEM_TENANT}:target:{target}:lanes"


def counted(process: str) -> str:
    """The number of what a process last added to the counters."""
    return f"t:{SYSTEM_TENANT}:counted:{process}"


def idempotency(tenant: str, key: str) -> str:
    """The run that an idempotency key made."""
    return f"t:{tenant}:idempotency:{key}"
