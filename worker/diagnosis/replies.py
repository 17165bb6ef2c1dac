"""What a reply without hits tells: a login page, a wrong path, another shape of JSON."""

import re
from collections import Counter
from collections.abc import Sequence
from http import HTTPStatus
from typing import Final

from msgspec import Struct

from reteval.contract.outcomes import FailureCode
from worker.diagnosis.facts import count
from worker.diagnosis.failures import advise_on

_TITLE: Final = re.compile(rb"<title[^>]*>(.*?)</title>", re.IGNORECASE | re.DOTALL)
_HTML: Final = re.compile(rb"\A\s*(?:<!doctype html|<html|<head|<body)", re.IGNORECASE)
_LOGIN: Final = re.compile(rb"type=[\"']?password|log ?in|sign ?in", re.IGNORECASE)
_READ: Final = 65_536
_MAX_TITLE: Final = 100
_STATUSES: Final[dict[int | None, str]] = {
    HTTPStatus.UNAUTHORIZED: "the endpoint wants credentials: put them into its `headers`, such as "
    "`Authorization`",
    HTTPStatus.FORBIDDEN: "the credentials are not allowed to search, or a firewall stands before "
    "the endpoint",
    HTTPStatus.NOT_FOUND: "nothing answers at this path: check the URL, the index or collection "
    "name in it, and a trailing slash",
    HTTPStatus.METHOD_NOT_ALLOWED: "the path exists but not for this method: set `method`",
    HTTPStatus.BAD_REQUEST: "the request is not what the endpoint reads: compare the body sent "
    "with its documentation",
    HTTPStatus.UNPROCESSABLE_ENTITY: "the request is not what the endpoint reads: compare the body "
    "sent with its documentation",
    HTTPStatus.UNSUPPORTED_MEDIA_TYPE: "the endpoint does not read JSON bodies: try `form`, or "
    "`params` with GET",
}


class Failure(Struct, frozen=True, kw_only=True):
    """A request without a valid answer, and the body that came, if one did."""

    code: FailureCode | None
    detail: str
    http_status: int | None
    content_type: str
    body: bytes


def explain_failures(failures: Sequence[Failure]) -> list[str]:
    """Explain each kind of failure once, most frequent first."""
    told = Counter(explain(failure) for failure in failures)
    return [f"{count(n, 'request')}: {text}" for text, n in told.most_common()]


def explain(failure: Failure) -> str:
    """Say in a sentence what a failure means and what to change."""
    if is_html(failure):
        return _explain_html(failure)
    known = _STATUSES.get(failure.http_status)
    if known:
        return f"HTTP {failure.http_status}; {known}."
    if failure.code is None:
        return f"{failure.detail or 'no answer'}."
    return f"{failure.code.value} ({failure.detail}); {advise_on(failure.code)}."


def is_html(failure: Failure) -> bool:
    """Whether a web page came."""
    return "html" in failure.content_type.lower() or bool(_HTML.match(failure.body[:_READ]))


def _explain_html(failure: Failure) -> str:
    head = failure.body[:_READ]
    found = _TITLE.search(head)
    title = " ".join(found[1].decode(errors="replace").split())[:_MAX_TITLE] if found else ""
    named = f" titled {title!r}" if title else ""
    if _LOGIN.search(head):
        cause = "it looks like a login: send credentials in `headers`"
    else:
        cause = "the URL leads to a page for people: find the address that answers JSON"
    return f"HTTP {failure.http_status} with a web page{named}; {cause}."
