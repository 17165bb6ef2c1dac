"""Every call the service answers, as a value: built here, sent elsewhere.

A function a route. Knows paths, parameters and what comes back; no sockets, no HTTP library.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar
from urllib.parse import quote

import msgspec
from msgspec import Struct, field

from reteval.contract.comparisons import Comparison, ComparisonRequest
from reteval.contract.history import Trend
from reteval.contract.outcomes import OutcomePage, QueryRowPage, VariantPage
from reteval.contract.power import PowerAnswer, PowerRequest
from reteval.contract.results import Results
from reteval.contract.runs import RescoreRequest, RetryRequest, Run, RunPage, RunRequest
from reteval.contract.testsets import QueryPage, TestSet, TestSetPage
from reteval.contract.unjudged import UnjudgedPage

T_co = TypeVar("T_co", covariant=True)
JSON = "application/json"
JSON_LINES = "application/x-ndjson"


class Part(Struct, frozen=True, kw_only=True):
    """A file of a multipart body."""

    name: str
    filename: str
    content: bytes


class Call(Struct, Generic[T_co], frozen=True, kw_only=True):
    """A request and the type of its answer.

    The body is `content`, or what stands in `file` when it is sent, or `parts`.
    `repeatable`: sending it twice does no harm. `keyed`: it makes something, and goes under an
    idempotency key of its own, so that it can be repeated, too. `extra_s` is how much longer than
    usual the answer may take. `expect` is a struct for JSON, a list of dicts for JSON Lines,
    `bytes` for the body as it is, NoneType for no body.
    """

    method: str
    path: str
    expect: type[T_co]
    params: dict[str, str] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    content: bytes | None = None
    file: Path | None = None
    parts: tuple[Part, ...] = ()
    repeatable: bool = False
    keyed: bool = False
    extra_s: float = 0.0

    @property
    def about(self) -> str:
        """Method and path, for messages."""
        return f"{self.method} {self.path}"


class Page(Protocol[T_co]):
    """A page of a list."""

    @property
    def items(self) -> tuple[T_co, ...]:
        """The rows of this page."""

    @property
    def next_cursor(self) -> str | None:
        """Where the next page starts; None on the last."""


P = TypeVar("P", bound=Page[Any])


def next_page(call: Call[P], page: P) -> Call[P] | None:
    """Return the call that continues `call` after `page`, if anything follows."""
    if page.next_cursor is None:
        return None
    return msgspec.structs.replace(call, params={**call.params, "cursor": page.next_cursor})


def get_test_sets(limit: int | None = None, name: str | None = None) -> Call[TestSetPage]:
    """List test sets, newest first."""
    return get_from("/v1/test-sets", TestSetPage, name=name, limit=limit)


def get_test_set(id_or_name: str) -> Call[TestSet]:
    """Read one test set."""
    return get_from(f"/v1/test-sets/{segment(id_or_name)}", TestSet)


def get_queries(id_or_name: str, limit: int | None = None) -> Call[QueryPage]:
    """List the queries of a test set."""
    return get_from(f"/v1/test-sets/{segment(id_or_name)}/queries", QueryPage, limit=limit)


def delete_test_set(test_set_id: str) -> Call[None]:
    """Delete a test set that no run refers to."""
    return delete_at(f"/v1/test-sets/{segment(test_set_id)}")


def post_run(request: RunRequest | Mapping[str, Any], idempotency_key: str | None) -> Call[Run]:
    """Start a run, under the key given or one of its own."""
    call = post_to("/v1/runs", Run, request, keyed=True)
    if idempotency_key is None:
        return call
    return with_key(call, idempotency_key)


def get_runs(
    *,
    test_set: str | None = None,
    label: str | None = None,
    status: str | None = None,
    limit: int | None = None,
) -> Call[RunPage]:
    """List runs, newest first."""
    return get_from("/v1/runs", RunPage, test_set=test_set, label=label, status=status, limit=limit)


def get_run(run_id: str, wait: int | None = None) -> Call[Run]:
    """Read a run; with `wait`, the service holds the answer so many seconds or to the end."""
    call = get_from(_run_path(run_id), Run, wait=wait)
    return msgspec.structs.replace(call, extra_s=float(wait or 0))


def cancel_run(run_id: str) -> Call[Run]:
    """Ask a run to stop."""
    return Call(method="POST", path=_run_path(run_id, "/cancel"), expect=Run, repeatable=True)


def delete_run(run_id: str) -> Call[None]:
    """Delete a run that has ended."""
    return delete_at(_run_path(run_id))


def get_results(run_id: str) -> Call[Results]:
    """Read the report of a run."""
    return get_from(_run_path(run_id, "/results"), Results)


def get_results_document(run_id: str) -> Call[bytes]:
    """Read the report of a run as the bytes sent."""
    return get_from(_run_path(run_id, "/results"), bytes)


def get_query_rows(
    run_id: str,
    *,
    sort: str | None = None,
    slice_name: str | None = None,
    status: str | None = None,
    limit: int | None = None,
) -> Call[QueryRowPage]:
    """List the clean queries of a report."""
    path = _run_path(run_id, "/queries")
    return get_from(path, QueryRowPage, sort=sort, slice=slice_name, status=status, limit=limit)


def get_outcomes(run_id: str, limit: int | None = None) -> Call[OutcomePage]:
    """List what each request brought."""
    return get_from(_run_path(run_id, "/outcomes"), OutcomePage, limit=limit)


def get_variants(
    run_id: str, kind: str | None = None, limit: int | None = None
) -> Call[VariantPage]:
    """List the changed queries of a run."""
    return get_from(_run_path(run_id, "/variants"), VariantPage, kind=kind, limit=limit)


def get_history(test_set: str) -> Call[list[dict[str, Any]]]:
    """Read the trend of a test set, a flat dict a run."""
    rows = list[dict[str, Any]]
    return get_from("/v1/history.jsonl", rows, accept=JSON_LINES, test_set=test_set)


def get_trend(
    test_set: str,
    *,
    metric: str | None = None,
    label: str | None = None,
    limit: int | None = None,
) -> Call[Trend]:
    """Read the trend of a metric."""
    return get_from(
        "/v1/history", Trend, test_set=test_set, metric=metric, label=label, limit=limit
    )


def get_unjudged(test_set: str, limit: int | None = None) -> Call[UnjudgedPage]:
    """List the documents to label next."""
    return get_from(f"/v1/test-sets/{segment(test_set)}/unjudged", UnjudgedPage, limit=limit)


def get_unjudged_export(test_set: str) -> Call[bytes]:
    """Read the whole list of documents to label next as CSV."""
    path = f"/v1/test-sets/{segment(test_set)}/unjudged"
    return get_from(path, bytes, accept="*/*", format="csv")


def get_export(run_id: str, export_format: str) -> Call[bytes]:
    """Read a run in a file format."""
    return get_from(_run_path(run_id, "/export"), bytes, accept="*/*", format=export_format)


def rescore_run(run_id: str, request: RescoreRequest | Mapping[str, Any]) -> Call[Run]:
    """Make a child run over stored rankings."""
    return post_to(_run_path(run_id, "/rescore"), Run, request, keyed=True)


def retry_run(run_id: str, request: RetryRequest | Mapping[str, Any] | None) -> Call[Run]:
    """Make a child run that sends what has no answer."""
    return post_to(_run_path(run_id, "/retry"), Run, request or {}, keyed=True)


def post_comparison(
    request: ComparisonRequest | Mapping[str, Any], wait: int | None = None
) -> Call[Comparison]:
    """Compare two runs; the same question again answers the same comparison."""
    return post_to("/v1/comparisons", Comparison, request, wait=wait)


def get_comparison(comparison_id: str, wait: int | None = None) -> Call[Comparison]:
    """Read a comparison; with `wait`, held so many seconds or to its end."""
    call = get_from(f"/v1/comparisons/{segment(comparison_id)}", Comparison, wait=wait)
    return msgspec.structs.replace(call, extra_s=float(wait or 0))


def post_power(request: PowerRequest | Mapping[str, Any]) -> Call[PowerAnswer]:
    """Ask how many queries show a difference."""
    return post_to("/v1/power", PowerAnswer, request)


def post_gate(
    body: tuple[str, bytes], expect: type[T_co], params: Mapping[str, str], wait: int | None = None
) -> Call[T_co]:
    """Hold a run to a gate; `body` is its media type and content."""
    held = {} if wait is None else {"wait": str(wait)}
    return Call(
        method="POST",
        path="/v1/gates/evaluate",
        expect=expect,
        params={**params, **held},
        headers={"content-type": body[0]},
        content=body[1],
        repeatable=True,
        extra_s=float(wait or 0),
    )


def segment(text: str) -> str:
    """Quote an id or name for use in a path.

    Raises:
        ValueError: a text that would make the path another one.
    """
    if text in ("", ".", ".."):
        raise ValueError(f"{text!r} is no id or name; pass the id that the service answered")
    return quote(text, safe="")


def _run_path(run_id: str, rest: str = "") -> str:
    return f"/v1/runs/{segment(run_id)}{rest}"


def get_from(
    path: str, expect: type[T_co], *, accept: str = JSON, **params: str | int | None
) -> Call[T_co]:
    """Read from a path; parameters that are None are not sent."""
    return Call(
        method="GET",
        path=path,
        expect=expect,
        params={name: str(value) for name, value in params.items() if value is not None},
        headers={"accept": accept},
        repeatable=True,
    )


def post_to(
    path: str,
    expect: type[T_co],
    document: object,
    *,
    wait: int | None = None,
    keyed: bool = False,
) -> Call[T_co]:
    """Post a document to a path as JSON; `keyed` where it makes something each time."""
    return Call(
        method="POST",
        path=path,
        expect=expect,
        params={} if wait is None else {"wait": str(wait)},
        headers={"content-type": JSON},
        content=msgspec.json.encode(document),
        repeatable=not keyed,
        keyed=keyed,
        extra_s=float(wait or 0),
    )


def with_key(call: Call[T_co], key: str) -> Call[T_co]:
    """Put a call under an idempotency key, which makes repeating it harmless.

    The service compares bytes: a multipart body has to be delimited alike each time.
    """
    headers = {**call.headers, "idempotency-key": key}
    if call.parts:
        headers["content-type"] = f"multipart/form-data; boundary={key}"
    return msgspec.structs.replace(call, headers=headers, repeatable=True, keyed=False)


def delete_at(path: str) -> Call[None]:
    """Delete what is at a path."""
    return Call(method="DELETE", path=path, expect=type(None), repeatable=True)
