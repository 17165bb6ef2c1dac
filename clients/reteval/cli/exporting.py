"""The commands that write what the service has as files: a run's findings, a test set."""

from reteval.cli.arguments import UsageError
from reteval.cli.session import Exit, Session
from reteval.contract.exports import ARCHIVES


def export(session: Session) -> int:
    """Write what a run found, in a format."""
    options = session.options
    _require_place(session)
    return _write(session, session.client.export(options.run, options.format))


def export_set(session: Session) -> int:
    """Write a test set in a format, and say on standard error what is lost in it."""
    options = session.options
    _require_place(session)
    found = session.client.export_test_set(options.test_set, options.format, index=options.index)
    if found.lost:
        session.stderr.write(f"not in {options.format}: {', '.join(found.lost)}\n")
    return _write(session, found.content, found.lost)


def _require_place(session: Session) -> None:
    """Check, before anything is asked for, that there is a place for the file.

    Raises:
        UsageError: a zip for the screen, or a file where a JSON document is to be.
    """
    options = session.options
    if options.output is None and options.format in ARCHIVES:
        raise UsageError(f"{options.format} is a zip: add --output FILE")
    if options.output is None and options.json:
        raise UsageError("--json tells about a file that was written: add --output FILE")


def _write(session: Session, content: bytes, lost: tuple[str, ...] = ()) -> int:
    options = session.options
    if options.output is None:
        try:
            session.print(content.decode())
        except UnicodeDecodeError as exc:
            raise UsageError(f"{options.format} is no text: add --output FILE") from exc
        return Exit.DONE
    options.output.write_bytes(content)
    if options.json:
        told = {"file": str(options.output), "format": options.format, "bytes": len(content)}
        session.print_json({**told, "lost": lost})
    return Exit.DONE
