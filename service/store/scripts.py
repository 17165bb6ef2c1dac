"""The Lua scripts: each is one atomic step of the state machine, and safe to run twice."""

from importlib.resources import files
from typing import Any, Final

from service.store.connection import Connection

NAMES: Final = (
    "cancel",
    "claim",
    "commit_plan",
    "commit_shard",
    "commit_test_set",
    "condemn",
    "count",
    "create_comparison",
    "create_errand",
    "create_run",
    "delete_comparison",
    "delete_endpoint",
    "delete_run",
    "delete_test_set",
    "delete_webhook",
    "finish",
    "forget",
    "halt",
    "hold_lanes",
    "load",
    "mark",
    "pick",
    "put_endpoint",
    "put_fields",
    "put_webhook",
    "queue_delivery",
    "renew",
    "reserve",
    "restore_run",
    "restore_test_set",
    "settle_delivery",
    "take_delivery",
    "take_slots",
    "weigh",
    "write_outcomes",
)
TELLING: Final = (
    "cancel",
    "condemn",
    "delete_webhook",
    "finish",
    "put_webhook",
    "queue_delivery",
    "settle_delivery",
    "take_delivery",
)
"""Scripts that begin with `webhooks.lua`."""


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
    parts = ("webhooks", name) if name in TELLING else (name,)
    return "".join((folder / f"{part}.lua").read_text("utf-8") for part in parts)


def text(reply: bytes | str) -> str:
    """Read a status word or id that a script answered."""
    return reply.decode() if isinstance(reply, bytes) else reply
