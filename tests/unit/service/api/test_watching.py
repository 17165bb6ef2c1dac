"""The events of a run."""

import httpx
import msgspec

from reteval.contract.runs import Run


async def test_ended_run_is_told_once(client: httpx.AsyncClient, ended_run: str) -> None:
    """A run that has ended is one event, `end`, with its state; then the stream is over."""
    answer = await client.get(f"/v1/runs/{ended_run}/events")
    assert answer.headers["content-type"].startswith("text/event-stream")
    fields = dict(line.split(": ", 1) for line in answer.text.splitlines() if ": " in line)
    assert fields["event"] == "end"
    assert msgspec.json.decode(fields["data"], type=Run).id == ended_run


async def test_head_has_no_events(client: httpx.AsyncClient, ended_run: str) -> None:
    """HEAD says that there is a stream and is over."""
    answer = await client.head(f"/v1/runs/{ended_run}/events")
    assert (answer.status_code, answer.content) == (200, b"")
