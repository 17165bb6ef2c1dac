import csv
import io

from reteval.contract.outcomes import QueryRow
from service.core.exports.run_rows import write_csv


def test_rows_are_safe_cells() -> None:
    """Texts are disarmed, values and gaps are as they are, tags share a cell."""
    row = QueryRow(
        query_id="-1",
        query="=cmd()",
        status="failed",
        metrics={"mrr": 0.5, "map": None},
        tags=["@a", "b"],
    )
    (cells,) = csv.reader(io.StringIO(write_csv([row], ["mrr", "map"]), newline=""))
    assert cells == ["'-1", "'=cmd()", "failed", "", "0", "", "'@a;b", "0.5", ""]
