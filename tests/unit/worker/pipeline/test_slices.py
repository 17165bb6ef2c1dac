"""The slices a query is in, and the bands of counts."""

import re

from hypothesis import given
from hypothesis import strategies as st

from reteval.contract.slices import BUILT_IN, LENGTHS, RELEVANT, SLICES, Bands, is_slice
from reteval.contract.testsets import Expect, Judgment, Query
from worker.pipeline.slices import name_slices


def test_bands_are_named_as_the_documentation_names_them() -> None:
    """Words and relevant documents, with an open end."""
    assert LENGTHS.names == ("1", "2-3", "4-6", "7-12", "13+")
    assert RELEVANT.names == ("1", "2-3", "4-9", "10+")
    assert BUILT_IN == 12


@given(st.integers(0, 40), st.sampled_from((LENGTHS, RELEVANT)))
def test_a_count_is_in_the_band_that_says_so(count: int, bands: Bands) -> None:
    """Each count from one on lies within the numbers of its band's name."""
    low, _, high = re.sub(r"\+$", "-99", bands.name(count)).partition("-")
    assert int(low) <= max(1, count) <= int(high or low)


def test_a_query_is_in_a_slice_of_each_kind_it_has() -> None:
    """Tags once each, split, source, length by words, relevant documents by the threshold."""
    judged = [Judgment(f"d{n}", n) for n in range(4)]
    query = Query(
        id="q",
        query="  how do  I ",
        relevant=judged,
        tags=["a", "b", "a"],
        split="tune",
        source="log",
    )
    assert name_slices(query, relevant_from=2, difficulty={"q": "hard", "p": "easy"}) == [
        "tag:a",
        "tag:b",
        "split:tune",
        "source:log",
        "length:2-3",
        "relevant:2-3",
        "difficulty:hard",
    ]
    assert all(is_slice(name) for name in name_slices(query, relevant_from=1))
    assert name_slices(Query(id="n", query="x", expect=Expect.NOTHING), relevant_from=1) == [
        "length:1"
    ]


def test_a_slice_has_a_kind_and_a_value() -> None:
    """Anything else is no slice, so that a filter by it is refused."""
    assert all(is_slice(f"{kind}:x") for kind in SLICES)
    assert not any(is_slice(text) for text in ("", "tag", "tag:", "colour:red", ":x"))
