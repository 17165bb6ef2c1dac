"""The commands that build test sets of what there is."""

from collections.abc import Callable
from typing import Any, Final, cast

import msgspec

from reteval._building import FaqHead, SampleOptions
from reteval.cli.report import diagnostic_lines
from reteval.cli.session import Exit, Session
from reteval.cli.tables import table
from reteval.contract.query_samples import QuerySample

_STRATA: Final = ("stratum", "queries", "searches", "drawn")


def build(session: Session) -> int:
    """Do what the action says."""
    return _ACTIONS[session.options.action](session)


def _faq(session: Session) -> int:
    options = session.options
    head = cast("FaqHead", _given(session, FaqHead.__optional_keys__))
    made = session.client.import_faq(options.file, **head)
    if options.json:
        session.print_json(made)
        return Exit.DONE
    stats = made.stats
    session.print(
        f"{made.id} {made.name} version {made.version}: {stats.queries} questions, "
        f"{stats.judgments} documents that answer them\n"
    )
    session.print("".join(line + "\n" for line in diagnostic_lines(made.warnings)))
    return Exit.DONE


def _logs(session: Session) -> int:
    options = session.options
    wanted = cast("SampleOptions", _given(session, SampleOptions.__optional_keys__))
    sample = session.client.sample_queries(options.file, **wanted)
    if options.json:
        session.print_json(sample)
        return Exit.DONE
    lines = b"".join(msgspec.json.encode(query) + b"\n" for query in sample.queries)
    if options.output is None:
        session.print(lines.decode())
    else:
        options.output.write_bytes(lines)
    session.stderr.write("\n".join(_describe(sample)) + "\n")
    return Exit.DONE


def _given(session: Session, names: frozenset[str]) -> dict[str, Any]:
    given = {name: getattr(session.options, name) for name in sorted(names)}
    return {name: value for name, value in given.items() if value is not None}


def _describe(sample: QuerySample) -> list[str]:
    lines = [
        f"{sample.lines:,} lines: {sample.searches:,} searches of {sample.distinct:,} queries",
        *_name_counts("dropped", sample.dropped),
        *_name_counts("redacted", sample.redacted),
    ]
    rows = [
        (name, f"{one.queries:,}", f"{one.searches:,}", f"{one.sampled:,}")
        for name, one in sample.strata.items()
    ]
    return [*lines, *table(_STRATA, rows)]


def _name_counts(what: str, counts: dict[Any, int]) -> list[str]:
    named = ", ".join(f"{count:,} {name}" for name, count in counts.items())
    return [f"{what}: {named}"] if named else []


_ACTIONS: Final[dict[str, Callable[[Session], int]]] = {"faq": _faq, "logs": _logs}
