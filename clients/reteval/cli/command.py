"""Carrying out a command line: what is printed where, and the exit code.

Results go to standard output, progress and errors to standard error.
"""

import os
import sys
import time
from collections.abc import Callable, Sequence
from typing import Final, TextIO

import msgspec
from msgspec import Struct

from reteval.cli.access import audit, grant, keys, share, teams
from reteval.cli.arguments import (
    UsageError,
    head_of,
    require_one_source,
    require_whole_history,
    rescore_request,
    retry_request,
    run_request,
)
from reteval.cli.building import build
from reteval.cli.ci import ci
from reteval.cli.decisions import compare, gate, power
from reteval.cli.exporting import export_set
from reteval.cli.history import render_trend
from reteval.cli.judging import judging
from reteval.cli.keeping import backup, pin, restore, unpin, usage
from reteval.cli.leakage import leakage
from reteval.cli.limits import limits
from reteval.cli.parser import build_parser
from reteval.cli.preview import show_preview
from reteval.cli.probe import probe
from reteval.cli.progress import meter_for
from reteval.cli.report import diagnostic_lines, render
from reteval.cli.session import Exit, Session
from reteval.cli.suites import split, suite
from reteval.cli.versions import diff, version, versions
from reteval.cli.webhooks import webhooks
from reteval.client import Client
from reteval.contract.runs import Run, RunStatus
from reteval.errors import RetevalError

ENDS: Final = {
    RunStatus.COMPLETED: Exit.DONE,
    RunStatus.COMPLETED_WITH_ERRORS: Exit.DONE,
    RunStatus.FAILED: Exit.RUN_FAILED,
}
"""Exit codes of terminal runs; a cancelled one was not completed."""


class Ended(Struct, frozen=True):
    """As much of a report as the exit code needs."""

    status: RunStatus


def main(
    argv: Sequence[str] | None = None,
    *,
    connect: Callable[[str | None, str | None], Client] = Client,
    stdout: TextIO | None = None,
    stderr: TextIO | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> int:
    """Run the `reteval` command and return its exit code; 2 for a wrong command line.

    Raises:
        SystemExit: after `--help`, or when the words cannot be parsed.
    """
    options = build_parser().parse_args(argv)
    out, err = stdout or sys.stdout, stderr or sys.stderr
    try:
        with connect(options.url, options.api_key) as client:
            session = Session(options=options, client=client, stdout=out, stderr=err, clock=clock)
            code = COMMANDS[options.command](session)
            out.flush()
            return code
    except RetevalError as exc:
        err.write(f"error: {exc}\n")
        return Exit.REFUSED
    except BrokenPipeError:
        # Whoever read our output has gone; keep the interpreter from saying so at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), out.fileno())
        return Exit.REFUSED
    except (UsageError, ValueError) as exc:
        err.write(f"usage error: {exc}\n")
        return Exit.USAGE
    except OSError as exc:
        err.write(f"error: {exc}\n")
        return Exit.USAGE if exc.filename else Exit.REFUSED
    except KeyboardInterrupt:
        err.write("\ninterrupted; a run that was started goes on\n")
        return Exit.INTERRUPTED


def upload(session: Session) -> int:
    """Upload a test set and print what the service made of it."""
    options = session.options
    require_one_source(options)
    head = head_of(options)
    if options.dry_run:
        return show_preview(session, head)
    if options.files:
        test_set = session.client.upload(*options.files, **head)
    else:
        test_set = session.client.upload_trec(options.topics, options.qrels, **head)
    if options.json:
        session.print_json(test_set)
        return Exit.DONE
    stats = test_set.stats
    session.print(
        f"{test_set.id} {test_set.name} version {test_set.version}: {stats.queries} queries "
        f"({stats.scorable} scorable), {stats.judgments} judgments\n"
    )
    session.print("".join(line + "\n" for line in diagnostic_lines(test_set.warnings)))
    return Exit.DONE


def run(session: Session) -> int:
    """Start a run; with `--wait`, see it to its end and print its report."""
    return _started(session, session.client.run(run_request(session.options)))


def rescore(session: Session) -> int:
    """Score stored rankings anew; with `--wait`, print the child run's report."""
    options = session.options
    return _started(session, session.client.rescore(options.run, rescore_request(options)))


def retry(session: Session) -> int:
    """Send unanswered requests again; with `--wait`, print the child run's report."""
    options = session.options
    return _started(session, session.client.retry(options.run, retry_request(options)))


def wait(session: Session) -> int:
    """Wait for a run to end and print how it did."""
    ended = _watch(session, session.options.run, session.options.timeout)
    if session.options.json:
        session.print_json(ended)
    else:
        error = f": {ended.error}" if ended.error else ""
        session.print(f"{ended.id} {ended.status.value}{error}\n")
    return ENDS.get(ended.status, Exit.REFUSED)


def results(session: Session) -> int:
    """Print the report of a run."""
    return _report(session, session.options.run)


def history(session: Session) -> int:
    """Print how a metric went; with `--jsonl`, every mean of every run as flat lines."""
    options = session.options
    if options.jsonl:
        require_whole_history(options)
        for row in session.client.history(options.test_set):
            session.print_json(row)
        return Exit.DONE
    trend = session.client.trend(
        options.test_set, metric=options.metric, label=options.label, limit=options.limit
    )
    if options.json:
        session.print_json(trend)
    else:
        session.print(render_trend(trend))
    return Exit.DONE


def latest(session: Session) -> int:
    """Print the report of the newest completed run."""
    options = session.options
    given = {name: getattr(options, name) for name in ("test_set", "label", "branch", "team")}
    found = session.client.latest(**given)
    return _report(session, found.id)


COMMANDS: Final[dict[str, Callable[[Session], int]]] = {
    "upload": upload,
    "build": build,
    "export-set": export_set,
    "run": run,
    "wait": wait,
    "results": results,
    "history": history,
    "rescore": rescore,
    "retry": retry,
    "compare": compare,
    "gate": gate,
    "ci": ci,
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


def _started(session: Session, run: Run) -> int:
    """Tell of a run that was started; with `--wait`, see it to its end."""
    if session.options.wait:
        if not session.options.json:
            session.stderr.write(f"started {run.id}\n")
        return _report(session, _watch(session, run.id).id)
    if session.options.json:
        session.print_json(run)
    else:
        planned = run.planned
        session.print(
            f"{run.id} {run.status.value}: {planned.clean} queries and at most "
            f"{planned.adversarial} changed ones\nnext: reteval wait {run.id}\n"
        )
    return Exit.DONE


def _watch(session: Session, run_id: str, timeout_s: float | None = None) -> Run:
    if session.options.json:
        return session.client.wait(run_id, timeout_s=timeout_s)
    meter = meter_for(session.stderr, session.clock)
    try:
        return session.client.wait(run_id, timeout_s=timeout_s, on_progress=meter.show)
    finally:
        meter.close()


def _report(session: Session, run_id: str) -> int:
    if not session.options.json:
        report = session.client.results(run_id)
        session.print(render(report))
        return ENDS.get(report.status, Exit.REFUSED)
    document = session.client.results_document(run_id)
    try:
        status = msgspec.json.decode(document, type=Ended).status
    except msgspec.MsgspecError as exc:
        raise RetevalError(f"what came is no report of {run_id!r}: {exc}") from exc
    session.print(document.decode().rstrip("\n") + "\n")
    return ENDS.get(status, Exit.REFUSED)
