"""Client of the reteval retrieval evaluation service."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reteval._public import *  # noqa: F403 - its `__all__` is what the package offers


def __getattr__(name: str) -> object:
    """Find a name where it is; who imports a part, such as the contract, loads no HTTP library."""
    if name.startswith("_") and name != "__all__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        found: object = getattr(import_module("reteval._public"), name)
    except AttributeError as exc:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from exc
    return found


def __dir__() -> list[str]:
    """Name all that the package offers."""
    names: list[str] = import_module("reteval._public").__all__
    return names
