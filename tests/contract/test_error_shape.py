import re
from pathlib import Path

import httpx
import pytest
from litestar import Litestar, get
from litestar.handlers import HTTPRouteHandler
from litestar.testing import TestClient

from reteval.contract.problems import ErrorCode, ProblemItem
from service.api.departing import see_off
from service.api.observing import Traffic
from service.api.problems import ErrorKind, answer_service_error, answer_unexpected, error_kinds
from service.errors import ServiceError

ROOT = Path(__file__).parents[2]
_ROW = re.compile(r"^\| `(\w+)` \| (\d+) \| (yes|no) \| (.+) \|$", re.MULTILINE)


def test_errors_page_lists_every_code_as_it_is() -> None:
    """docs/errors.md and the error table agree row by row."""
    rows = _ROW.findall((ROOT / "docs" / "errors.md").read_text())
    expected = [
        (str(kind.code), str(kind.status), "yes" if kind.retryable else "no", kind.title)
        for kind in error_kinds()
    ]
    assert rows == expected


def test_every_code_has_one_error() -> None:
    """No code of the contract is unused, and none has two meanings."""
    codes = [kind.code for kind in error_kinds()]
    assert sorted(codes) == sorted(ErrorCode)


@pytest.mark.parametrize("kind", ServiceError.__subclasses__(), ids=lambda kind: kind.code)
def test_every_error_answers_with_the_one_shape(kind: type[ServiceError]) -> None:
    """Each error of the service is a problem with its code, status, place and request id."""

    @get("/", sync_to_thread=False)
    def fail() -> None:
        raise kind("what", errors=[ProblemItem(pointer="/a", message="b", fix="c")])

    answer = _ask(fail)
    body = answer.json()
    assert answer.status_code == body["status"] == kind.status
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert (body["code"], body["title"], body["detail"]) == (kind.code, kind.title, "what")
    assert body["errors"] == [{"pointer": "/a", "message": "b", "fix": "c"}]
    assert body["type"] == f"/docs#error-{kind.code}"
    assert body["instance"] == f"urn:reteval:request:{answer.headers['X-Request-Id']}"
    assert ("Retry-After" in answer.headers) is kind.retryable is body.get("retryable", False)


def test_plain_service_error_is_internal() -> None:
    """The root of the errors stands for a defect, not for a code of its own."""

    @get("/", sync_to_thread=False)
    def fail() -> None:
        raise ServiceError("what")

    assert _ask(fail).json()["code"] == "internal"


def test_error_kinds_are_ordered_by_status() -> None:
    """The table reads from 400 to 507."""
    kinds: tuple[ErrorKind, ...] = error_kinds()
    assert [kind.status for kind in kinds] == sorted(kind.status for kind in kinds)


def _ask(handler: HTTPRouteHandler) -> httpx.Response:
    app = Litestar(
        [handler],
        exception_handlers={ServiceError: answer_service_error, Exception: answer_unexpected},
        before_send=[see_off(Traffic())],
        openapi_config=None,
    )
    with TestClient(app, raise_server_exceptions=False) as client:
        return client.get("/")
