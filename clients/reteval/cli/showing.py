"""How commands show what the service answered: as JSON where that is asked for, else as text."""

from collections.abc import Sequence

from msgspec import Struct

from reteval.cli.session import Exit, Session
from reteval.cli.tables import table


def show(session: Session, document: Struct, text: str) -> int:
    """Print a document, or what is to be said of it."""
    if session.options.json:
        session.print_json(document)
    else:
        session.print(text + "\n")
    return Exit.DONE


def show_rows(
    session: Session,
    found: Sequence[Struct],
    head: tuple[str, ...],
    rows: Sequence[tuple[str, ...]],
) -> int:
    """Print documents a line each, or as a table."""
    if session.options.json:
        for one in found:
            session.print_json(one)
    elif rows:
        session.print("\n".join(table(head, rows, prose=head)) + "\n")
    return Exit.DONE
