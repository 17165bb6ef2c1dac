from worker.adversarial.draws import Draws
from worker.adversarial.length import keep_two_rarest
from worker.adversarial.variant import NotApplicable, Variant
from worker.adversarial.vocabulary import Vocabulary

VOCABULARY = Vocabulary.build(
    ["reset password", "reset account password", "delete account", "password"], language="de"
)


def shorten(query: str) -> Variant | NotApplicable:
    """Shorten a query; nothing is drawn, so the seed does not matter."""
    return keep_two_rarest(query, 1, Draws(0), VOCABULARY)


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
