"""The page about access names the scopes, routes and events that the code has."""

from reteval.contract.api_keys import DEFAULT_DAYS, DEFAULT_OVERLAP_HOURS, MAX_DAYS, Scope
from reteval.contract.audit import AuditEvent
from reteval.contract.grants import SHARE_HEADER, SHARE_PARAMETER
from service.api.openapi import list_operations
from service.api.operations import opens_by_link
from service.app import create_app
from service.core.identity import widen
from service.settings import Settings
from tests.contract.test_docs import DOCS, read_table, split_list

ROUTES = list(list_operations(create_app(Settings.from_env({})).routes))
OPERATIONS = [one.operation for one in ROUTES]
PAGE = (DOCS / "access.md").read_text(encoding="utf-8")


def test_scopes_table_is_that_of_the_routes() -> None:
    """Each scope has a row with what it includes and the routes that ask for it."""
    rows = read_table("access.md", "scope")
    documented = {
        row["scope"]: (set(split_list(row["includes"])), list(split_list(row["routes"])))
        for row in rows
    }
    assert documented == {
        scope: (
            {"everything"} if scope is Scope.ADMIN else widen([scope]) - {scope},
            sorted(operation.id for operation in OPERATIONS if operation.scope is scope),
        )
        for scope in Scope
    }


def test_table_of_other_routes_is_that_of_the_routes() -> None:
    """Outside /v1 each path has a row with what it needs: a scope, or nothing."""
    rows = read_table("access.md", "path")
    assert [(row["path"], row["needs"]) for row in rows] == sorted(
        (one.path, str(getattr(one.operation.scope, "value", "")))
        for one in ROUTES
        if not one.path.startswith("/v1")
    )


def test_events_table_is_that_of_the_log() -> None:
    """Each event has a row with its log, in the order of the enum."""
    rows = read_table("access.md", "event")
    assert [(row["event"], row["log"]) for row in rows] == [
        (event.value, event.log.value) for event in AuditEvent
    ]


def test_page_tells_the_numbers_and_names_of_the_code() -> None:
    """Days, hours, header and parameter stand as they are in force."""
    for words in (
        f"opens for {DEFAULT_DAYS} days (`--days`, at most {MAX_DAYS})",
        f"`--overlap-hours` ({DEFAULT_OVERLAP_HOURS})",
        f"`?{SHARE_PARAMETER}=` or in the header `{SHARE_HEADER}`",
    ):
        assert words in PAGE


def test_links_open_every_route_that_reads_a_run() -> None:
    """What the page says of links: a run, its events, report, rows, rankings, variants, exports."""
    assert {operation.id for operation in OPERATIONS if opens_by_link(operation)} == {
        "getRun",
        "getResults",
        "listQueryRows",
        "listOutcomes",
        "listVariants",
        "exportRun",
        "watchRun",
    }
