"""The command that looks for what usually goes wrong, and its findings as text for people."""

from collections.abc import Iterable, Iterator

from reteval.cli.arguments import target_words
from reteval.cli.checkup import examine
from reteval.cli.findings import Found, Health
from reteval.cli.place import Setting
from reteval.cli.session import Exit, Session


def doctor(session: Session) -> int:
    """Print what holds and who said so, then what was found; 1 where something is wrong."""
    if session.options.json:
        found = [*examine(session)]
        told = {"ok": all(one.health is not Health.PROBLEM for one in found), "findings": found}
        session.print_json({**told, "settings": session.settings})
    else:
        session.print("".join(f"{line}\n" for line in setting_lines(session.settings)) + "\n")
        found = [*_show_each(session)]
    if any(one.health is Health.PROBLEM for one in found):
        return Exit.REFUSED
    options = session.options
    if options.test_set and (options.endpoint_url or options.endpoint) and not options.header:
        session.hint("run", *target_words(options), "--label", "baseline", "--wait")
    return Exit.DONE


def _show_each(session: Session) -> Iterator[Found]:
    for one in examine(session):  # each as it is found: the endpoint may take its time
        session.print("".join(f"{line}\n" for line in finding_lines(one)))
        session.stdout.flush()
        yield one


def setting_lines(settings: Iterable[Setting]) -> Iterator[str]:
    """Yield a line for each setting: what holds, and who said so."""
    for one in settings:
        source = f" ({one.source})" if one.source else ""
        yield f"{one.name.replace('_', ' '):<9} {one.value or 'none'}{source}"


def finding_lines(found: Found) -> Iterator[str]:
    """Yield what was found and, where something is wrong, what to do."""
    yield f"{found.health.value:<9} {found.check}: {found.message}"
    if found.fix:
        yield f"          fix: {found.fix}"
