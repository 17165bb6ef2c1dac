"""Profiles of ids: shapes, common ends and traits."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worker.diagnosis.ids.profile import (
    common_prefix,
    common_suffix,
    likely_prefixes,
    likely_suffixes,
    profile,
    shape,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("CACM-0756", "A-9999"), ("42#intro", "99#a"), ("", ""), ("x" * 90 + "1", "a9")],
)
def test_shape_shows_digits_and_letters(text: str, expected: str) -> None:
    """Each digit counts, a run of letters is one."""
    assert shape(text) == expected


def test_profile_describes_both_ends_and_traits() -> None:
    """What all ids share is said, and what some of them have."""
    found = profile(["docs/a-01.md", "docs/b-02.md", "docs/C%20-3.md"])
    assert found is not None
    assert (found.ids, found.prefix, found.suffix) == (3, "docs/", ".md")
    assert (found.shortest, found.longest) == (12, 14)
    assert found.traits["path"] == found.traits["extension"] == 3
    assert found.traits["percent_escapes"] == 1
    assert found.traits["zero_padded"] == 2
    assert "uuid" not in found.traits
    assert profile([]) is None


@pytest.mark.parametrize(
    ("text", "trait"),
    [
        (" a", "white_space"),
        ("42", "digits_only"),
        ("42.0", "decimal"),
        ("0f8fad5b-d9cb-469f-a165-70867728950e", "uuid"),
        ("0f8fad5bd9cb469fa16570867728950e", "hex"),
        ("aGVsbG8gd29ybGQx", "base64_like"),
        ("https://a.b/c", "url"),
        ("/a?b", "query_or_fragment"),
        ("/a/", "trailing_slash"),
        ("cafe\u0301", "not_nfc"),
    ],
)
def test_traits_are_seen(text: str, trait: str) -> None:
    """Each trait has an example."""
    found = profile([text])
    assert found is not None
    assert found.traits[trait] == 1


def test_common_ends_do_not_cut_numbers() -> None:
    """What `doc-10` and `doc-12` share is `doc-`, not `doc-1`."""
    assert common_prefix(["doc-10", "doc-12"]) == "doc-"
    assert common_suffix(["1-en", "21-en"]) == "-en"
    assert common_prefix(["doc-1"]) == common_prefix(["a", "a"]) == ""


@given(st.lists(st.text(), min_size=2, unique=True), st.text(max_size=5))
def test_common_prefix_is_one(ids: list[str], front: str) -> None:
    """Every id begins with the common prefix."""
    made = [front + text for text in ids]
    assert all(text.startswith(common_prefix(made)) for text in made)


def test_likely_ends_include_frequent_ones() -> None:
    """One id without the prefix does not hide it."""
    assert "kb:" in likely_prefixes(["kb:1", "kb:2", "kb:3", "4"])
    assert "#a" in likely_suffixes(["1#a", "2#a", "3#a", "4"])
    assert likely_prefixes(["1", "2"]) == []
