"""The commands that keep: pins, backups, and what is stored."""

from reteval.cli.session import Exit, Session
from reteval.contract.usage import Kept, Usage


def pin(session: Session) -> int:
    """Keep a run from expiring."""
    run = session.client.pin(session.options.run)
    if session.options.json:
        session.print_json(run)
    else:
        session.print(f"{run.id} is pinned\n")
    return Exit.DONE


def unpin(session: Session) -> int:
    """Let a run expire."""
    session.client.unpin(session.options.run)
    if not session.options.json:
        session.print(f"{session.options.run} is not pinned\n")
    return Exit.DONE


def usage(session: Session) -> int:
    """Print what is kept, for how long, and what is left."""
    found = session.client.usage()
    if session.options.json:
        session.print_json(found)
    else:
        session.print("\n".join(_lines(found)) + "\n")
    return Exit.DONE


def backup(session: Session) -> int:
    """Save runs, judgings and test sets in a file."""
    options = session.options
    session.client.backup(
        options.file,
        runs=options.run,
        test_sets=options.test_set,
        judgings=options.judging,
        everything=options.all,
    )
    if not options.json:
        session.print(f"saved in {options.file}: {options.file.stat().st_size:,} bytes\n")
    return Exit.DONE


def restore(session: Session) -> int:
    """Bring back what a backup holds and the service does not have."""
    made = session.client.restore(session.options.file)
    if session.options.json:
        session.print_json(made)
    else:
        kept = f", {len(made.kept)} judgings were gone on with and kept" if made.kept else ""
        session.print(
            f"{len(made.restored)} restored, {len(made.skipped)} were there already{kept}\n"
        )
    return Exit.DONE


def _lines(usage: Usage) -> list[str]:
    rows: dict[str, Kept] = {
        "test sets": usage.test_sets,
        "runs": usage.runs,
        "comparisons": usage.comparisons,
        "probes": usage.probes,
        "previews": usage.previews,
        "leakage": usage.leakage_checks,
    }
    lines = [f"{name:<12}{kept.count:>8,}{kept.bytes:>16,} bytes" for name, kept in rows.items()]
    days = usage.retention_days
    kept = f"kept for {days} days unless pinned" if days else "kept until they are deleted"
    lines.append(f"{usage.runs_under_way} runs under way; ended ones are {kept}")
    if usage.store.left_bytes is not None:
        lines.append(
            f"memory left: {usage.store.left_bytes:,} of {usage.store.bound_bytes:,} bytes"
        )
    return lines
