"""The commands about runs: start them, wait for them, print and export what they found."""

from contextlib import suppress
from itertools import islice
from typing import Final

import msgspec
from msgspec import Struct

from reteval.cli.arguments import (
    relabel,
    require_whole_history,
    rescore_request,
    retry_request,
    run_request,
    target_words,
)
from reteval.cli.history import render_trend
from reteval.cli.progress import meter_for
from reteval.cli.report import render
from reteval.cli.session import Exit, Session
from reteval.contract.runs import Run, RunStatus
from reteval.errors import RetevalError

_LAST_FEW: Final = 20
ENDS: Final = {
    RunStatus.COMPLETED: Exit.DONE,
    RunStatus.COMPLETED_WITH_ERRORS: Exit.DONE,
    RunStatus.FAILED: Exit.RUN_FAILED,
}
"""Exit codes of terminal runs; a cancelled one was not completed."""


class Ended(Struct, frozen=True):
    """As much of a report as the exit code needs."""

    status: RunStatus


def run(session: Session) -> int:
    """Start a run; with `--wait`, see it to its end and print its report."""
    started = session.client.run(run_request(session.options))
    code = _started(session, started)
    if session.options.wait:
        _say_next(session, started, code)
    return code


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
        session.hint("results", ended.id)
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
    found = session.client.latest(test_set=options.test_set, label=options.label, team=options.team)
    return _report(session, found.id)


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
            f"{planned.adversarial} changed ones\n"
        )
        session.hint("wait", run.id)
    return Exit.DONE


def _say_next(session: Session, run: Run, code: int) -> None:
    """Say what follows a run: a look at what failed, a second run, or the two compared."""
    options = session.options
    if options.json or options.header:
        return  # headers are secrets, which no hint repeats
    if code == Exit.RUN_FAILED:
        session.hint("doctor", *target_words(options))
    elif code == Exit.DONE:
        with suppress(RetevalError):  # the report is printed; a hint is worth no failure
            other = _find_earlier(session, run)
            if other is not None:
                session.hint("compare", other.id, run.id)
            elif not options.api_key:  # nor does a hint repeat a key
                session.hint_line(["reteval", *relabel(session.words, "candidate")])


def _find_earlier(session: Session, run: Run) -> Run | None:
    """Find the newest completed run, of the last few, that this one can be compared with."""
    ended = session.client.runs(
        test_set=run.test_set.id, status=RunStatus.COMPLETED, limit=_LAST_FEW
    )
    same = (one for one in islice(ended, _LAST_FEW) if _split_of(one) == _split_of(run))
    return next((one for one in same if one.id != run.id), None)


def _split_of(run: Run) -> str | None:
    return run.split.name if run.split else None


def _watch(session: Session, run_id: str, timeout_s: float | None = None) -> Run:
    if session.options.json:
        return session.client.wait(run_id, timeout_s=timeout_s)
    meter = meter_for(session.stderr.stream, session.place.clock)
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
