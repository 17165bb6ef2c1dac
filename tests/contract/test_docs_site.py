"""The site holds every page and names everything that the code has."""

import argparse
import re
from pathlib import Path

import reteval
from docs._ext import command_line, http_api, python_client
from docs._ext.repository import bring_files
from reteval.cli.command import COMMANDS
from reteval.cli.parser import build_parser
from tests.contract.test_docs import DOCS, pages

TOCTREE = re.compile(r"^```\{toctree\}\n(?P<entries>.*?)^```$", re.MULTILINE | re.DOTALL)
SMALL = {
    "paths": {
        "/v1/runs": {
            "get": {
                "tags": ["runs"],
                "summary": "List runs",
                "parameters": [{"name": "limit", "in": "query"}],
                "responses": {"200": {}, "401": {}},
            },
            "post": {
                "tags": ["runs"],
                "summary": "Start a run",
                "description": "Now | later. Scope: `runs:write`.",
                "parameters": [
                    {"name": "wait", "in": "query"},
                    {"name": "Idempotency-Key", "in": "header"},
                ],
                "requestBody": {"content": {"a/json": {"schema": {"$ref": "#/x/RunRequest"}}}},
                "responses": {
                    "202": {"content": {"a/json": {"schema": {"$ref": "#/x/Run"}}}},
                    "422": {},
                },
            },
        },
        "/v1/gates": {
            "get": {
                "tags": ["gates"],
                "summary": "List gates",
                "responses": {"200": {}, "304": {}},
            }
        },
    }
}


def listed(page: Path) -> set[Path]:
    """Return the pages that the tables of contents of a page lead to."""
    found: set[Path] = set()
    for match in TOCTREE.finditer(page.read_text(encoding="utf-8")):
        for entry in match["entries"].split():
            if not entry.startswith(":"):
                found |= {path.resolve() for path in page.parent.glob(f"{entry}.md")}
    return found


def test_every_page_is_reached_from_the_first() -> None:
    """Tables of contents lead from the index to each page below docs, and to each once."""
    reached, waiting = {DOCS / "index.md"}, [DOCS / "index.md"]
    while waiting:
        for page in listed(waiting.pop()):
            assert page not in reached, f"{page} stands in two tables of contents"
            reached.add(page)
            waiting.append(page)
    missing = [page for page in pages() if page.is_relative_to(DOCS) and page not in reached]
    assert missing == [], "put them into a toctree of docs/*/index.md"


def test_every_command_has_a_section() -> None:
    """The reference has each command of the command line, and what is below it."""
    titles = re.findall(r"^#+ reteval (.+)$", command_line.describe(build_parser()), re.MULTILINE)
    assert {title.split()[0] for title in titles} == set(COMMANDS)
    assert "judging freeze" in titles


def test_section_of_a_command_has_its_words_and_its_example() -> None:
    """Arguments and options stand in a table, with what could be taken for markup escaped."""
    parser = argparse.ArgumentParser(prog="tool")
    made = parser.add_subparsers().add_parser("cut", description="Cut it.", epilog="tool cut 3")
    made.add_argument("where", help="a|b, default %(default)s", default="*", nargs="?")
    made.add_argument("--form", "-f", choices=("x", "y"))
    made.add_argument("--now", action="store_true", help="at once")
    made.add_argument("--pair", nargs=2, metavar=("A", "B"))
    made.add_argument("--json", help="what all commands have")
    text = command_line.describe(parser)
    rows = [line for line in text.splitlines() if line.startswith("| `")]
    assert text.startswith("## tool cut\n\nCut it.\n")
    assert "```text\ntool cut 3\n```" in text
    assert rows == [
        "| `where` | a\\|b, default \\* |",
        "| `--form, -f {x,y}` |  |",
        "| `--now` | at once |",
        "| `--pair A B` |  |",
    ]


def test_every_operation_has_a_row_below_its_tag() -> None:
    """What goes in (query and body), what comes out but errors, and the scope on its own."""
    head = "| route | does | parameters | answers | scope |\n|---|---|---|---|---|\n"
    assert http_api.describe(SMALL) == (
        f"## Gates\n\n{head}"
        "| `GET /v1/gates` | List gates. |  | 200, 304 |  |\n\n"
        f"## Runs\n\n{head}"
        "| `GET /v1/runs` | List runs. | `limit` | 200 |  |\n"
        "| `POST /v1/runs` | Start a run. Now \\| later. | `wait`, body: `RunRequest` "
        "| 202 `Run` | `runs:write` |"
    )


def test_every_public_name_of_the_client_is_described() -> None:
    """The reference has what the client exports, and each field of its structs."""
    text = python_client.describe(reteval)
    named = re.findall(r"^\.\. auto\w+:: reteval\.(\w+)$", text, re.MULTILINE)
    assert sorted(named) == sorted(reteval.__all__)
    request = text.partition("autoclass:: reteval.RunRequest\n")[2].partition(".. auto")[0]
    fields = re.findall(r"^   - ``(\w+)``", request, re.MULTILINE)
    assert fields == list(reteval.RunRequest.__struct_fields__)
    assert "``depth``: ``int | None``, else ``None``" in request


def test_links_to_files_of_the_repository_bring_the_file(tmp_path: Path) -> None:
    """A file outside docs is brought along; pages, folders and what is missing stay links."""
    docs = tmp_path / "docs"
    (docs / "how").mkdir(parents=True)
    (tmp_path / "gate.yaml").touch()
    (docs / "page.md").touch()
    page = docs / "how" / "to.md"
    cases = {
        "[`gate`](../../gate.yaml)": "{download}`gate <../../gate.yaml>`",
        "[gate](../../gate.yaml#top)": "{download}`gate <../../gate.yaml>`",
        "[page](../page.md)": "[page](../page.md)",
        "[gone](../../gone.yaml)": "[gone](../../gone.yaml)",
        "[folder](../../docs)": "[folder](../../docs)",
    }
    assert {text: bring_files(text, page, docs) for text in cases} == cases
