from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reteval.contract.choice import suite_fingerprint
from reteval.contract.kinds import SUITE
from reteval.contract.previews import Mark, Piece
from reteval.contract.runs import AdversarialRequest
from reteval.contract.testsets import Expect, Judgment, Query
from worker.adversarial.marking import MAX_COMPARED, mark_edits
from worker.adversarial.preview import name_queries, preview
from worker.adversarial.suite import build_suite


def test_a_preview_shows_what_a_run_would_send() -> None:
    """The same queries, seed and kinds give the same texts and edits."""
    queries = [
        Query(id=f"q{place}", query=text, relevant=[Judgment("d", 1)])
        for place, text in enumerate(("reset forgotten password", "delete the account", "the of"))
    ]
    request = AdversarialRequest(kinds=["typo.mixed", "short.k2", "negation"], seed=5)
    shown = preview(queries, request, "en")
    planned = build_suite(queries, request, relevant_from=1, language="en").requests
    made = [each for each in shown.variants if each.text is not None]
    assert [(each.query_id, each.kind, each.replicate, each.text, each.ops) for each in made] == [
        (each.query_id, each.kind, each.replicate, each.text, each.ops) for each in planned
    ]
    assert (shown.suite, shown.seed, shown.language) == (SUITE, 5, "en")
    assert shown.fingerprint == suite_fingerprint(request)


def test_what_does_not_apply_says_why() -> None:
    """No text, no pieces, but a reason."""
    (shown,) = preview(
        [Query(id="q", query="the of")], AdversarialRequest(kinds=["short.k1"])
    ).variants
    assert (shown.text, shown.pieces, shown.reason) == (None, (), "too_few_content_words")


def test_only_the_first_clean_queries_are_shown() -> None:
    """Fifty at most; hand-made variants and queries that expect nothing are none of them."""
    queries = [Query(id=f"q{place}", query=f"word number {place}") for place in range(60)]
    odd = [
        Query(id="v", query="wrod", parent="q1", kind="typo"),
        Query(id="n", query="weather", expect=Expect.NOTHING),
    ]
    request = AdversarialRequest(kinds=["case.upper"])
    shown = preview([*odd, *queries], request).variants
    assert [each.query_id for each in shown] == [query.id for query in queries[:50]]
    few = preview(queries, AdversarialRequest(kinds=["case.upper"], sample=2)).variants
    assert len(few) == 2


def test_an_unknown_kind_is_refused() -> None:
    """As in a run."""
    with pytest.raises(ValueError, match=r"typo\.none"):
        preview([], AdversarialRequest(kinds=["typo.none"]))


def test_attested_misspellings_are_shown_or_missing() -> None:
    """Either there is a list, or the reason says that there is none."""
    request = AdversarialRequest(kinds=["misspelling.attested"], severities=[1])
    shown = preview([Query(id="q", query="receive")], request).variants
    assert all(each.text or each.reason == "data_missing" for each in shown)


def test_texts_get_the_ids_of_an_upload() -> None:
    """`q_` and twelve digits of the text's SHA-256."""
    (query,) = name_queries(["abc"])
    assert query == Query(id="q_ba7816bf8f01", query="abc")


def test_edits_are_marked_inside_a_word_and_between_words() -> None:
    """Letters within a word, words within a query."""
    assert mark_edits("reset password", "reset pasword") == (
        Piece("reset pa", Mark.SAME),
        Piece("s", Mark.REMOVED),
        Piece("sword", Mark.SAME),
    )
    assert mark_edits("reset it", "please reset it") == (
        Piece("please ", Mark.ADDED),
        Piece("reset it", Mark.SAME),
    )
    assert mark_edits("same", "same") == (Piece("same", Mark.SAME),)


@given(original=st.text(max_size=40), variant=st.text(max_size=40))
def test_pieces_make_up_both_texts(original: str, variant: str) -> None:
    """Nothing is lost, and no mark follows itself."""
    pieces = mark_edits(original, variant)
    assert "".join(each.text for each in pieces if each.mark != Mark.ADDED) == original
    assert "".join(each.text for each in pieces if each.mark != Mark.REMOVED) == variant
    marks = [each.mark for each in pieces]
    assert all(one != two for one, two in pairwise(marks))


def test_a_very_long_change_is_marked_whole() -> None:
    """Comparing part by part would take too long."""
    long = "a b " * MAX_COMPARED
    assert mark_edits("a b", long) == (Piece("a b", Mark.REMOVED), Piece(long, Mark.ADDED))
