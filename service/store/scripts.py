"""The Lua scripts: each is one atomic step of the state machine, and safe to run twice."""

from importlib.resources import files
from typing import Any, Final

from service.store.connection import Connection

NAMES: Final = (
    "cancel",
    "claim",
    "claim_key",
    "commit_plan",
    "commit_shard",
    "commit_test_set",
    "create_comparison",
    "create_errand",
    "create_run",
    "delete_endpoint",
    "delete_run",
    "delete_test_set",
    "finish",
    "forget",
    "halt",
    "hold_lanes",
    "keep_answer",
    "pick",
    "put_endpoint",
    "put_fields",
    "release_key",
    "renew",
    "take_slots",
    "write_outcomes",
)
CREATING: Final = (
    "commit_test_set",
    "create_comparison",
    "create_errand",
    "create_run",
    "put_endpoint",
)
"""Scripts that begin with `idempotency.lua`."""


class Scripts:
    """Runs a script by name; the server caches its text."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._scripts = {name: connection.register(_read(name)) for name in NAMES}

    async def run(self, name: str, keys: list[str], args: list[str | bytes | int]) -> Any:
        """Run the script with its keys and arguments, in the order its header names."""
        return await self._connection.run(self._scripts[name], keys, args)


def _read(name: str) -> str:
    folder = files("service.store") / "lua"
    parts = ("idempotency", name) if name in CREATING else (name,)
    return "".join((folder / f"{part}.lua").read_text("utf-8") for part in parts)


def text(reply: bytes | str) -> str:
    """Read a status word or id that a script answered."""
    return reply.decode() if isinstance(reply, bytes) else reply
