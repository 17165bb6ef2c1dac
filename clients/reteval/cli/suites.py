"""The commands about parts and groups of test sets: `split` and `suite`."""

from collections.abc import Callable
from typing import Final

from msgspec import UNSET

from reteval.cli.arguments import suite_request, suite_run_request
from reteval.cli.progress import meter_for
from reteval.cli.report import counts_line
from reteval.cli.running import ENDS
from reteval.cli.session import Exit, Session
from reteval.cli.tables import interval, number, table
from reteval.contract.suites import Suite, SuiteRow, SuiteRun

_HEAD: Final = ("suite", "name", "test sets")
_STRATA_HEAD: Final = ("stratum", "queries", "tune", "holdout")


def split(session: Session) -> int:
    """Divide a test set into tune and holdout and print how."""
    options = session.options
    made = session.client.split(
        options.test_set,
        holdout=options.holdout,
        seed=options.seed,
        stratify_by=[word for word in (options.by or "").split(",") if word],
    )
    if options.json:
        session.print_json(made)
        return Exit.DONE
    rows = [(s.name, str(s.queries), str(s.tune), str(s.holdout)) for s in made.strata]
    total = ("all of them", str(made.tune + made.holdout), str(made.tune), str(made.holdout))
    version = made.test_set
    title = f"{version.id} {version.name} version {version.version}: {made.groups} groups"
    session.print("\n".join([title, *table(_STRATA_HEAD, [*rows, total])]) + "\n")
    return Exit.DONE


def suite(session: Session) -> int:
    """Do what the action says."""
    return _ACTIONS[session.options.action](session)


def _create(session: Session) -> int:
    return _show_suites(session, [session.client.create_suite(suite_request(session.options))])


def _list(session: Session) -> int:
    return _show_suites(session, [*session.client.suites()])


def _show_suites(session: Session, found: list[Suite]) -> int:
    if session.options.json:
        for one in found:
            session.print_json(one)
        return Exit.DONE
    rows = [(one.id, one.name, ", ".join(m.test_set for m in one.members)) for one in found]
    session.print("\n".join(table(_HEAD, rows, prose=_HEAD)) + "\n")
    return Exit.DONE


def _remove(session: Session) -> int:
    session.client.delete_suite(session.options.suite)
    if not session.options.json:
        session.print(f"{session.options.suite} is deleted; its runs stay\n")
    return Exit.DONE


def _run(session: Session) -> int:
    options = session.options
    started = session.client.run_suite(options.suite, suite_run_request(options))
    if not options.wait:
        return _show_started(session, started)
    if not options.json:
        session.stderr.write(f"started {started.id}\n")
    return _show(session, _watch(session, started.id))


def _results(session: Session) -> int:
    return _show(session, session.client.suite_run(session.options.suite_run))


def _cancel(session: Session) -> int:
    return _show_started(session, session.client.cancel_suite(session.options.suite_run))


def _show_started(session: Session, run: SuiteRun) -> int:
    if session.options.json:
        session.print_json(run)
    else:
        session.print(f"{run.id} {run.status.value}: {len(run.rows)} runs\n")
        session.hint("suite", "results", run.id)
    return Exit.DONE


def _watch(session: Session, suite_run_id: str) -> SuiteRun:
    if session.options.json:
        return session.client.wait_suite(suite_run_id)
    meter = meter_for(session.stderr.stream, session.place.clock)
    try:
        return session.client.wait_suite(suite_run_id, on_progress=meter.show)
    finally:
        meter.close()


def _show(session: Session, run: SuiteRun) -> int:
    if session.options.json:
        session.print_json(run)
    else:
        session.print(render(run))
    if not run.status.terminal:
        return Exit.DONE
    return ENDS.get(run.status, Exit.REFUSED)


def render(run: SuiteRun) -> str:
    """Return the rows of the sets and the macro means, ending in a newline."""
    metrics = list(dict.fromkeys(name for row in run.rows for name in row.metrics or ()))
    head = ("test set", "run", "status", "n", *metrics, "note")
    rows = [_cells(row, metrics) for row in run.rows]
    macro = [
        (name, number(mean.mean), interval(mean.ci, mean.level), str(mean.sets), mean.reason or "")
        for name, mean in run.macro.items()
    ]
    blocks = [
        [f"{run.id} of suite {run.name}: {run.status.value}", *([run.label] if run.label else [])],
        table(head, rows, prose=("run", "status", "note")),
        [counts_line(run.counts)],
        table(("macro mean", "mean", "interval", "sets", "note"), macro, prose=("note",))
        if macro
        else [],
    ]
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def _cells(row: SuiteRow, metrics: list[str]) -> tuple[str, ...]:
    found = row.metrics or {}
    means = (number(found[name].mean) if name in found else number(None) for name in metrics)
    return (
        f"{row.test_set.name} version {row.test_set.version}",
        row.run,
        row.status.value if row.status else "",
        "" if row.num_queries is None else str(row.num_queries),
        *means,
        "" if row.reason is UNSET else row.reason,
    )


_ACTIONS: Final[dict[str, Callable[[Session], int]]] = {
    "create": _create,
    "list": _list,
    "remove": _remove,
    "run": _run,
    "results": _results,
    "cancel": _cancel,
}
