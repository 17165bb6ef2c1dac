"""The Lua scripts: each is one atomic step of the state machine, and safe to run twice.

What several of them need stands in `lua/shared`; a line `-- uses: NAME, …` puts it before a script.
"""

import re
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any, Final

from service.store.connection import Connection

NAMES: Final = (
    "add_votes",
    "append_event",
    "begin_step",
    "cancel",
    "cancel_step",
    "claim",
    "claim_first_key",
    "claim_key",
    "commit_plan",
    "commit_shard",
    "commit_test_set",
    "condemn",
    "count",
    "create_api_key",
    "create_comparison",
    "create_errand",
    "create_judging",
    "create_link",
    "create_run",
    "create_suite",
    "create_suite_run",
    "create_team",
    "delete_alert",
    "delete_comparison",
    "delete_endpoint",
    "delete_grant",
    "delete_judging",
    "delete_link",
    "delete_run",
    "delete_schedule",
    "delete_suite",
    "delete_test_set",
    "delete_webhook",
    "find_grant",
    "finish",
    "fire_schedule",
    "forget",
    "freeze_judging",
    "halt",
    "hold_lanes",
    "keep_answer",
    "load",
    "mark",
    "note_look",
    "pass_schedule",
    "pick",
    "put_alert",
    "put_endpoint",
    "put_fields",
    "put_grant",
    "put_limits",
    "put_schedule",
    "put_webhook",
    "queue_delivery",
    "read_quotas",
    "release_key",
    "renew",
    "reserve",
    "restore_judging",
    "restore_looks",
    "restore_run",
    "restore_test_set",
    "settle_alert",
    "settle_delivery",
    "take_delivery",
    "take_requests",
    "take_slots",
    "weigh",
    "weigh_judging",
    "write_outcomes",
    "write_step",
)
_USES: Final = re.compile(r"^-- uses: (?P<names>.*)$", re.MULTILINE)


class Scripts:
    """Runs a script by name; the server caches its text."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        folder = files("service.store") / "lua"
        self._scripts = {name: connection.register(compose(folder, name)) for name in NAMES}

    async def run(self, name: str, keys: list[str], args: list[str | bytes | int]) -> Any:
        """Run the script with its keys and arguments, in the order its header names."""
        return await self._connection.run(self._scripts[name], keys, args)


def compose(folder: Traversable, name: str) -> str:
    """Return a script's text after what it uses; a first line for the server stays the first."""
    own = (folder / f"{name}.lua").read_text("utf-8")
    uses = _USES.search(own)
    names = uses["names"].split(", ") if uses else []
    shared = [(folder / "shared" / f"{one}.lua").read_text("utf-8") for one in names]
    first, rest = own.split("\n", 1) if own.startswith("#!") else ("", own)
    return "\n".join([first, *shared, rest]) if first else "\n".join([*shared, rest])


def text(reply: bytes | str) -> str:
    """Read a status word or id that a script answered."""
    return reply.decode() if isinstance(reply, bytes) else reply
