"""The command that writes a test set as a file."""

from reteval.cli.arguments import UsageError
from reteval.cli.session import Exit, Session
from reteval.contract.exports import ARCHIVES


def export_set(session: Session) -> int:
    """Write a test set in a format, and say on standard error what is lost in it.

    Raises:
        UsageError: a zip for the screen.
    """
    options = session.options
    if options.format in ARCHIVES and options.output is None:
        raise UsageError(f"{options.format} is a zip: add --output FILE")
    found = session.client.export_test_set(options.test_set, options.format, index=options.index)
    if options.output is None:
        session.print(found.content.decode())
    else:
        options.output.write_bytes(found.content)
    if found.lost:
        session.stderr.write(f"not in {options.format}: {', '.join(found.lost)}\n")
    return Exit.DONE
