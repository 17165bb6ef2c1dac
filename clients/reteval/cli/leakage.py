"""The command that checks a test set for leakage, and its report as text for people."""

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
from msgspec import UNSET

from reteval.cli.arguments import UsageError
from reteval.cli.report import diagnostic_lines
from reteval.cli.session import Exit, Session
from reteval.cli.tables import NOTHING, number, table
from reteval.contract.leakage import LeakageReport, LeakedPair


def leakage(session: Session) -> int:
    """Check a test set, and print what leaked, how, and what the numbers are without it."""
    options = session.options
    ended = session.client.check_leakage(leakage_request(options), timeout_s=options.timeout)
    if options.json:
        session.print_json(ended)
    elif ended.report is None:
        session.print(f"{ended.id} {ended.status.value}: {ended.error or 'no reason given'}\n")
    else:
        session.print("\n".join(report_lines(ended.report)) + "\n")
        if options.pairs:
            for pair in session.client.leaked_pairs(ended.id, kind=options.pairs):
                session.print(_pair(pair) + "\n")
    return Exit.DONE if ended.report is not None else Exit.RUN_FAILED


def leakage_request(options: argparse.Namespace) -> dict[str, Any]:
    """Build the body of a check.

    Raises:
        UsageError: a file that holds something else.
    """
    request: dict[str, Any] = {"test_set": options.test_set}
    if options.against is not None:
        request["against"] = {"texts": list(_read_texts(options.against))}
    if options.against_set is not None:
        request["against"] = {"test_set": options.against_set}
    if options.run is not None:
        request["run"] = options.run
    if options.corpus is not None:
        request["corpus"] = list(_read_corpus(options.corpus))
    return request


def report_lines(report: LeakageReport) -> list[str]:
    """Return the report: shares, counts by place and kind, metrics, then what it means."""
    more = "; there is more than was looked for" if report.cut else ""
    lines = [f"leaked    {report.leaked} of {report.queries} queries ({report.share:.1%}){more}"]
    lines += [f"within    {_count(kind, seen)}" for kind, seen in report.within.items()]
    for splits in report.splits:
        sides = zip(splits.splits, splits.queries, splits.shares, strict=True)
        told = ", ".join(f"{n} of {split} ({share:.1%})" for split, n, share in sides)
        lines.append(f"between   {splits.pairs} pairs: {told}")
    if report.against is not UNSET:
        lines.append(f"against   {report.against.queries} queries in {report.against.texts} texts")
        lines += [f"          {_count(kind, seen)}" for kind, seen in report.against.kinds.items()]
    documents = report.documents
    lines.append(
        f"documents {documents.queries} of {documents.compared} queries that could be compared"
    )
    lines += [f"          {_count(kind, seen)}" for kind, seen in documents.kinds.items()]
    for source, seen in report.sources.items():
        lines.append(
            f"source    {source or NOTHING}: {seen.leaked} of {seen.queries} leaked "
            f"({seen.share:.1%}), {seen.lifted} from documents"
        )
    return [*lines, *_metrics(report), *diagnostic_lines(report.diagnostics)]


def _metrics(report: LeakageReport) -> list[str]:
    if report.metrics is UNSET:
        return []
    rows = [
        (name, number(each.mean), number(each.mean_without), number(each.mean_leaked))
        for name, each in report.metrics.items()
    ]
    return table(("metric", "all", "without leaked", "leaked"), rows)


def _count(kind: str, seen: Any) -> str:
    return f"{kind}: {seen.pairs} pairs, {seen.queries} queries ({seen.share:.1%})"


def _pair(pair: LeakedPair) -> str:
    similarity = "" if pair.similarity is None else f" {pair.similarity:.2f}"
    sides = "  ~  ".join(f"[{side.id}] {side.text}" for side in (pair.query, pair.other))
    return f"{pair.kind.value}{similarity} {pair.place.value}: {sides}"


def _read_texts(path: Path) -> Iterator[str]:
    for row in _read_lines(path):
        text = row if isinstance(row, str) else row.get("query", row.get("text"))
        if not isinstance(text, str):
            raise UsageError(f"{path}: a line of JSON needs `query` or `text`")
        yield text


def _read_corpus(path: Path) -> Iterator[dict[str, Any]]:
    for row in _read_lines(path):
        known = {} if isinstance(row, str) else row
        if not isinstance(known.get("text"), str) or not known.keys() & {"id", "_id"}:
            raise UsageError(f"{path}: each line needs JSON with `id` (or `_id`) and `text`")
        yield {"id": known.get("id", known.get("_id")), "text": known["text"]}


def _read_lines(path: Path) -> Iterator[str | dict[str, Any]]:
    """Yield each line that is not blank: a JSON object, or else the text that it is."""
    for line in path.read_text("utf-8-sig").splitlines():
        text = line.strip()
        if not text.startswith("{"):
            if text:
                yield text
            continue
        try:
            yield msgspec.json.decode(text, type=dict[str, Any])
        except msgspec.DecodeError:
            yield text
