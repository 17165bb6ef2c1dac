"""Directives that write the reference from the code: `commands`, `routes` and `client`."""

from collections.abc import Callable
from pathlib import Path

import msgspec
import yaml
from docutils import nodes
from pygments.lexers.special import TextLexer
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import ExtensionMetadata

import reteval
from docs._ext import command_line, http_api, python_client, repository
from reteval.cli.parser import build_parser

ROOT = Path(__file__).parents[2]


def write_commands() -> str:
    """Write the sections of all commands of `reteval`."""
    return command_line.describe(build_parser())


def write_routes() -> str:
    """Write the tables of all routes."""
    with (ROOT / "openapi.yaml").open("rb") as file:
        return http_api.describe(yaml.load(file, Loader=yaml.CSafeLoader))


def write_client() -> str:
    """Write the sections of what the client's package offers."""
    return python_client.describe(reteval)


WRITERS: dict[str, Callable[[], str]] = {
    "commands": write_commands,
    "routes": write_routes,
    "client": write_client,
}


class Generated(SphinxDirective):
    """Puts what the writer of its name returns, read as Markdown, in its own place."""

    def run(self) -> list[nodes.Node]:
        """Return the nodes; the page is written anew at each build, as the code has no date."""
        self.env.note_reread()
        return self.parse_text_to_nodes(WRITERS[self.name](), allow_section_headings=True)


def shorten(
    _app: Sphinx, _what: str, _name: str, described: object, *_rest: object
) -> tuple[str, None] | None:
    """Leave out the signature of a struct, whose fields are listed below it."""
    is_struct = isinstance(described, type) and issubclass(described, msgspec.Struct)
    return ("", None) if is_struct else None


def bring_files(app: Sphinx, page: str, source: list[str]) -> None:
    """Let the links of a page that lead to files of the repository do so on the site."""
    path = Path(app.env.doc2path(page))
    source[0] = repository.bring_files(source[0], path, Path(app.srcdir))


def setup(app: Sphinx) -> ExtensionMetadata:
    """Add the directives, and take blocks of CSV for the plain text they are."""
    for name in WRITERS:
        app.add_directive(name, Generated)
    app.add_lexer("csv", TextLexer)
    app.connect("source-read", bring_files)
    app.connect("autodoc-process-signature", shorten)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
