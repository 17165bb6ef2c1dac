"""Tables of rows that share a file."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from worker.pipeline.spool import BLOCK, IN_MEMORY_BYTES, Spool, Table

ROW = np.dtype([("place", np.uint32), ("value", np.float64)])


def rows(start: int, count: int) -> np.ndarray:
    """Return rows that can be told apart."""
    made = np.empty(count, dtype=ROW)
    made["place"] = np.arange(start, start + count)
    made["value"] = made["place"] / 7
    return made


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 2 * BLOCK)), max_size=12))
def test_tables_give_back_their_own_rows_in_order(parts: list[tuple[int, int]]) -> None:
    """However rows of several tables come in turn; whole, and a block at a time."""
    spool = Spool()
    tables, whole = [Table(spool, ROW), Table(spool, ROW)], [rows(0, 0), rows(0, 0)]
    for start, (which, count) in enumerate(parts):
        added = rows(start * 10_000, count)
        tables[which].append(added)
        whole[which] = np.concatenate([whole[which], added])
    for table, expected in zip(tables, whole, strict=True):
        assert table.read().tobytes() == expected.tobytes()
        assert b"".join(block.tobytes() for block in table.blocks()) == expected.tobytes()


def test_more_than_memory_is_for_goes_to_disk() -> None:
    """Rows beyond the bound are read back as those below it."""
    table = Table(Spool(), ROW)
    count = 2 * IN_MEMORY_BYTES // ROW.itemsize
    for start in range(0, count, 1_000):
        table.append(rows(start, 1_000))
    assert (np.diff(table.read()["place"]) == 1).all()
