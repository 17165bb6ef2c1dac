from reteval.contract.adversarial import Changing
from reteval.contract.outcomes import Outcome, PlannedRequest
from reteval.contract.runs import AdversarialRequest
from tests.unit.worker.pipeline.answers import Endpoint, failed, hits, many, query, report_on, send

NEGATED = AdversarialRequest(seed=3, kinds=["control.repeat", "negation"])


def changing(
    endpoint: Endpoint, *, count: int = 8, request: AdversarialRequest = NEGATED
) -> Changing:
    """Report what negation did to the lists."""
    report = report_on(send(many(count), endpoint, request))
    assert report.kinds == ()
    (found,) = report.changing
    return found


def deaf(request: PlannedRequest) -> Outcome:
    """Return the same list whatever is asked not to be in it."""
    return hits(f"right-{request.query_id}", "other")


def attentive(request: PlannedRequest) -> Outcome:
    """Return another list when the question is another."""
    return hits("elsewhere") if request.kind == "negation" else deaf(request)


def test_a_list_that_does_not_move_is_insensitive() -> None:
    """The same page with and without the exclusion, exactly as like as the control's."""
    found = changing(deaf)
    assert (found.kind, found.needs, found.rbo, found.control_rbo) == ("negation", 8, 1.0, 1.0)
    assert found.verdict == "insensitive"


def test_a_list_that_moves_is_sensitive() -> None:
    """Nothing in common is well below what noise would leave."""
    found = changing(attentive)
    assert (found.rbo, found.ci, found.verdict) == (0.0, (0.0, 0.0), "sensitive")


def test_a_noisy_endpoint_is_held_against_its_own_noise() -> None:
    """Where the control moves as much, moving shows nothing."""
    turns = iter(range(1_000_000))
    found = changing(lambda _: hits(f"d{next(turns)}"))
    assert (found.rbo, found.control_rbo, found.verdict) == (0.0, 0.0, "insensitive")


def test_half_moved_lists_are_inconclusive() -> None:
    """An interval on both sides of the threshold proves neither."""

    def endpoint(request: PlannedRequest) -> Outcome:
        return attentive(request) if request.query_id in {"q1", "q2"} else deaf(request)

    assert changing(endpoint).verdict == "inconclusive"


def test_few_equal_needs_prove_nothing() -> None:
    """Two lists that stay are no evidence, and the reason says so."""
    found = changing(deaf, count=2)
    assert (found.verdict, found.ci, found.reason) == ("inconclusive", None, "too_few")


def test_without_a_control_the_clean_list_stands_for_itself() -> None:
    """Then the missing control is the reason of the null."""
    found = changing(deaf, request=AdversarialRequest(seed=3, kinds=["negation"]))
    assert (found.control_rbo, found.reason, found.verdict) == (
        None,
        "control_not_run",
        "insensitive",
    )


def test_unanswered_changes_are_not_run() -> None:
    """No pair, no overlap, and a reason."""
    found = changing(lambda each: failed() if each.kind == "negation" else deaf(each))
    assert (found.verdict, found.rbo, found.reason) == ("not_run", None, "no_answered_pair")
    report = report_on(send([query("q0", "the of and")], deaf, NEGATED))
    assert report.changing[0].verdict == "not_run"
