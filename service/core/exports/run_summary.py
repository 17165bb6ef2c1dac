"""The `markdown` export: a run in a table, for a comment or a page of notes."""

from collections.abc import AsyncIterator, Iterator

from reteval.contract.results import MetricSummary, Results
from reteval.contract.texts import escape_markdown
from service.core.backend import Backend
from service.core.reports import read_results


async def export_markdown(backend: Backend, run_id: str) -> AsyncIterator[bytes]:
    """Return the run's means and diagnoses as Markdown.

    Raises:
        NotTerminalError: the run has not ended.
        NotFoundError: no such run.
    """
    return _lines(await read_results(backend, run_id))


def write_summary(results: Results) -> Iterator[str]:
    """Write a report, line by line; names show as they are and do nothing."""
    pinned, counts = results.test_set, results.counts
    name, status = results.label or results.id, results.status.replace("_", " ")
    yield f"### {escape_markdown(name)}: {escape_markdown(status)}"
    yield ""
    if results.metrics is None:
        yield f"No result: {escape_markdown(results.reason or results.status)}."
    else:
        yield "| metric | mean | interval | n |"
        yield "|---|---|---|---|"
        for name, summary in results.metrics.items():
            yield _row(name, summary)
    yield ""
    for one in results.diagnostics:
        yield f"- **{one.severity}** {escape_markdown(one.code)}: {escape_markdown(one.message)}"
    yield ""
    yield (
        f"{counts.planned} queries, {counts.failed} failed, {counts.skipped} skipped. "
        f"Run {escape_markdown(results.id)} over {escape_markdown(pinned.name)} "
        f"version {pinned.version}, {escape_markdown(pinned.hash)}."
    )


def _row(name: str, summary: MetricSummary) -> str:
    reason = escape_markdown(summary.reason or "")
    mean = reason if summary.mean is None else f"{summary.mean:.3f}"
    ends = reason if summary.ci is None else f"{summary.ci[0]:.3f} to {summary.ci[1]:.3f}"
    return f"| {escape_markdown(name)} | {mean} | {ends} | {summary.n} |"


async def _lines(results: Results) -> AsyncIterator[bytes]:
    yield "".join(f"{line}\n" for line in write_summary(results)).encode()
