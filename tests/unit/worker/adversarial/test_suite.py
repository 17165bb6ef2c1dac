from collections import Counter
from collections.abc import Sequence
from importlib.util import find_spec

from msgspec import structs

from reteval.contract.choice import choose
from reteval.contract.kinds import KINDS, PRESETS
from reteval.contract.runs import AdversarialRequest
from reteval.contract.testsets import Expect, Judgment, Query
from worker.adversarial.planning import KindPlan
from worker.adversarial.suite import Suite, build_suite, is_scorable

REQUEST = AdversarialRequest(seed=7)


def query(text: str, *, grade: int = 1, **fields: str) -> Query:
    """Return a query with one judgment, named by its text."""
    made = Query(id=fields.pop("id", text), query=text, relevant=[Judgment("d1", grade)])
    return structs.replace(made, **fields)


def build(
    queries: Sequence[Query], request: AdversarialRequest | None = REQUEST, *, language: str = "en"
) -> Suite:
    """Plan a suite with the usual threshold."""
    return build_suite(queries, request, relevant_from=1, language=language)


def of_kind(suite: Suite, kind: str) -> list[str]:
    """Texts planned of one kind."""
    return [request.text for request in suite.requests if request.kind == kind]


QUERIES = [
    query(f"{verb} the {noun} of my customer account")
    for verb in ("reset", "delete", "export", "rename", "archive")
    for noun in ("password", "invoice", "calendar", "workspace")
]


def test_the_plan_repeats_and_follows_the_seed() -> None:
    """Equal arguments give an equal plan; another seed gives other typos."""
    assert build(QUERIES) == build(QUERIES)
    other = build(QUERIES, AdversarialRequest(seed=8))
    assert of_kind(build(QUERIES), "typo.mixed") != of_kind(other, "typo.mixed")


def test_every_kind_is_made_of_every_sampled_query() -> None:
    """As often as the catalogue says for the severity: what is thinned is made less often."""
    request = AdversarialRequest(kinds=["control.repeat", "typo.mixed", "short.k2", "order.swap"])
    counts = Counter((made.kind, made.severity) for made in build(QUERIES, request).requests)
    assert counts == {
        ("control.repeat", 1): 20,
        ("typo.mixed", 1): 60,
        ("typo.mixed", 2): 60,
        ("typo.mixed", 3): 20,
        ("short.k2", 1): 20,
        ("order.swap", 1): 40,
    }


def test_no_more_is_planned_than_the_estimate_counts() -> None:
    """What a preset may send at most bounds what it does send."""
    for preset in PRESETS:
        request = AdversarialRequest(preset=preset, seed=3)
        planned = len(build(QUERIES, request).requests)
        assert 0.4 * choose(request).count_calls(20) < planned <= choose(request).count_calls(20)


def test_a_variant_says_what_it_was_made_from() -> None:
    """Original, edits, replicate and the mark that it was generated."""
    made = next(made for made in build(QUERIES).requests if made.kind == "typo.mixed")
    assert made.query_id == made.original == QUERIES[0].id
    assert len(made.ops) == 1
    assert made.generated
    assert made.text != made.original


def test_one_sample_serves_all_kinds_and_is_stable() -> None:
    """A query that is not in the sample can go without changing it."""
    request = AdversarialRequest(seed=1, sample=5)
    suite = build(QUERIES, request)
    assert len(suite.sampled) == 5
    assert suite.sampled_from == 20
    assert {
        made.query_id for made in suite.requests if made.generated and made.kind in KINDS
    } == set(suite.sampled)
    outsider = next(each for each in QUERIES if each.id not in suite.sampled)
    rest = [each for each in QUERIES if each is not outsider]
    assert build(rest, request).sampled == suite.sampled


def test_only_clean_scorable_queries_are_varied() -> None:
    """No variant of an unscorable query, of a query that expects nothing, or of a variant."""
    queries = [
        query("reset forgotten password"),
        query("unjudged question", grade=0),
        Query(id="none", query="weather in Lisbon", expect=Expect.NOTHING),
        query("pasword forgotten", parent="reset forgotten password", kind="hand"),
    ]
    suite = build(queries)
    assert suite.sampled == ("reset forgotten password",)
    assert suite.sampled_from == 1
    assert not is_scorable(queries[2], 1)


def test_without_a_request_only_the_users_variants_are_planned() -> None:
    """They are sent in any case, under their own id, numbered within their parent."""
    queries = [
        query("reset password", id="q1"),
        query("pasword reset", id="v1", parent="q1", kind="colleague"),
        query("RESET PASSWORD", id="v2", parent="q1", kind="colleague"),
    ]
    suite = build(queries, None)
    assert [
        (made.query_id, made.replicate, made.original, made.generated) for made in suite.requests
    ] == [("v1", 0, "reset password", False), ("v2", 1, "reset password", False)]
    assert suite.kinds == (
        KindPlan(kind="colleague", severity=1, source="user", not_applicable={}),
    )
    assert suite.sampled == ()


def test_a_users_variant_of_an_unscored_query_is_counted() -> None:
    """There is nothing to compare it with, so it is not sent, and the count says why."""
    queries = [
        query("no judgment", id="q1", grade=0),
        query("without judgment", id="v1", parent="q1", kind="colleague"),
    ]
    suite = build(queries, None)
    assert suite.requests == ()
    assert suite.kinds[0].not_applicable == {"parent_not_scored": 1}


def test_not_applicable_counts_queries_by_reason() -> None:
    """A query counts once however many replicates it failed, and the repeat always applies."""
    request = AdversarialRequest(kinds=["control.repeat", "typo.mixed", "short.k2"])
    suite = build([query("the of and to"), query("reset password")], request)
    reasons = {(kind.kind, kind.severity): kind.not_applicable for kind in suite.kinds}
    assert reasons == {
        ("control.repeat", 1): {},
        ("typo.mixed", 1): {"no_content_word": 1},
        ("typo.mixed", 2): {"no_content_word": 1},
        ("typo.mixed", 3): {"no_content_word": 1},
        ("short.k2", 1): {"too_few_content_words": 2},
    }


def test_a_variant_that_equals_another_query_is_not_sent() -> None:
    """The other query is a request of its own; case and spacing make no difference."""
    others = ["Forgotten  PASSWORD", "reset", "the reset"]
    request = AdversarialRequest(kinds=["short.k2"])
    suite = build([query(text) for text in ("forgotten password reset", *others)], request)
    assert of_kind(suite, "short.k2") == []
    short = next(kind for kind in suite.kinds if kind.kind == "short.k2")
    assert short.not_applicable == {"equals_other_query": 1, "too_few_content_words": 3}


def test_kinds_choose_the_tiers_too() -> None:
    """Without a tier among the kinds no out-of-corpus query is sent."""
    suite = build(QUERIES, AdversarialRequest(kinds=["typo.mixed", "out_of_corpus.gibberish"]))
    assert suite.dropped == {"gibberish": 0}
    assert not of_kind(suite, "out_of_corpus.far")


def test_caveats_are_said_in_words() -> None:
    """Dropped far queries and a missing word list are limits."""
    suite = build([query("lentil soup with onions")], language="it")
    assert suite.dropped["far"] >= 1
    assert any("far: " in limit for limit in suite.limits)
    assert any("'it'" in limit for limit in suite.limits)
    assert build(QUERIES, AdversarialRequest(preset="quick", kinds=["typo.mixed"])).limits == ()


def test_attested_misspellings_without_their_list_are_not_run() -> None:
    """Every query counts as not applicable, and a limit says what to install."""
    suite = build(QUERIES, AdversarialRequest(kinds=["misspelling.attested"], severities=[1]))
    if find_spec("codespell_lib") is not None:
        assert of_kind(suite, "misspelling.attested")
        return
    assert suite.requests == ()
    assert suite.kinds[0].not_applicable == {"data_missing": 20}
    assert any("codespell" in limit for limit in suite.limits)
