"""A browser on a service of its own: real pages, a real endpoint, and nothing beside them."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from msgspec import Struct
from playwright.sync_api import Browser, Page, sync_playwright

from examples.judge.oracle import Oracle
from examples.judge.server import serve_judge
from reteval import Client
from tests.browser.hostile import MARK, TEXTS
from tests.endpoint import Answer, serve_answers
from tests.judging import model
from tests.service_process import run_service

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
SHOTS = Path(os.environ.get("RETEVAL_SCREENSHOTS", "build/screenshots"))
WIDTHS = (360, 1_440)
GRAVE = ("serious", "critical")
SPILT = """() => document.documentElement.scrollWidth <= innerWidth ? [] :
    [...document.querySelectorAll("main *")]
        .filter((one) => one.getBoundingClientRect().right > innerWidth && !one.closest(".scroll"))
        .map((one) => one.outerHTML.slice(0, 120))"""
"""What of a page lies beyond the right edge, where the page has to be scrolled for it."""
QUERIES = [f"how does the {word} work" for word in ("lamp", "lock", "gate", "horn", "pump", "bell")]


class Stage(Struct, frozen=True):
    """A service with something in it: two runs over one test set, and a pool to be judged."""

    url: str
    endpoint: str
    test_set: str
    baseline: str
    candidate: str
    comparison: str
    judging: str


class Visit:
    """A page that is watched: whatever goes wrong in it, or leaves the host, is kept."""

    def __init__(self, page: Page, base: str) -> None:
        self.page = page
        self.base = base
        self.wrong: list[str] = []
        page.on("console", self._hear)
        page.on("pageerror", lambda error: self.wrong.append(str(error)))
        page.on("request", self._see)

    def open(self, path: str) -> Page:
        """Open a page of the service."""
        answer = self.page.goto(self.base + path)
        assert answer is not None
        assert answer.ok, f"{path}: {answer.status}"
        return self.page

    def check(self, name: str) -> None:
        """See that a page is whole at each width and open to all, and keep a picture of it."""
        for width in WIDTHS:
            self.page.set_viewport_size({"width": width, "height": 900})
            assert self.page.evaluate(SPILT) == [], f"{name} is too wide at {width}"
            SHOTS.mkdir(parents=True, exist_ok=True)
            self.page.screenshot(path=SHOTS / f"{name}-{width}.png", full_page=True)
        self.page.screenshot(path=SHOTS / f"{name}.png")  # what is seen at first, at a desk
        taken = self.page.evaluate(f"document.querySelectorAll('[{MARK}]').length")
        assert taken == 0, f"{name} took a text for markup"
        found = Axe().run(self.page).response["violations"]
        grave = [
            (one["id"], node["html"])
            for one in found
            if one["impact"] in GRAVE
            for node in one["nodes"]
        ]
        assert grave == []

    def _hear(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.wrong.append(message.text)

    def _see(self, request: Any) -> None:
        if not request.url.startswith((self.base, "data:", "blob:")):
            self.wrong.append(f"left the host: {request.url}")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Start Chromium, if there is one; while it is there, no other event loop can run."""
    if CHROMIUM is None:
        pytest.skip("no Chromium on PATH: apt-get install chromium")
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        yield launched
        launched.close()


@pytest.fixture
def visit(browser: Browser, stage: Stage) -> Iterator[Visit]:
    """Open an empty tab; whatever was wrong in it fails the test at its end."""
    with browser.new_context(color_scheme="light") as context:
        watched = Visit(context.new_page(), stage.url)
        yield watched
        assert watched.wrong == []


@pytest.fixture(scope="module")
def stage(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """Serve two ended runs, their comparison and a pool, hostile in every text there is."""
    assert browser
    data = tmp_path_factory.mktemp("browser") / "data"
    with (
        run_service(data) as service,
        Client(service.url) as client,
        serve_answers(search(good=True)) as good,
        serve_answers(search(good=False)) as bad,
        serve_judge(Oracle({}, documents=[])) as judge,
    ):
        yield set_up(client, service.url, good.url, bad.url, judge.url)


def search(*, good: bool) -> Answer:
    """Answer with documents that have texts; a bad search has lost what half the queries want."""

    def answer(text: str) -> tuple[int, Any]:
        at = next((at for at, query in enumerate(QUERIES) if text.startswith(query)), len(QUERIES))
        lost = 0 if good or at % 2 else 2
        ids = [f"d{at + step + lost} {hostile(at + step + lost)}" for step in range(4)]
        return 200, {"results": [{"id": doc, "text": f"{doc} says {text}"} for doc in ids]}

    return answer


def hostile(at: int) -> str:
    """Return one of the texts, each in its turn."""
    return TEXTS[at % len(TEXTS)]


def set_up(client: Client, url: str, good: str, bad: str, judge: str) -> Stage:
    """Upload, run twice, compare, pool, and have the pool judged."""
    queries = [
        {
            "id": f"q{at} {hostile(at)}",
            "query": f"{text} {hostile(at)}",
            "relevant": [
                {"id": f"d{at} {hostile(at)}", "grade": 3},
                {"id": f"d{at + 1} {hostile(at + 1)}", "grade": 1},
            ],
            "tags": [hostile(at + 1)],
            "source": hostile(at + 2),
        }
        for at, text in enumerate(QUERIES)
    ]
    test_set = client.upload({"name": f"help {hostile(0)}", "queries": queries})
    baseline = run(client, test_set.id, good, f"baseline {hostile(1)}")
    candidate = run(client, test_set.id, bad, f"candidate {hostile(2)}")
    return Stage(
        url=url,
        endpoint=good,
        test_set=test_set.id,
        baseline=baseline,
        candidate=candidate,
        comparison=client.compare({"baseline": baseline, "candidate": candidate}).id,
        judging=pool(client, test_set.id, good, judge),
    )


def run(client: Client, test_set: str, endpoint: str, label: str) -> str:
    """Run the set, with changed queries, to its end."""
    asked = {
        "test_set": test_set,
        "label": label,
        "endpoint": {"url": endpoint},
        "meta": {"commit": hostile(3)},
        "adversarial": {"preset": "quick"},
    }
    made = client.run(asked)
    client.wait(made.id, timeout_s=60)
    return made.id


def pool(client: Client, test_set: str, endpoint: str, judge: str) -> str:
    """Pool what the endpoint returns, and have it judged."""
    endpoints = [{"url": endpoint}]
    asked = {"test_set": test_set, "endpoints": endpoints, "depth": 4, "name": hostile(4)}
    made = client.create_judging(asked)
    client.pool_judging(made.id)
    client.wait_judging(made.id, timeout_s=60)
    client.judge(made.id, {"model": model(judge)})
    client.wait_judging(made.id, timeout_s=60)
    return made.id
