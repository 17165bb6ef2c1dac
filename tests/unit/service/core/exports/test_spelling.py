from hypothesis import given
from hypothesis import strategies as st

from service.core.exports.spelling import encode_id, flatten


@given(st.text(), st.text())
def test_ids_stay_one_column_and_distinct(one: str, other: str) -> None:
    """No id breaks a line into more columns, and two ids are never written alike."""
    assert len(encode_id(one).split()) == 1
    assert (encode_id(one) == encode_id(other)) is (one == other)


def test_repeat_cannot_meet_a_document() -> None:
    """A document whose id looks like a repeat is written otherwise."""
    assert encode_id("a~dup2") == "a%7Edup2"


def test_text_is_brought_on_one_line() -> None:
    """Line breaks and runs of blanks become one blank, ends are trimmed."""
    assert flatten(" two\n\t lines\u2028here ") == "two lines here"
