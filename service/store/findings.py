"""What is wrong with the store's server, from its own account of itself."""

from collections.abc import Mapping
from typing import Any, Final

from reteval.contract.diagnostics import Severity
from reteval.contract.readiness import Finding, FindingCode

NEARLY_FULL: Final = 0.9
"""Share of the memory bound at which an operator should act."""


class UnsafeStoreError(Exception):
    """A server that may drop results by itself: nothing should be started on it."""


def inspect_server(info: Mapping[str, Any]) -> list[Finding]:
    """Read the answer to INFO; what a server does not tell is taken to be right."""
    return [
        *_check_policy(str(info.get("maxmemory_policy", "noeviction"))),
        *_check_role(str(info.get("role", "master"))),
        *_check_disk(info),
        *_check_memory(int(info.get("used_memory", 0)), int(info.get("maxmemory", 0))),
    ]


def _check_policy(policy: str) -> list[Finding]:
    if policy == "noeviction":
        return []
    return [
        Finding(
            code=FindingCode.EVICTION,
            severity=Severity.BLOCK,
            message=f"maxmemory-policy is {policy}: the store may drop results by itself",
            fix="CONFIG SET maxmemory-policy noeviction, and in its configuration file",
        )
    ]


def _check_role(role: str) -> list[Finding]:
    if role == "master":
        return []
    return [
        Finding(
            code=FindingCode.REPLICA,
            severity=Severity.BLOCK,
            message="The store is a replica and takes no writes",
            fix="Promote it, or let RETEVAL_REDIS_URL lead to the primary",
        )
    ]


def _check_disk(info: Mapping[str, Any]) -> list[Finding]:
    if not int(info.get("aof_enabled", 1)):
        return [
            Finding(
                code=FindingCode.NOT_DURABLE,
                severity=Severity.WARN,
                message="AOF is off: a crash of the store loses runs",
                fix="CONFIG SET appendonly yes, and in its configuration file",
            )
        ]
    if info.get("aof_last_write_status", "ok") == "ok":
        return []
    return [
        Finding(
            code=FindingCode.WRITE_ERRORS,
            severity=Severity.BLOCK,
            message="The store cannot write its file and refuses writes",
            fix="Free space on its disk; it goes on by itself",
        )
    ]


def _check_memory(used: int, bound: int) -> list[Finding]:
    if not bound or used < NEARLY_FULL * bound:
        return []
    return [
        Finding(
            code=FindingCode.STORE_NEARLY_FULL,
            severity=Severity.WARN,
            message=f"The store uses {used} of {bound} bytes",
            fix="Delete runs, or raise maxmemory",
        )
    ]
