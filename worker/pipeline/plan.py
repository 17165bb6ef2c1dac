"""The plan of a run: every request it will send, in an order that never changes."""

from collections.abc import Sequence

from msgspec import Struct

from reteval.contract.outcomes import PlannedRequest
from reteval.contract.runs import AdversarialRequest
from reteval.contract.testsets import Expect, Query
from worker.adversarial.suite import Suite, build_suite, is_scorable


class Plan(Struct, frozen=True, kw_only=True):
    """Requests in order: scorable queries, those that expect nothing, then variants.

    `scorable` and `nothing` are the queries behind the clean requests, in the same order;
    `queries` are all of the test set.
    """

    queries: Sequence[Query]
    requests: tuple[PlannedRequest, ...]
    scorable: tuple[Query, ...]
    nothing: tuple[Query, ...]
    suite: Suite

    @property
    def clean(self) -> int:
        """Number of clean requests; the variants come after them."""
        return len(self.scorable) + len(self.nothing)


def build_plan(
    queries: Sequence[Query],
    request: AdversarialRequest | None,
    *,
    relevant_from: int,
    language: str = "",
) -> Plan:
    """Plan a run over a test set; the same arguments give the same plan."""
    originals = [query for query in queries if not query.parent]
    scorable = tuple(query for query in originals if is_scorable(query, relevant_from))
    nothing = tuple(query for query in originals if query.expect is Expect.NOTHING)
    suite = build_suite(queries, request, relevant_from=relevant_from, language=language)
    clean = (PlannedRequest(query_id=query.id, text=query.query) for query in (*scorable, *nothing))
    return Plan(
        queries=queries,
        requests=(*clean, *suite.requests),
        scorable=scorable,
        nothing=nothing,
        suite=suite,
    )
