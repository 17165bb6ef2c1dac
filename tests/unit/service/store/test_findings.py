from typing import Any

import pytest

from reteval.contract.diagnostics import Severity
from service.store.findings import inspect_server

SOUND: dict[str, Any] = {
    "role": "master",
    "maxmemory_policy": "noeviction",
    "aof_enabled": 1,
    "aof_last_write_status": "ok",
    "used_memory": 10,
    "maxmemory": 100,
}


def test_sound_server_has_no_findings() -> None:
    """A primary that keeps everything is fine, and so is one that tells nothing of itself."""
    assert inspect_server(SOUND) == []
    assert inspect_server({}) == []


@pytest.mark.parametrize(
    ("change", "code", "severity"),
    [
        ({"maxmemory_policy": "allkeys-lru"}, "eviction", Severity.BLOCK),
        ({"maxmemory_policy": "volatile-ttl"}, "eviction", Severity.BLOCK),
        ({"role": "slave"}, "replica", Severity.BLOCK),
        ({"aof_enabled": 0}, "not_durable", Severity.WARN),
        ({"aof_last_write_status": "err"}, "write_errors", Severity.BLOCK),
        ({"used_memory": 90}, "store_nearly_full", Severity.WARN),
    ],
)
def test_each_flaw_is_named(change: dict[str, Any], code: str, severity: Severity) -> None:
    """What loses work or stops it blocks; what only may, warns; each says what to do."""
    (found,) = inspect_server(SOUND | change)
    assert (found.code, found.severity) == (code, severity)
    assert found.message
    assert found.fix


def test_unbounded_memory_is_never_nearly_full() -> None:
    """Without a bound there is no share of it."""
    assert inspect_server(SOUND | {"used_memory": 10**12, "maxmemory": 0}) == []
