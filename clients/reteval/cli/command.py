"""Carrying out a command line: what is printed where, and the exit code.

Results go to standard output, progress and errors to standard error.
"""

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from typing import Final, TextIO

from reteval.cli.access import audit, grant, keys, share, teams
from reteval.cli.arguments import UsageError, tell_apart
from reteval.cli.building import build
from reteval.cli.completion import completion
from reteval.cli.decisions import compare, gate, power
from reteval.cli.doctor import doctor
from reteval.cli.exporting import export, export_set
from reteval.cli.init import init
from reteval.cli.judging import judging
from reteval.cli.keeping import backup, pin, restore, unpin, usage
from reteval.cli.leakage import leakage
from reteval.cli.limits import limits
from reteval.cli.opening import open_page
from reteval.cli.parser import build_parser
from reteval.cli.place import Place, Setting
from reteval.cli.probe import probe
from reteval.cli.profiles import Chosen, choose_profile, fill, find_access
from reteval.cli.running import history, latest, rescore, results, retry, run, wait
from reteval.cli.screen import Screen
from reteval.cli.session import Connect, Exit, Session
from reteval.cli.suites import split, suite
from reteval.cli.uploading import upload
from reteval.cli.versions import diff, version, versions
from reteval.cli.webhooks import webhooks
from reteval.client import Client
from reteval.errors import RetevalError


def main(
    argv: Sequence[str] | None = None,
    *,
    connect: Connect = Client,
    stdout: TextIO | None = None,
    stderr: TextIO | None = None,
    place: Place | None = None,
) -> int:
    """Run the `reteval` command and return its exit code; 2 for a wrong command line.

    Raises:
        SystemExit: after `--help`, or when the words cannot be parsed.
    """
    words = sys.argv[1:] if argv is None else argv
    options = build_parser().parse_args(words)
    place = place or Place()
    out = Screen(stdout or sys.stdout, place.environ)
    err = Screen(stderr or sys.stderr, place.environ)
    try:
        chosen = Chosen() if options.offline else choose_profile(options.profile, place)
        access = find_access(options, chosen, place)
        settings = access.settings + _settle(options, chosen)
        with connect(access.url, access.api_key) as client:
            session = Session(
                options=options,
                words=tuple(words),
                client=client,
                connect=connect,
                profile=chosen.profile,
                settings=settings,
                place=place,
                stdout=out,
                stderr=err,
            )
            code = COMMANDS[options.command](session)
            out.flush()
            return code
    except BrokenPipeError:
        # Whoever read our output has gone; keep the interpreter from saying so at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), out.stream.fileno())
        return Exit.REFUSED
    except (RetevalError, UsageError, ValueError, OSError, KeyboardInterrupt) as exc:
        return _explain(exc, err)


def _settle(options: argparse.Namespace, chosen: Chosen) -> tuple[Setting, ...]:
    """Settle what the words mean, and take from the profile what they leave out."""
    if {"test_set", "endpoint"} <= {*options.profiled}:
        tell_apart(options)
    return fill(options, chosen)


def _explain(exc: BaseException, err: Screen) -> Exit:
    """Write what went wrong, without a traceback, and return the exit code for it."""
    match exc:
        case RetevalError():
            err.write(f"error: {exc}\n")
            return Exit.REFUSED
        case OSError():
            err.write(f"error: {exc}\n")
            return Exit.USAGE if exc.filename else Exit.REFUSED
        case KeyboardInterrupt():
            err.write("\ninterrupted; a run that was started goes on\n")
            return Exit.INTERRUPTED
    err.write(f"usage error: {exc}\n")
    return Exit.USAGE


COMMANDS: Final[dict[str, Callable[[Session], int]]] = {
    "init": init,
    "doctor": doctor,
    "open": open_page,
    "completion": completion,
    "upload": upload,
    "build": build,
    "export-set": export_set,
    "run": run,
    "wait": wait,
    "results": results,
    "export": export,
    "history": history,
    "rescore": rescore,
    "retry": retry,
    "compare": compare,
    "gate": gate,
    "power": power,
    "probe": probe,
    "leakage": leakage,
    "pin": pin,
    "unpin": unpin,
    "usage": usage,
    "backup": backup,
    "restore": restore,
    "webhooks": webhooks,
    "judging": judging,
    "version": version,
    "versions": versions,
    "diff": diff,
    "split": split,
    "suite": suite,
    "latest": latest,
    "teams": teams,
    "keys": keys,
    "grant": grant,
    "share": share,
    "audit": audit,
    "limits": limits,
}
