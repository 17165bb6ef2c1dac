"""What `doctor` finds: how something is, and what to do where it is not well."""

from enum import StrEnum

from msgspec import Struct

from reteval.contract.diagnostics import Severity


class Health(StrEnum):
    """`warn` is worth a look; with a `problem`, something does not work."""

    OK = "ok"
    WARN = "warn"
    PROBLEM = "problem"


class Found(Struct, frozen=True, kw_only=True):
    """One thing that was looked at; `fix` is empty where it is well."""

    check: str
    health: Health
    message: str
    fix: str = ""


def well(check: str, message: str) -> Found:
    """Tell that something is as it should be."""
    return Found(check=check, health=Health.OK, message=message)


def doubtful(check: str, message: str, fix: str) -> Found:
    """Tell that something is worth a look."""
    return Found(check=check, health=Health.WARN, message=message, fix=fix)


def wrong(check: str, message: str, fix: str) -> Found:
    """Tell that something does not work."""
    return Found(check=check, health=Health.PROBLEM, message=message, fix=fix)


def weighed(check: str, severity: Severity, message: str, fix: str) -> Found:
    """Tell what the service found, by its own weight."""
    if severity is Severity.INFO:
        return Found(check=check, health=Health.OK, message=message, fix=fix)
    return (wrong if severity is Severity.BLOCK else doubtful)(check, message, fix)
