"""What people click: each path through the pages in a browser, and each page as a whole."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from reteval import Client
from tests.browser.conftest import Stage, Visit
from tests.browser.hostile import MARK

WAIT_MS = 20_000


def paths_of(stage: Stage) -> dict[str, str]:
    """Return every kind of page by the name of its picture."""
    run = f"/runs/{stage.candidate}"
    return {
        "runs": "/runs",
        "start": f"/runs/new?test_set={stage.test_set}&label=again",
        "report": run,
        "queries": f"{run}/queries?sort=ndcg@10",
        "robustness": f"{run}/robustness",
        "diagnosis": f"{run}/diagnosis",
        "comparison": f"/comparisons/{stage.comparison}",
        "compare": f"/comparisons/new?baseline={stage.baseline}&candidate={stage.candidate}",
        "history": f"/history?test_set={stage.test_set}",
        "test-sets": "/test-sets",
        "test-set": f"/test-sets/{stage.test_set}",
        "import": "/test-sets/new",
        "judgings": "/judgings",
        "judging": f"/judgings/{stage.judging}",
        "schedules": "/schedules",
        "sign-in": "/sign-in",
        "docs": "/docs",
    }


def test_every_page_is_whole(visit: Visit, stage: Stage) -> None:
    """At the width of a phone and of a desk, accessible, silent, and no text is taken for more."""
    for name, path in paths_of(stage).items():
        visit.open(path)
        visit.check(name)


def test_run_is_started_and_watched(visit: Visit, stage: Stage) -> None:
    """Fill in the form, probe, start, watch it end, and read its report."""
    page = visit.open("/runs")
    page.get_by_role("link", name="Start a run").click()
    page.get_by_label("Test set").fill(stage.test_set)
    page.get_by_label("Address").fill(stage.endpoint)
    page.get_by_label("Label").fill("from the page")
    page.get_by_label("Header").fill("X-Key")
    page.get_by_label("its value").fill("s3cret")
    page.get_by_role("button", name="Probe first").click()
    expect(page.get_by_role("heading", name="What came back")).to_be_visible(timeout=WAIT_MS)
    visit.check("probe")
    assert page.get_by_label("its value").input_value() == "s3cret"
    page.get_by_role("button", name="Start the run").click()
    expect(page.get_by_role("heading", name="from the page")).to_be_visible(timeout=WAIT_MS)
    expect(page.get_by_role("heading", name="Metrics")).to_be_visible(timeout=WAIT_MS)
    assert "s3cret" not in page.content()


def test_worst_query_is_opened(visit: Visit, stage: Stage) -> None:
    """From the report to the query that did worst, with its ranking and grades."""
    page = visit.open(f"/runs/{stage.candidate}")
    page.locator("table", has_text="Query").locator("a[href*='/queries/']").first.click()
    page.wait_for_url(re.compile(r"/runs/run_\w+/queries/"))
    expect(page.locator("h1")).to_contain_text("how does the")
    visit.check("query")


def test_runs_are_compared(visit: Visit, stage: Stage) -> None:
    """From two runs to their comparison, and from a bar of it to both rankings of a query."""
    page = visit.open(f"/comparisons/new?baseline={stage.baseline}&candidate={stage.candidate}")
    page.get_by_role("button", name="Compare").click()
    page.wait_for_url(re.compile(r"/comparisons/cmp_"))
    expect(page.get_by_text("power", exact=False).first).to_be_visible(timeout=WAIT_MS)
    page.locator("a[href*='/comparisons/'][href*='/queries/']").first.click()
    page.wait_for_url(re.compile(r"/comparisons/cmp_\w+/queries/"))
    visit.check("compared-query")


def test_pairs_are_judged_by_keyboard(visit: Visit, stage: Stage) -> None:
    """Ten pairs with nothing but keys, each followed by what the model had said of it."""
    page = visit.open(f"/judgings/{stage.judging}/review")
    for at in range(10):
        before = (
            page.locator("input[name=doc_id]").input_value(),
            page.locator("h2#query").inner_text(),
        )
        page.keyboard.press("u" if at == 5 else str(at % 4))
        expect(page.get_by_text("Before, on")).to_be_visible(timeout=WAIT_MS)
        page.wait_for_function(
            "([doc, query]) => document.querySelector('input[name=doc_id]')?.value !== doc"
            " || document.querySelector('h2#query')?.innerText !== query",
            arg=list(before),
        )
    visit.check("review")
    page.goto(f"{stage.url}/judgings/{stage.judging}")
    expect(page.get_by_text("10 of")).to_be_visible()
    page.get_by_role("button", name="Measure agreement").click()
    expect(page.get_by_text("kappa, weighted")).to_be_visible(timeout=WAIT_MS)
    visit.check("agreement")


def test_files_are_previewed_and_imported(visit: Visit, tmp_path: Path) -> None:
    """Choose a file, look at what it would become, import it, and see it."""
    table = tmp_path / "judged.csv"
    table.write_text("query,docid,rating\nhow to reset,d1,3\nhow to pay,d2,1\n", encoding="utf-8")
    page = visit.open("/test-sets/new")
    page.get_by_label("name").fill("imported")
    page.get_by_label("Queries, or everything").set_input_files(table)
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_text("It can be imported.")).to_be_visible(timeout=WAIT_MS)
    visit.check("preview")
    page.get_by_role("button", name="Import").click()
    expect(page.get_by_role("heading", name="imported v1")).to_be_visible(timeout=WAIT_MS)


def test_exported_report_opens_off_line(browser: Browser, stage: Stage, tmp_path: Path) -> None:
    """The single file shows everything with the network off, and asks for nothing."""
    with Client(stage.url) as client:
        report = client.export(stage.candidate, "html")
    file = tmp_path / "report.html"
    file.write_bytes(report)
    asked: list[str] = []
    with browser.new_context(offline=True) as context:
        page = context.new_page()
        page.on("request", lambda request: asked.append(request.url))
        page.goto(file.as_uri())
        expect(page.get_by_role("heading", name="Metrics")).to_be_visible()
        assert page.locator("svg").count() > 0
        assert page.locator(f"[{MARK}]").count() == 0
    assert [url for url in asked if not url.startswith(("file:", "data:"))] == []


@pytest.mark.parametrize("name", ["report", "comparison", "start", "test-set"])
def test_page_needs_no_script(browser: Browser, stage: Stage, name: str) -> None:
    """With scripts switched off a page has its headings, its pictures and its forms."""
    with browser.new_context(java_script_enabled=False) as context:
        page: Page = context.new_page()
        page.goto(stage.url + paths_of(stage)[name])
        assert page.locator("h1").count() == 1
        assert page.locator("svg, form").count() > 0


def test_dark_pages_are_accessible(browser: Browser, stage: Stage) -> None:
    """Contrasts hold in the dark as they do in the light."""
    with browser.new_context(color_scheme="dark") as context:
        visit = Visit(context.new_page(), stage.url)
        for name in ("report", "comparison", "robustness"):
            visit.open(paths_of(stage)[name])
            visit.check(f"{name}-dark")
        assert visit.wrong == []
