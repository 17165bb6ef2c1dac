"""Names of keys and ids. Every key begins with its tenant."""

import secrets
from typing import Final

DEFAULT_TENANT: Final = "default"
SYSTEM_TENANT: Final = "_"
_ALPHABET: Final = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_ID_LENGTH: Final = 22
"""62^22 is just above 2^128."""

ACTIVE: Final = f"t:{SYSTEM_TENANT}:active"
"""Sorted set of `tenant/run` for every run that has not ended."""
SIGNING_KEY: Final = f"t:{SYSTEM_TENANT}:signing-key"
PROBE: Final = f"t:{SYSTEM_TENANT}:probe"
REAPER: Final = f"t:{SYSTEM_TENANT}:reaper"


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


def run(tenant: str, run_id: str) -> str:
    """Record of a run."""
    return f"t:{tenant}:run:{run_id}"


def run_part(tenant: str, run_id: str, part: str) -> str:
    """A part of a run: secrets, plan, outcomes, packed, columns or report."""
    return f"t:{tenant}:run:{run_id}:{part}"


RUN_PARTS: Final = ("secrets", "plan", "outcomes", "packed", "columns", "report")


def runs(tenant: str) -> str:
    """All runs, by time."""
    return f"t:{tenant}:runs"


def idempotency(tenant: str, key: str) -> str:
    """The run that an idempotency key made."""
    return f"t:{tenant}:idempotency:{key}"
