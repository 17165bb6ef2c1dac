import pytest

from tests.unit.worker.adversarial.subjects import of_language, reason_of, text_of, texts_of, vary
from worker.adversarial.variant import Made, NotApplicable, Variant
from worker.adversarial.vocabulary import Vocabulary

VOCABULARY = Vocabulary.build(
    ["reset password", "reset account password", "delete account", "password"], language="en"
)


def shorten(query: str) -> Made:
    """Shorten a query; nothing is drawn, so the seed does not matter."""
    return vary("short.k2", query, known=VOCABULARY)


def test_the_two_rarest_words_stay_in_order() -> None:
    """`delete` and `account` are in fewer queries than `password`; case stays."""
    assert shorten("password: how to Delete the account") == Variant(
        text="Delete account", ops=("keep 17: Delete", "keep 28: account")
    )


def test_of_equally_rare_words_the_longer_then_the_earlier_stays() -> None:
    """None of these is in the set: length decides, then place."""
    assert shorten("tree forest cabin house") == Variant(
        text="forest cabin", ops=("keep 5: forest", "keep 12: cabin")
    )


def test_a_short_query_is_not_applicable() -> None:
    """Two distinct content words or fewer leave nothing to drop."""
    assert shorten("password") == NotApplicable("too_few_content_words")
    assert shorten("reset the password Reset") == NotApplicable("too_few_content_words")


@pytest.mark.parametrize(
    ("kind", "text"),
    [("short.k1", "today"), ("short.k2", "Delete today"), ("short.k3", "Delete account today")],
)
def test_k_words_stay(kind: str, text: str) -> None:
    """The kind's name says how many: rarest first, as the set has them."""
    assert text_of(kind, "password: Delete the account today", known=VOCABULARY) == text


def test_a_prefix_ends_in_the_second_word() -> None:
    """As typed so far: three letters of it."""
    assert text_of("short.prefix", "How do I reset a forgotten password?") == "How do I reset a for"
    assert reason_of("short.prefix", "reset it") == "too_few_content_words"


def test_one_content_word_of_three_is_dropped() -> None:
    """Wherever it stands, with its space; two words are too few to drop one."""
    assert texts_of("drop.content", "reset the forgotten password") == {
        "the forgotten password",
        "reset the password",
        "reset the forgotten",
    }
    assert "some or password password, order" in texts_of(
        "drop.content", "some list or password password, list order"
    )
    assert reason_of("drop.content", "the password reset password") == "too_few_content_words"


@pytest.mark.parametrize(("severity", "words"), [(1, 600), (2, 2_000)])
def test_a_preamble_stands_before_the_query(severity: int, words: int) -> None:
    """So many words of neutral sentences at least, then the query as it was."""
    text = text_of("length.preamble", "reset password", severity)
    assert text.endswith(" reset password")
    assert words <= len(text.split()) - 2 < words + 150


def test_a_preamble_needs_a_known_language() -> None:
    """No sentences of an unlisted language, and none around another script."""
    assert reason_of("length.preamble", "password", known=of_language("it")) == "language"
    assert reason_of("length.preamble", "\u043f\u0430\u0440\u043e\u043b\u044c") == "script"


def test_a_repeated_query_says_no_more() -> None:
    """Twenty times over; neither nothing nor a whole page is repeated."""
    assert text_of("length.repeat", "reset it").split() == ["reset", "it"] * 20
    assert reason_of("length.repeat", "  ") == "no_word"
    assert reason_of("length.repeat", "word " * 1_000) == "too_long"
