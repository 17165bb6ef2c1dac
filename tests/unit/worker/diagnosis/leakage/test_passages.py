"""Queries beside texts: the figures that were measured, and their classes."""

import pytest

from reteval.contract.leaks import LeakKind
from worker.diagnosis.leakage.passages import Passage, find_lift, measure_overlap
from worker.diagnosis.leakage.wording import normalise

TEXT = (
    "Session tokens are valid for one hour. To change how long a token stays valid set the expiry "
    "option before you start the server. Expired tokens are refused with status 401, and clients "
    "have to sign in again."
)
SENTENCE = "To change how long a token stays valid set the expiry option"
CASES = [
    ("verbatim sentence", f"{SENTENCE} before", (13, 13, 1.00, 1.00), LeakKind.VERBATIM),
    (
        "wrapped as a question",
        "Could you set the expiry option before you start the server with token valid?",
        (9, 14, 0.58, 0.93),
        LeakKind.VERBATIM,
    ),
    (
        "question of a model",
        "What should I do so that my token remains valid for longer than one hour?",
        (2, 15, 0.00, 0.33),
        None,
    ),
    (
        "words of a user",
        "i keep getting logged out way too soon please help me",
        (0, 11, 0.0, 0.0),
        None,
    ),
    ("keywords", "jwt expiry setting", (1, 3, 0.0, 0.33), None),
    ("rows of three", "token stays valid and set the expiry here", (3, 8, 0.33, 0.88), None),
    (
        "half of its rows",
        "how long a token lives set the expiry option now",
        (4, 10, 0.5, 0.8),
        LeakKind.LIFTED,
    ),
    (
        "all of its words",
        "valid server tokens before status option",
        (1, 6, 0.0, 1.0),
        LeakKind.LIFTED,
    ),
    ("most of a short one", "why set the expiry option", (4, 5, 0.67, 0.8), LeakKind.VERBATIM),
    ("a title", "Session tokens are valid", (4, 4, 1.0, 1.0), None),
]


@pytest.mark.parametrize(("name", "query", "figures", "kind"), CASES)
def test_labelled_queries_are_told_as_they_are(
    name: str, query: str, figures: tuple[int, int, float, float], kind: LeakKind | None
) -> None:
    """Longest row and length, containment of rows of three words, recall of words; the class."""
    overlap = measure_overlap(normalise(query).split(), Passage.read(TEXT))
    measured = (overlap.run, overlap.length, overlap.containment, overlap.recall)
    assert measured == pytest.approx(figures, abs=0.006), name
    assert overlap.kind is kind


def test_the_gravest_hit_is_kept() -> None:
    """With its rank, and the part of its text that shows the copy; the rest is not kept."""
    words = normalise(SENTENCE).split()
    filler = "nothing to see here. " * 200
    texts = [
        None,
        "",
        filler,
        "valid token to set how long the option expiry stays change a",
        filler + TEXT,
    ]
    lift = find_lift(words, texts)
    assert lift is not None
    assert (lift.kind, lift.rank, lift.run, lift.length) == (LeakKind.VERBATIM, 5, 12, 12)
    assert "how long a token stays valid" in lift.excerpt
    assert len(lift.excerpt) <= 240
    assert find_lift(words, [filler]) is None
    odd = find_lift(words, [f"\x1b[31m{SENTENCE}\x00 before"])
    assert odd is not None
    assert odd.excerpt == f"[31m{SENTENCE} before"
    weaker = find_lift(words, texts[:4])
    assert weaker is not None
    assert (weaker.kind, weaker.rank) == (LeakKind.LIFTED, 4)


def test_only_the_beginning_of_a_text_is_read() -> None:
    """What stands after twenty thousand characters is not found."""
    words = normalise(SENTENCE).split()
    assert find_lift(words, ["x " * 10_000 + SENTENCE]) is None
    assert find_lift(words, ["x " * 9_000 + SENTENCE]) is not None
