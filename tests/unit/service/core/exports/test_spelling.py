from hypothesis import given
from hypothesis import strategies as st

from reteval.contract.trec import encode_id
from service.core.exports.spelling import flatten, is_breaking


@given(st.text(), st.text())
def test_ids_stay_one_column_and_distinct(one: str, other: str) -> None:
    """No id breaks a line into more columns, and two ids are never written alike."""
    assert len(encode_id(one).split()) == 1
    assert (encode_id(one) == encode_id(other)) is (one == other)


@given(st.text(st.sampled_from("ab %~dup\n\u2028"), max_size=8))
def test_breaking_ids_are_those_that_are_encoded(text: str) -> None:
    """What is told of an id before it is written is what happens to it."""
    assert is_breaking(text) is (encode_id(text) != text)


def test_repeat_cannot_meet_a_document() -> None:
    """A document whose id looks like a repeat is written otherwise."""
    assert encode_id("a~dup2") == "a%7Edup2"


def test_text_is_brought_on_one_line() -> None:
    """Line breaks and runs of blanks become one blank, ends are trimmed."""
    assert flatten(" two\n\t lines\u2028here ") == "two lines here"
