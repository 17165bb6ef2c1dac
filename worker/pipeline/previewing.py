"""The report of a preview: variants of the texts sent, or of a test set's first queries."""

from collections.abc import Sequence

from reteval.contract.previews import PreviewReport, PreviewRequest
from reteval.contract.testsets import Query
from worker.adversarial.preview import name_queries, preview


def report_preview(
    request: PreviewRequest, stored: Sequence[Query], language: str
) -> PreviewReport:
    """Make the variants; `stored` are all queries of the test set, if there is one."""
    queries = stored or list(name_queries(request.queries))
    return preview(queries, request.adversarial, language)
