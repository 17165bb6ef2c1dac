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
    `queries` are all of the test set, also where the run is over a split.
    """

    queries: Sequence[Query]
    requests: Sequence[PlannedRequest]
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


class Decisions(Struct, frozen=True):
    """What a plan decided besides its requests, which are stored apart."""

    suite: Suite
    rounds: int


class Origin(Struct, frozen=True, kw_only=True):
    """What a stored plan was made of; `answers` are those of a model that writes paraphrases."""

    queries: Sequence[Query]
    relevant_from: int
    language: str = ""
    answers: Answers = MappingProxyType({})


def tell_decisions(plan: Plan) -> Decisions:
    """Return what recalling a plan takes beside its queries and requests."""
    return Decisions(structs.replace(plan.suite, requests=()), plan.rounds)


def recall_plan(
    queries: Sequence[Query],
    requests: Sequence[PlannedRequest],
    decisions: Decisions,
    *,
    relevant_from: int,
    variants: int,
    split: str = "",
) -> Plan:
    """Return a plan as it was made, from its requests; there may be more of them than are read."""
    scorable, nothing = _divide(choose_split(queries, split), relevant_from)
    clean = len(scorable) + len(nothing)
    return Plan(
        queries=queries,
        requests=requests,
        scorable=scorable,
        nothing=nothing,
        suite=structs.replace(decisions.suite, requests=requests[clean : clean + variants]),
        rounds=decisions.rounds,
    )


def build_plan(
    queries: Sequence[Query],
    request: AdversarialRequest | None,
    *,
    relevant_from: int,
    language: str = "",
    rounds: int = 1,
    answers: Answers = MappingProxyType({}),
    split: str = "",
) -> Plan:
    """Plan a run over a test set, or a split of it; the same arguments give the same plan.

    `answers` are those of a model that writes paraphrases.
    """
    chosen = choose_split(queries, split)
    suite = build_suite(
        chosen, request, relevant_from=relevant_from, language=language, answers=answers
    )
    plan = _assemble(queries, chosen, suite, relevant_from=relevant_from)
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
    origin: Origin,
    request: AdversarialRequest | None,
    relevant_from: int,
    split: str = "",
) -> Plan:
    """Plan a run over rankings that another run stored: its variants, this test set's queries.

    Variants whose clean query is no longer scored, or not in the split, are left out.
    """
    suite = build_suite(
        origin.queries,
        request,
        relevant_from=origin.relevant_from,
        language=origin.language,
        answers=origin.answers,
    )
    chosen = choose_split(queries, split)
    by_id = {query.id: query for query in chosen}
    scored = {
        query.id for query in chosen if not query.parent and is_scorable(query, relevant_from)
    }

    def still_stands(variant: PlannedRequest) -> bool:
        if is_unjudged(variant):
            return True
        query = by_id.get(variant.query_id)
        return query is not None and (query.parent or query.id) in scored

    variants = [request for request in stored if request.kind not in ("", REPEAT)]
    suite = structs.replace(suite, requests=tuple(filter(still_stands, variants)))
    plan = _assemble(queries, chosen, suite, relevant_from=relevant_from)
    clean = {request.query_id for request in plan.requests[: plan.clean]}
    again = [request for request in stored if request.kind == REPEAT]
    return structs.replace(
        plan,
        requests=(*plan.requests, *(request for request in again if request.query_id in clean)),
        rounds=1 + max((request.replicate for request in again), default=0),
    )


def choose_split(queries: Sequence[Query], split: str) -> Sequence[Query]:
    """Return the queries of a split, or all for none; a variant is in the split of its query."""
    if not split:
        return queries
    splits = {query.id: query.split for query in queries if not query.parent}
    return [query for query in queries if splits[query.parent or query.id] == split]


def _assemble(
    queries: Sequence[Query], chosen: Sequence[Query], suite: Suite, *, relevant_from: int
) -> Plan:
    scorable, nothing = _divide(chosen, relevant_from)
    clean = (PlannedRequest(query_id=query.id, text=query.query) for query in (*scorable, *nothing))
    return Plan(
        queries=queries,
        requests=(*clean, *suite.requests),
        scorable=scorable,
        nothing=nothing,
        suite=suite,
    )


def _divide(
    queries: Sequence[Query], relevant_from: int
) -> tuple[tuple[Query, ...], tuple[Query, ...]]:
    """Return the queries that are scored, and those that expect nothing."""
    originals = [query for query in queries if not query.parent]
    return (
        tuple(query for query in originals if is_scorable(query, relevant_from)),
        tuple(query for query in originals if query.expect is Expect.NOTHING),
    )
