"""Plans over a split: its queries with their variants, and nothing else."""

from reteval.contract.runs import AdversarialRequest
from reteval.contract.testsets import Expect, Judgment, Query
from worker.pipeline.plan import (
    Origin,
    build_plan,
    choose_split,
    recall_plan,
    replay_plan,
    tell_decisions,
)

QUERIES = [
    Query(
        id=f"q{n}",
        query=f"reset the password of account {n}",
        relevant=[Judgment(f"d{n}", 1)],
        split="tune" if n % 2 else "holdout",
    )
    for n in range(6)
]
VARIANT = Query(
    id="v",
    query="rest the pasword",
    parent="q1",
    kind="typo",
    split="holdout",
    relevant=[Judgment("d1")],
)
NOTHING = Query(id="n", query="weather", expect=Expect.NOTHING, split="tune")
ALL = [VARIANT, *QUERIES, NOTHING]
ATTACK = AdversarialRequest(preset="quick")


def test_a_variant_is_where_its_query_is() -> None:
    """Whatever split it names itself."""
    assert [query.id for query in choose_split(ALL, "tune")] == ["v", "q1", "q3", "q5", "n"]
    assert [query.id for query in choose_split(ALL, "holdout")] == ["q0", "q2", "q4"]
    assert choose_split(ALL, "") is ALL


def test_a_plan_of_a_split_sends_its_queries_alone() -> None:
    """Clean queries, variants and later rounds are of the split; all queries are known."""
    plan = build_plan(ALL, ATTACK, relevant_from=1, rounds=2, split="tune")
    assert [query.id for query in (*plan.scorable, *plan.nothing)] == ["q1", "q3", "q5", "n"]
    sent = {
        request.query_id for request in plan.requests if request.query_id in {q.id for q in ALL}
    }
    assert sent <= {"v", "q1", "q3", "q5", "n"}
    assert "v" in sent
    assert plan.queries == ALL
    again = recall_plan(
        ALL,
        plan.requests,
        tell_decisions(plan),
        relevant_from=1,
        variants=len(plan.suite.requests),
        split="tune",
    )
    assert again == plan


def test_rescoring_a_split_takes_what_is_in_it() -> None:
    """Rankings of the whole set are replayed over one split, variants with their queries."""
    whole = build_plan(ALL, None, relevant_from=1)
    part = replay_plan(
        ALL,
        whole.requests,
        origin=Origin(queries=ALL, relevant_from=1),
        request=None,
        relevant_from=1,
        split="holdout",
    )
    assert [request.query_id for request in part.requests] == ["q0", "q2", "q4"]
    tune = build_plan(ALL, None, relevant_from=1, split="tune")
    wider = replay_plan(
        ALL,
        tune.requests,
        origin=Origin(queries=choose_split(ALL, "tune"), relevant_from=1),
        request=None,
        relevant_from=1,
    )
    assert len(wider.scorable) == 6
    assert "v" in {request.query_id for request in wider.requests}
