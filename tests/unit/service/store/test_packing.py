import math

from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

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
        connect_ms=draw(st.none() | FLOATS),
        first_byte_ms=draw(st.none() | FLOATS),
        took_ms=draw(st.none() | FLOATS),
        total=draw(st.none() | st.integers(0, 2**53)),
        hits=draw(st.none() | st.integers(0, 20_000)),
        pages=draw(st.integers(0, 100)),
        text_overlap=draw(st.none() | FLOATS),
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


def test_columns_of_earlier_records_can_be_read() -> None:
    """A chunk without the later columns gives outcomes that know nothing of them."""
    row = Outcome(status=OutcomeStatus.OK, ids=["a"], returned=1, latency_ms=1.5)
    columns = structs.replace(pack_columns([row], Dictionary()), pages=b"")
    assert columns.connect == columns.took == columns.total == b""
    assert unpack_columns(columns, b"", {0: "a"}) == [row]
