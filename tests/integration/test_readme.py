"""The code of both READMEs and of some pages runs as printed, on a live service."""

import json
import os
import re
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from examples import demo
from reteval.contract.endpoints import Endpoint

ROOT = Path(__file__).parents[2]
HOW_TO = ROOT / "docs" / "how-to"
PAGES = (
    "README.md",
    "clients/README.md",
    "docs/test-sets.md",
    "docs/webhooks.md",
    "docs/schedules.md",
    "docs/alerts.md",
)
GUIDES = ("docs/tutorial.md", *sorted(f"docs/how-to/{path.name}" for path in HOW_TO.glob("*.md")))
BLOCK = re.compile(
    r"(?:^ *<!-- (?:not run: (?P<reason>[^\n]+)|prints: (?P<prints>[^\n]+)) -->\n)?"
    r"^(?P<indent> *)```(?P<language>\w+)\n(?P<code>.*?)^(?P=indent)```$",
    re.MULTILINE | re.DOTALL,
)
STRICT_SHELL = (
    'set -euo pipefail\ncurl() { command curl --fail-with-body --no-progress-meter "$@"; }\n'
)


class Block(msgspec.Struct, frozen=True):
    """A fenced block of a page.

    `reason` says why it must not run, empty where it must; `prints` what the page says it prints.
    """

    page: str
    line: int
    language: str
    code: str
    reason: str
    prints: str

    def __str__(self) -> str:
        """Name the block by where it stands."""
        return f"{self.page}:{self.line}"


def read_blocks(page: str, *languages: str) -> list[Block]:
    """Return the blocks of a page in the given languages, in order."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return [
        Block(
            page=page,
            line=text.count("\n", 0, match.start("code")),
            language=match["language"],
            code=textwrap.dedent(match["code"]),
            reason=match["reason"] or "",
            prints=match["prints"] or "",
        )
        for match in BLOCK.finditer(text)
        if match["language"] in languages
    ]


def runnable() -> list[Block]:
    """Return every block that must run, in the order in which a reader meets them."""
    return [
        block
        for page in (*PAGES, *GUIDES)
        for block in read_blocks(page, "bash", "python")
        if not block.reason
    ]


@pytest.fixture(scope="module")
def workplaces(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Give the reader of each page a place where files may be written, examples at hand."""
    places = {page: tmp_path_factory.mktemp("workplace") for page in (*PAGES, *GUIDES)}
    for place in places.values():
        (place / "examples").symlink_to(ROOT / "examples")
    return places


@pytest.fixture(scope="module")
def environ(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """Start the service and the example servers; yield what a reader would have exported."""
    directory = tmp_path_factory.mktemp("readme")
    with (
        demo.search_service(directory) as endpoint_url,
        demo.judge_service(directory) as judge_url,
        demo.evaluation_service(directory) as url,
    ):
        yield {key: value for key, value in os.environ.items() if key[:8] != "RETEVAL_"} | {
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "RETEVAL_URL": url,
            "DEMO_ENDPOINT_URL": endpoint_url,
            "JUDGE_URL": judge_url,
        }


@pytest.mark.parametrize("block", runnable(), ids=str)
def test_block_runs_as_printed(
    block: Block, environ: dict[str, str], workplaces: dict[str, Path]
) -> None:
    """A block ends with status 0; in a shell block so does every command, 4xx included."""
    command = [sys.executable, "-W", "error", "-c", block.code]
    if block.language == "bash":
        command = ["bash", "-c", STRICT_SHELL + block.code]
        missing = [program for program in ("bash", "curl") if shutil.which(program) is None]
        if missing and (missing[0] == "bash" or "curl" in block.code):
            pytest.skip(f"this machine has no {missing[0]}")
    ended = subprocess.run(
        command,
        cwd=workplaces[block.page],
        env=environ,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ended.returncode == 0, f"{ended.stdout}\n{ended.stderr}"
    assert block.prints in ended.stdout


@pytest.mark.parametrize("page", PAGES)
def test_page_has_blocks_of_both_languages(page: str) -> None:
    """No page loses its examples unnoticed."""
    languages = {block.language for block in runnable() if block.page == page}
    assert languages == {"bash", "python"}


@pytest.mark.parametrize(
    "block",
    [block for page in ("README.md", *GUIDES) for block in read_blocks(page, "json")],
    ids=str,
)
def test_json_block_is_json(block: Block) -> None:
    """JSON on the page can be parsed, and an endpoint in it is one the service would read."""
    document = json.loads(block.code)
    if "url" in document:
        assert msgspec.convert(document, Endpoint).url == document["url"]
