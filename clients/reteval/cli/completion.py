"""The command that prints a completion script, generated from the parser by shtab."""

from reteval.cli.parser import build_parser
from reteval.cli.session import Exit, Session
from reteval.errors import RetevalError


def completion(session: Session) -> int:
    """Print the script for a shell.

    Raises:
        RetevalError: shtab is not installed.
    """
    try:
        import shtab  # noqa: PLC0415 - wanted once per shell, not by every caller of the service
    except ImportError as exc:
        raise RetevalError(
            "completion scripts are made by shtab, which is not installed: pip install shtab"
        ) from exc
    session.print(shtab.complete(build_parser(), shell=session.options.shell) + "\n")
    return Exit.DONE
