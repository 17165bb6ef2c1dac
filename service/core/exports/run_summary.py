"""The `markdown` export: a run in a table, for a comment or a page of notes."""

from collections.abc import AsyncIterator, Iterator

from reteval.contract.results import MetricSummary, Results
from service.core.backend import Backend
from service.core.markdown import escape
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
    yield f"### {escape(results.label or results.id)}: {escape(results.status.replace('_', ' '))}"
    yield ""
    if results.metrics is None:
        yield f"No result: {escape(results.reason or results.status)}."
    else:
        yield "| metric | mean | interval | n |"
        yield "|---|---|---|---|"
        for name, summary in results.metrics.items():
            yield _row(name, summary)
    yield ""
    for one in results.diagnostics:
        yield f"- **{one.severity}** {escape(one.code)}: {escape(one.message)}"
    yield ""
    yield (
        f"{counts.planned} queries, {counts.failed} failed, {counts.skipped} skipped. "
        f"Run {escape(results.id)} over {escape(pinned.name)} version {pinned.version}, "
        f"{escape(pinned.hash)}."
    )


def _row(name: str, summary: MetricSummary) -> str:
    reason = escape(summary.reason or "")
    mean = reason if summary.mean is None else f"{summary.mean:.3f}"
    ends = reason if summary.ci is None else f"{summary.ci[0]:.3f} to {summary.ci[1]:.3f}"
    return f"| {escape(name)} | {mean} | {ends} | {summary.n} |"


async def _lines(results: Results) -> AsyncIterator[bytes]:
    yield "".join(f"{line}\n" for line in write_summary(results)).encode()
