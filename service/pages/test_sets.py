"""Test sets: the list, what is in one, its versions, and what changed between two."""

from typing import Any, Final

from litestar import Response
from litestar.params import FromPath

from reteval.contract.api_keys import Scope
from reteval.contract.leakage import LeakageRequest
from reteval.contract.testsets import TestSet
from service.api.bodies import AnyRequest, NoParameters
from service.api.parameters import (
    DiffParameters,
    PageParameters,
    TestSetListParameters,
    WaitParameters,
)
from service.core import leakage, profiles, test_sets, versions
from service.core.grants import TEST_SET
from service.core.profiles import MANY, Profile
from service.pages.charts.drawing import Chart, draw
from service.pages.charts.histograms import count_bars
from service.pages.forms import read_fields
from service.pages.rendering import segment, show
from service.pages.routing import Deployed, lead_to, shows, takes

_PATIENCE_S: Final = 20.0
_VERSIONS: Final = 20


@shows("/test-sets", "showTestSets", scope=Scope.TEST_SETS_READ, query=TestSetListParameters)
async def show_test_sets(request: AnyRequest, backend: Deployed) -> Response[bytes]:
    """Show the test sets, newest first, or the versions of a name."""
    sent = read_fields(request, TestSetListParameters)
    page = await test_sets.list_test_sets(
        backend, name=sent.name, cursor=sent.cursor, limit=sent.limit
    )
    return await show(request, "test_sets.html", page=page, name=sent.name)


@shows(
    "/test-sets/{test_set:str}",
    "showTestSet",
    scope=Scope.TEST_SETS_READ,
    query=PageParameters,
    shared=TEST_SET,
)
async def show_test_set(
    request: AnyRequest, backend: Deployed, test_set: FromPath[str]
) -> Response[bytes]:
    """Show what is in a test set, where it came from, and its queries page by page."""
    sent = read_fields(request, PageParameters)
    found = await test_sets.get_test_set(backend, test_set)
    page = await test_sets.list_queries(backend, found.id, cursor=sent.cursor, limit=sent.limit)
    profile = await profiles.read_profile(backend, found)
    lineage = await versions.list_versions(backend, found.id, cursor="", limit=_VERSIONS)
    return await show(
        request,
        "test_set.html",
        test_set=found,
        page=page,
        profile=profile,
        versions=lineage.items,
        charts=await draw(*plot(found, profile)),
    )


def plot(test_set: TestSet, profile: Profile) -> list[Chart]:
    """Return the pictures of a test set: its grades, and how its queries spread."""
    bars = {
        "grades": ("Judgments by grade", test_set.stats.grades, "grade", "judgments"),
        "relevant": (
            "Queries by relevant documents",
            _number(profile.relevant),
            "relevant documents",
            "queries",
        ),
        "words": ("Queries by length", _number(profile.words), "words", "queries"),
        "sources": ("Queries by source", profile.sources, "source", "queries"),
        "splits": ("Queries by split", profile.splits, "split", "queries"),
    }
    return [
        count_bars(name, title, counts, axis=axis, unit=unit)
        for name, (title, counts, axis, unit) in bars.items()
        if counts
    ]


@shows(
    "/test-sets/{test_set:str}/diff",
    "showDiff",
    scope=Scope.TEST_SETS_READ,
    query=DiffParameters,
    shared=TEST_SET,
)
async def show_diff(
    request: AnyRequest, backend: Deployed, test_set: FromPath[str]
) -> Response[bytes]:
    """Show what one version has that another has not."""
    sent = read_fields(request, DiffParameters)
    page = await versions.diff(
        backend, test_set, sent.against, cursor=sent.cursor, limit=sent.limit
    )
    return await show(request, "diff.html", page=page)


@takes("/test-sets/{test_set:str}/leakage", "checkLeakage", scope=Scope.TEST_SETS_READ)
async def check_leakage(
    request: AnyRequest, backend: Deployed, test_set: FromPath[str]
) -> Response[Any]:
    """Look for queries that stand in several splits, and lead to what was found."""
    read_fields(request, NoParameters)
    asked = LeakageRequest(test_set=test_set)
    check = await leakage.open_check(backend, asked, wait_s=0)
    return lead_to(f"/test-sets/{segment(test_set)}/leakage/{check.id}")


@shows(
    "/test-sets/{test_set:str}/leakage/{check_id:str}",
    "showLeakage",
    scope=Scope.TEST_SETS_READ,
    query=WaitParameters,
)
async def show_leakage(
    request: AnyRequest, backend: Deployed, test_set: FromPath[str], check_id: FromPath[str]
) -> Response[bytes]:
    """Show which queries are known before they are asked."""
    sent = read_fields(request, WaitParameters)
    found = await test_sets.get_test_set(backend, test_set)
    check = await leakage.get_check(backend, check_id, wait_s=sent.wait or _PATIENCE_S)
    return await show(request, "leakage.html", test_set=found, check=check)


def _number(counts: dict[int, int]) -> dict[str, int]:
    return {f"{value}+" if value == MANY else str(value): count for value, count in counts.items()}


HANDLERS: Final = (show_test_sets, show_test_set, show_diff, check_leakage, show_leakage)
