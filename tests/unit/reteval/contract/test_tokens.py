"""The form of keys and share tokens."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reteval.contract.tokens import (
    ALPHABET,
    ID_CHARS,
    KEY,
    SECRET_CHARS,
    SHARE,
    Token,
    holds_token,
    read_token,
    spell_token,
)

IDS = st.text(ALPHABET, min_size=ID_CHARS, max_size=ID_CHARS)
SECRETS = st.text(ALPHABET, min_size=SECRET_CHARS, max_size=SECRET_CHARS)
WHOLE = spell_token(KEY, "i" * ID_CHARS, "s" * SECRET_CHARS)


@given(st.sampled_from([KEY, SHARE]), IDS, SECRETS)
def test_spelt_token_is_read(prefix: str, token_id: str, secret: str) -> None:
    """What is spelt is read, with prefix and id, and found inside other text."""
    token = spell_token(prefix, token_id, secret)
    assert read_token(token) == Token(prefix, token_id)
    assert holds_token(f"log line: {token}\n")


@given(st.integers(0, len(WHOLE) - 1), st.sampled_from(ALPHABET))
def test_one_wrong_character_is_noticed(place: int, letter: str) -> None:
    """The checksum finds every token with one character changed."""
    changed = WHOLE[:place] + letter + WHOLE[place + 1 :]
    assert (read_token(changed) is None) is (changed != WHOLE)


@given(st.text(max_size=120))
def test_any_text_is_read_or_refused(text: str) -> None:
    """Whatever is sent as a key, reading it raises nothing."""
    assert read_token(text) is None


@pytest.mark.parametrize("text", ["", WHOLE + "\n", " " + WHOLE, WHOLE[:-1], "run_" + "a" * 22])
def test_only_the_whole_text_is_a_token(text: str) -> None:
    """Neither a part nor something longer is one."""
    assert read_token(text) is None
