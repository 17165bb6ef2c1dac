"""What is asked the searcher for."""

from msgspec import structs

from reteval.contract.leaks import LeakKind
from reteval.contract.outcomes import REPEAT, Outcome, OutcomeStatus, PlannedRequest
from reteval.contract.testsets import Query
from tests.factories import query
from worker.jobs.sending import list_asks
from worker.pipeline.plan import build_plan


def test_requests_carry_the_fields_of_their_query() -> None:
    """A variant of a query has its fields, a user's variant its own if it has some."""
    clean = structs.replace(query("one"), fields={"lang": "pt"})
    mine = Query(id="v1", query="wan", parent=clean.id, kind="typo", fields={"lang": "de"})
    bare = Query(id="v2", query="eno", parent=clean.id, kind="typo")
    planned = build_plan([clean, mine, bare, query("two")], None, relevant_from=1)
    made = PlannedRequest(query_id=clean.id, text="onne", kind="typo.mixed", severity=1)
    far = PlannedRequest(query_id="far-1", text="moss", kind="out_of_corpus.far", generated=True)
    planned = structs.replace(planned, requests=(*planned.requests, made, far))
    asks = {
        ask.text: (ask.id, ask.fields) for ask in list_asks(planned.requests, planned.queries, "en")
    }
    assert asks == {
        "one": (clean.id, {"lang": "pt"}),
        "two": ("q-two", {}),
        "wan": ("v1", {"lang": "de"}),
        "eno": ("v2", {"lang": "pt"}),
        "onne": (clean.id, {"lang": "pt"}),
        "moss": ("far-1", {}),
    }


def test_only_queries_that_could_be_answered_after_all_are_compared() -> None:
    """Generated ones out of corpus, but for those with an invented word, and no other request."""
    planned = build_plan([query("one")], None, relevant_from=1)
    far, near, mine = (
        PlannedRequest(query_id=kind, text="moss on stones", kind=kind, generated=generated)
        for kind, generated in (
            ("out_of_corpus.far", True),
            ("out_of_corpus.near", True),
            ("out_of_corpus.mine", False),
        )
    )
    planned = structs.replace(planned, requests=(*planned.requests, far, near, mine))
    compares = {
        ask.id: ask.compare
        for ask in list_asks(planned.requests, planned.queries, "en")
        if ask.compare
    }
    assert list(compares) == ["out_of_corpus.far"]
    outcome = Outcome(status=OutcomeStatus.OK)
    noted = compares["out_of_corpus.far"](outcome, ["mossy stone", None, "moss"])
    assert noted == structs.replace(outcome, text_overlap=0.5)


def test_clean_queries_of_five_words_are_looked_for_in_texts() -> None:
    """Shorter ones may name a thing, and variants are not what anyone wrote."""
    text = "how to change the expiry"
    planned = [
        PlannedRequest(query_id="long", text=text),
        PlannedRequest(query_id="short", text="change the expiry now"),
        PlannedRequest(query_id="again", text=text, kind=REPEAT),
        PlannedRequest(query_id="typo", text=text, kind="typo.mixed", generated=True),
    ]
    (ask,) = [ask for ask in list_asks(planned, [], "en") if ask.compare]
    assert (ask.id, ask.compare is not None) == ("long", True)
    assert ask.compare is not None
    outcome = Outcome(status=OutcomeStatus.OK, ids=["a", "b", "c"])
    told = ask.compare(outcome, ["nothing", None, f"Guide. {text.title()}!"])
    assert (told.texts, told.ids) == (2, outcome.ids)
    assert told.lift is not None
    assert (told.lift.kind, told.lift.rank, told.lift.run) == (LeakKind.VERBATIM, 3, 5)
    assert ask.compare(outcome, ["nothing"]) == structs.replace(outcome, texts=1)
