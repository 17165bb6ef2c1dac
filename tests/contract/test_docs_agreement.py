"""The page on judges names exactly the codes that the code knows."""

from reteval.contract.judge_errors import JudgeError
from tests.contract.test_docs import read_table


def test_judge_errors_table_names_every_code_in_order() -> None:
    """Each code has one row, in the order of the enum, that says whether to ask once more."""
    rows = read_table("agreement.md", "code")
    documented = {row["code"]: row["once more"] == "yes" for row in rows}
    assert list(documented) == list(JudgeError)
    assert documented == {code: code.repairable for code in JudgeError}
    assert all(row["what came"] for row in rows)
