"""The page on exports names every format and every loss, as the code has them."""

from reteval.contract.exports import Loss
from service.core.exports.registry import LAYOUTS
from tests.contract.test_docs import read_table, split_list


def test_formats_table_is_what_the_code_writes() -> None:
    """Each format has one row with its type, its ending and what it cannot hold."""
    documented = {
        row["format"]: (row["type"], row["file"], split_list(row["cannot hold"]))
        for row in read_table("exports.md", "format")
    }
    known = {
        name: (layout.media, layout.ending, tuple(loss for loss in Loss if loss in layout.losses))
        for name, layout in LAYOUTS.items()
    }
    assert documented == known
    assert list(documented) == list(known)


def test_losses_table_explains_each() -> None:
    """Each name of the header has one row, in the order in which names are told."""
    rows = read_table("exports.md", "lost")
    assert [row["lost"] for row in rows] == list(Loss)
    assert all(row["what it means"] for row in rows)
