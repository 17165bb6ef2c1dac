import math

from hypothesis import given
from hypothesis import strategies as st

from reteval.contract.outcomes import FailureCode, Outcome, OutcomeStatus
from service.store.packing import Dictionary, pack_columns, pack_scores, unpack_columns

FLOATS = st.floats(width=32, allow_nan=False, allow_infinity=False)
RANKINGS = st.lists(st.tuples(st.text(max_size=5), FLOATS), max_size=6)


@st.composite
def outcomes(draw: st.DrawFn) -> Outcome:
    """Draw an outcome whose numbers fit the columns exactly."""
    ranking = draw(RANKINGS)
    return Outcome(
        status=draw(st.sampled_from(OutcomeStatus)),
        code=draw(st.none() | st.sampled_from(FailureCode)),
        detail=draw(st.text(max_size=10)),
        http_status=draw(st.none() | st.integers(100, 599)),
        attempts=draw(st.integers(0, 11)),
        latency_ms=draw(st.none() | FLOATS),
        returned=draw(st.integers(0, 5_000)),
        ids=[doc for doc, _ in ranking],
        scores=[score for _, score in ranking] if draw(st.booleans()) else None,
    )


@given(st.lists(outcomes(), max_size=8))
def test_columns_give_back_what_was_packed(rows: list[Outcome]) -> None:
    """Unpacking reverses packing for every outcome that there can be."""
    dictionary = Dictionary()
    columns = pack_columns(rows, dictionary)
    ids = dict(enumerate(dictionary.ids))
    assert rows == unpack_columns(columns, pack_scores(rows), ids)


def test_dictionary_holds_each_id_once() -> None:
    """A document met in many rankings is stored once for the whole run."""
    dictionary = Dictionary()
    row = Outcome(status=OutcomeStatus.OK, ids=["a", "b", "a"])
    pack_columns([row, row], dictionary)
    assert dictionary.ids == ["a", "b"]


def test_missing_latency_is_not_a_number_of_milliseconds() -> None:
    """No latency stays no latency; it does not become 0."""
    columns = pack_columns([Outcome(status=OutcomeStatus.SKIPPED)], Dictionary())
    assert unpack_columns(columns, b"", {})[0].latency_ms is None
    assert not math.isfinite(memoryview(columns.latency).cast("f")[0])
