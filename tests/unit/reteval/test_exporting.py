"""Test sets as files, through both clients against a scripted service."""

import httpx
import pytest

from reteval.contract.exports import ExportFormat
from reteval.errors import NotFoundError
from tests.unit.reteval.documents import Script, problem
from tests.unit.reteval.test_keeping import Calls, both


@both
def test_export_says_what_is_lost(calls: Calls) -> None:
    """Format and index are parameters; the header of losses comes as names."""
    service = Script([httpx.Response(200, content=b"{}", headers={"Reteval-Lost": "tags, split"})])
    found = calls(
        service,
        lambda client: client.export_test_set("my docs", ExportFormat.RANK_EVAL, index="v2"),
    )
    (sent,) = service.requests
    assert (found.content, found.lost) == (b"{}", ("tags", "split"))
    assert sent.url.raw_path == b"/v1/test-sets/my%20docs/export?format=rank_eval&index=v2"


@both
def test_export_of_everything_has_lost_nothing(calls: Calls) -> None:
    """Without the header, nothing is lost; JSON lines are the usual format."""
    service = Script([httpx.Response(200, content=b"")])
    found = calls(service, lambda client: client.export_test_set("docs"))
    assert (found.lost, service.requests[0].url.query) == ((), b"format=jsonl")


@both
def test_missing_set_is_told(calls: Calls) -> None:
    """A refusal is an error, not a file."""
    service = Script([problem(404, "not_found")])
    with pytest.raises(NotFoundError):
        calls(service, lambda client: client.export_test_set("docs"))
