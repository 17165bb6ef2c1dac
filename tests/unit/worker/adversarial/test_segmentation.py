from tests.unit.worker.adversarial.subjects import ENGLISH, reason_of, texts_of


def test_a_split_leaves_three_letters_on_each_side() -> None:
    """Words shorter than six letters have no place for it."""
    assert texts_of("segment.split", "invoice form") == {"inv oice form", "invo ice form"}
    assert texts_of("segment.split", "bridge fountain", 2) <= {
        f"bri dge {text}" for text in ("fou ntain", "foun tain", "fount ain")
    }
    assert reason_of("segment.split", "form") == "no_long_word"
    assert reason_of("segment.split", "the") == "no_content_word"


def test_a_merge_joins_two_neighbours() -> None:
    """One carries content; never into a word, over punctuation, or with a single letter."""
    assert texts_of("segment.merge", "reset the password now") == {
        "resetthe password now",
        "reset thepassword now",
        "reset the passwordnow",
    }
    assert not ENGLISH.is_word("resetthe")
    for text in ("in to", "note book", "reset, password", "a password", "reset  password", "go 42"):
        assert reason_of("segment.merge", text) == "no_word_pair"


def test_two_merges_take_no_word_twice() -> None:
    """Four words make two pairs; three do not."""
    assert texts_of("segment.merge", "reset lost forgotten password", 2) == {
        "resetlost forgottenpassword"
    }
    assert reason_of("segment.merge", "reset the password", 2) == "too_few_word_pairs"
