"""The plan of a run: every request it will send, in an order that never changes."""

from collections.abc import Sequence
from types import MappingProxyType

from msgspec import Struct, structs

from reteval.contract.outcomes import REPEAT, PlannedRequest
from reteval.contract.runs import AdversarialRequest
from reteval.contract.testsets import Expect, Query
from worker.adversarial.paraphrase import Answers
from worker.adversarial.suite import Suite, build_suite, is_scorable
from worker.adversarial.unjudged import is_unjudged


class Plan(Struct, frozen=True, kw_only=True):
    """Requests in order: scorable queries, those that expect nothing, variants, later rounds.

    `scorable` and `nothing` are the queries behind the clean requests, in the same order;
    `queries` are all of the test set.
    """

    queries: Sequence[Query]
    requests: tuple[PlannedRequest, ...]
    scorable: tuple[Query, ...]
    nothing: tuple[Query, ...]
    suite: Suite
    rounds: int = 1

    @property
    def clean(self) -> int:
        """Number of clean requests; the variants come after them."""
        return len(self.scorable) + len(self.nothing)

    @property
    def attacked(self) -> int:
        """Number of clean requests and variants; clean queries asked again come after them."""
        return self.clean + len(self.suite.requests)


def build_plan(
    queries: Sequence[Query],
    request: AdversarialRequest | None,
    *,
    relevant_from: int,
    language: str = "",
    rounds: int = 1,
    answers: Answers = MappingProxyType({}),
) -> Plan:
    """Plan a run over a test set; the same arguments give the same plan.

    `answers` are those of a model that writes paraphrases.
    """
    suite = build_suite(
        queries, request, relevant_from=relevant_from, language=language, answers=answers
    )
    plan = _assemble(queries, suite, relevant_from=relevant_from)
    again = tuple(
        structs.replace(request, kind=REPEAT, replicate=turn)
        for turn in range(1, rounds)
        for request in plan.requests[: plan.clean]
    )
    return structs.replace(plan, requests=(*plan.requests, *again), rounds=rounds)


def replay_plan(
    queries: Sequence[Query],
    stored: Sequence[PlannedRequest],
    *,
    planned_from: Sequence[Query],
    request: AdversarialRequest | None,
    relevant_from: int,
    planned_relevant_from: int,
    language: str = "",
    answers: Answers = MappingProxyType({}),
) -> Plan:
    """Plan a run over rankings that another run stored: its variants, this test set's queries.

    `planned_from`, `planned_relevant_from` and the model's `answers` are what the stored plan was
    made of. Variants
    whose clean query is no longer scored are left out.
    """
    suite = build_suite(
        planned_from,
        request,
        relevant_from=planned_relevant_from,
        language=language,
        answers=answers,
    )
    by_id = {query.id: query for query in queries}
    scored = {
        query.id for query in queries if not query.parent and is_scorable(query, relevant_from)
    }

    def still_stands(variant: PlannedRequest) -> bool:
        if is_unjudged(variant):
            return True
        query = by_id.get(variant.query_id)
        return query is not None and (query.parent or query.id) in scored

    variants = [request for request in stored if request.kind not in ("", REPEAT)]
    suite = structs.replace(suite, requests=tuple(filter(still_stands, variants)))
    plan = _assemble(queries, suite, relevant_from=relevant_from)
    clean = {request.query_id for request in plan.requests[: plan.clean]}
    again = [request for request in stored if request.kind == REPEAT]
    return structs.replace(
        plan,
        requests=(*plan.requests, *(request for request in again if request.query_id in clean)),
        rounds=1 + max((request.replicate for request in again), default=0),
    )


def _assemble(queries: Sequence[Query], suite: Suite, *, relevant_from: int) -> Plan:
    originals = [query for query in queries if not query.parent]
    scorable = tuple(query for query in originals if is_scorable(query, relevant_from))
    nothing = tuple(query for query in originals if query.expect is Expect.NOTHING)
    clean = (PlannedRequest(query_id=query.id, text=query.query) for query in (*scorable, *nothing))
    return Plan(
        queries=queries,
        requests=(*clean, *suite.requests),
        scorable=scorable,
        nothing=nothing,
        suite=suite,
    )
