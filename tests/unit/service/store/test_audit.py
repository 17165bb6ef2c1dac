"""The audit streams: each event once, the newest kept."""

import pytest

from service.store.audit import Audit
from service.store.store import Store


async def test_events_are_read_newest_first(store: Store) -> None:
    """Pages follow each other without a gap or a repetition; logs are apart."""
    for number in range(5):
        await store.audit.append("changes", {"event": str(number)})
    await store.audit.append("access", {"event": "other"})
    seen, before = [], None
    while True:
        rows, before = await store.audit.page("changes", before=before, limit=2)
        seen += [fields["event"] for _, fields in rows]
        if before is None:
            break
    assert seen == ["4", "3", "2", "1", "0"]


async def test_oldest_events_go(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """A log that is full drops its oldest blocks, never its newest event."""
    monkeypatch.setattr("service.store.audit.MAX_EVENTS", 100)
    for _ in range(399):
        await store.audit.append("changes", {"event": "x"})
    await store.audit.append("changes", {"event": "last"})
    rows, _ = await store.audit.page("changes", before=None, limit=400)
    assert 100 <= len(rows) < 300
    assert rows[0][1] == {"event": "last"}


async def test_event_sent_twice_is_there_once(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A script repeated after a lost answer appends nothing."""
    monkeypatch.setattr("secrets.token_hex", lambda _: "same")
    audit: Audit = store.audit
    for _ in range(2):
        await audit.append("changes", {"event": "x"})
    assert len((await audit.page("changes", before=None, limit=9))[0]) == 1
