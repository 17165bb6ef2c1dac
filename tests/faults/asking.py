"""Single requests to the API, sent once: what a fault test holds an answer to."""

import time
from http import HTTPStatus
from typing import Any

import httpx

PROMPT_S = 6.0
"""Within this an answer must be there: some commands of 2 s each, and a slow machine."""


def ask(url: str, path: str, *, body: Any = None, key: str = "") -> httpx.Response:
    """GET a path, or POST the body to it, and check that the answer does not keep us waiting."""
    headers = {"Idempotency-Key": key} if key else {}
    began = time.monotonic()
    with httpx.Client(base_url=url, timeout=30) as client:
        method = "GET" if body is None else "POST"
        answer = client.request(method, path, json=body, headers=headers)
    assert time.monotonic() - began < PROMPT_S
    return answer


def check_problem(answer: httpx.Response, status: HTTPStatus, code: str) -> dict[str, Any]:
    """Check that an answer is that problem, in the one shape of errors; return it."""
    problem: dict[str, Any] = answer.json()
    assert (answer.status_code, problem["code"]) == (status, code), answer.text
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert problem["status"] == status
    assert ("Retry-After" in answer.headers) is problem.get("retryable", False)
    return problem


def check_away(answer: httpx.Response) -> None:
    """Check that an answer says that the store is away for now."""
    check_problem(answer, HTTPStatus.SERVICE_UNAVAILABLE, "store_unavailable")
    assert answer.headers["Retry-After"]


def findings(url: str) -> tuple[str, set[str]]:
    """Return the status of the service and the codes of what `/readyz` found."""
    answer = ask(url, "/readyz")
    if answer.status_code == HTTPStatus.OK:
        found = answer.json()
        return found["status"], {one["code"] for one in found["findings"]}
    problem = check_problem(answer, HTTPStatus.SERVICE_UNAVAILABLE, "not_ready")
    return "not_ready", {one["code"] for one in problem["errors"]}
