"""The Lua scripts: each is one atomic step of the state machine, and safe to run twice."""

from importlib.resources import files
from typing import Any, Final

from service.store.connection import Connection

NAMES: Final = (
    "append_event",
    "cancel",
    "claim",
    "claim_first_key",
    "commit_plan",
    "commit_shard",
    "commit_test_set",
    "create_api_key",
    "create_comparison",
    "create_errand",
    "create_link",
    "create_run",
    "create_team",
    "delete_endpoint",
    "delete_grant",
    "delete_link",
    "delete_run",
    "delete_test_set",
    "find_grant",
    "finish",
    "forget",
    "halt",
    "hold_lanes",
    "pick",
    "put_endpoint",
    "put_fields",
    "put_grant",
    "renew",
    "take_slots",
    "write_outcomes",
)


class Scripts:
    """Runs a script by name; the server caches its text."""

    def __init__(self, connection: Connection) -> None:
        folder = files("service.store") / "lua"
        self._connection = connection
        self._scripts = {
            name: connection.register((folder / f"{name}.lua").read_text("utf-8")) for name in NAMES
        }

    async def run(self, name: str, keys: list[str], args: list[str | bytes | int]) -> Any:
        """Run the script with its keys and arguments, in the order its header names."""
        return await self._connection.run(self._scripts[name], keys, args)


def text(reply: bytes | str) -> str:
    """Read a status word or id that a script answered."""
    return reply.decode() if isinstance(reply, bytes) else reply
