import math

from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from reteval.contract.leaks import LeakKind, Lift
from reteval.contract.outcomes import FailureCode, Outcome, OutcomeStatus
from service.store.packing import Dictionary, pack_columns, pack_scores, unpack_columns

WIDTHS = {
    **dict.fromkeys(("http", "attempts", "pages"), 2),
    **dict.fromkeys(("latency", "returned", "length", "docs"), 4),
    **dict.fromkeys(("connect", "first_byte", "took", "overlap"), 4),
    **dict.fromkeys(("total", "hits"), 8),
}
FLOATS = st.floats(width=32, allow_nan=False, allow_infinity=False)
RANKINGS = st.lists(st.tuples(st.text(max_size=5), FLOATS), max_size=6)
LIFTS = st.builds(
    Lift,
    kind=st.sampled_from([LeakKind.VERBATIM, LeakKind.LIFTED]),
    run=st.integers(0, 900),
    length=st.integers(1, 900),
    containment=st.floats(0, 1),
    recall=st.floats(0, 1),
    excerpt=st.text(max_size=9),
    rank=st.integers(1, 3),
)


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
        texts=draw(st.integers(0, 3)),
        lift=draw(st.none() | LIFTS),
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


@given(st.lists(outcomes(), max_size=8))
def test_records_with_interleaved_numbers_can_be_read(rows: list[Outcome]) -> None:
    """A chunk from before the bytes of a column were parted gives the same outcomes."""
    dictionary = Dictionary()
    columns = pack_columns(rows, dictionary)
    earlier = structs.replace(
        columns,
        planes=False,
        **{name: interleave(getattr(columns, name), width) for name, width in WIDTHS.items()},
    )
    assert rows == unpack_columns(earlier, pack_scores(rows), dictionary.ids)


def interleave(planes: bytes, width: int) -> bytes:
    """Return the numbers of a column one after the other."""
    count = len(planes) // width
    parts = (planes[start : start + count] for start in range(0, len(planes), count or 1))
    return bytes(byte for number in zip(*parts, strict=True) for byte in number)
