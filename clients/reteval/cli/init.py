"""The command that makes a beginning: a profile, a gate, and a first test set to upload."""

import json
from importlib.resources import files
from pathlib import Path
from typing import Final

from msgspec import Struct

from reteval.cli.arguments import UsageError
from reteval.cli.decisions import GATE_FILE
from reteval.cli.preview import render_preview
from reteval.cli.profiles import PROJECT_FILE
from reteval.cli.session import Exit, Session
from reteval.cli.starting_words import DEMO_ENDPOINT, STARTER
from reteval.contract.imports import ImportPreview
from reteval.errors import (
    ConnectionFailedError,
    ServerError,
    UnauthorizedError,
    UnreadableResponseError,
)

QUERIES_FILE: Final = "queries.csv"
_NOT_NOW: Final = (
    ConnectionFailedError,
    ServerError,
    UnauthorizedError,
    UnreadableResponseError,
)
_TEMPLATES: Final = files("reteval.cli") / "starter"


class Beginning(Struct, frozen=True, kw_only=True):
    """What a person decides at the beginning; without `queries`, the sample is written."""

    queries: Path | None
    name: str
    endpoint: str


def init(session: Session) -> int:
    """Write the files, show what the test set would become, and say what comes next."""
    beginning = _decide(session)
    written = _write(session, beginning)
    if not session.options.json:
        session.print("".join(f"wrote     {name}\n" for name in written))
    queries = beginning.queries or Path(QUERIES_FILE)
    preview = _preview(session, session.place.folder / queries, beginning.name)
    if session.options.json:
        session.print_json({"written": written, "preview": preview})
    elif preview is not None:
        session.print("".join(line + "\n" for line in render_preview(preview)))
    if preview is None:
        session.hint("doctor")
    elif preview.storable:
        session.hint("upload", str(queries), "--name", beginning.name)
    return Exit.DONE if preview is None or preview.storable else Exit.REFUSED


def _preview(session: Session, queries: Path, name: str) -> ImportPreview | None:
    """Ask what an upload would become; None, and why, where there is nobody to answer it."""
    try:
        session.client.readiness()
        return session.client.preview_upload(queries, name=name)
    except _NOT_NOW as exc:
        session.stderr.write(f"no preview yet: {exc}\n")
        return None


def _decide(session: Session) -> Beginning:
    """Take what was given and ask for the rest, where somebody is there to answer."""
    options = session.options
    queries, name, endpoint = options.file, options.name, options.endpoint
    if session.place.stdin.isatty() and session.stderr.terminal and not options.yes:
        if queries is None:
            text = _ask(session, "file of queries, empty for a sample", "")
            queries = Path(text) if text else None
        if endpoint is None:
            endpoint = _ask(session, "address of your search", DEMO_ENDPOINT)
        if name is None:
            name = _ask(session, "name of the test set", _name_after(queries))
    return Beginning(
        queries=queries,
        name=name or _name_after(queries),
        endpoint=endpoint or DEMO_ENDPOINT,
    )


def _ask(session: Session, question: str, default: str) -> str:
    session.stderr.write(f"{question}{f' [{default}]' if default else ''}: ")
    session.stderr.flush()
    return session.place.stdin.readline().strip() or default


def _name_after(queries: Path | None) -> str:
    return STARTER if queries is None else queries.stem


def _write(session: Session, beginning: Beginning) -> list[str]:
    """Write the files that are to be made, all or none; return their names.

    Raises:
        UsageError: one is there already, or the queries given are not.
    """
    values = {"url": session.client.url, "endpoint": beginning.endpoint, "test_set": beginning.name}
    quoted = {name: quote_toml(value) for name, value in values.items()}
    contents = {PROJECT_FILE: _read(PROJECT_FILE).format(**quoted), GATE_FILE: _read(GATE_FILE)}
    folder = session.place.folder
    if beginning.queries is None:
        contents[QUERIES_FILE] = _read(QUERIES_FILE)
    elif not (folder / beginning.queries).is_file():
        raise UsageError(f"{beginning.queries} is no file: name one with your queries, or none")
    there = [name for name in contents if (folder / name).exists()]
    if there and not session.options.force:
        raise UsageError(f"already there: {', '.join(there)}; --force writes over what is there")
    for name, text in contents.items():
        (folder / name).write_text(text, "utf-8")
    return list(contents)


def _read(name: str) -> str:
    return (_TEMPLATES / name).read_text("utf-8")


def quote_toml(text: str) -> str:
    """Write a text as a basic string of TOML, which is JSON's but for one control character."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
