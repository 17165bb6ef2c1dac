"""The command that opens a page of the service in the browser."""

from typing import Final

from reteval._requests import segment
from reteval.cli.session import Exit, Session

_FOLDERS: Final = {
    "run_": "runs",
    "cmp_": "comparisons",
    "jdg_": "judgings",
    "ts_": "test-sets",
}


def open_page(session: Session) -> int:
    """Print the address of a page and open it."""
    address = session.client.url + _path(session)
    if session.options.json:
        session.print_json({"url": address})
    else:
        session.print(f"{address}\n")
    if not session.options.print and not session.place.browse(address):
        session.stderr.write("no browser could be started: open the address yourself\n")
    return Exit.DONE


def _path(session: Session) -> str:
    what = session.options.what
    if what is None:
        return "/"
    for prefix, folder in _FOLDERS.items():
        if what.startswith(prefix):
            return f"/{folder}/{segment(what)}"
    return f"/test-sets/{segment(session.client.test_set(what).id)}"
