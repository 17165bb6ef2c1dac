"""The page on judges names exactly the codes and probes that the code knows."""

from reteval.contract.agreement import ProbeKind
from reteval.contract.judge_errors import JudgeError
from tests.contract.test_docs import read_table
from worker.judging.scorecard import SHARES, SHIFTS


def test_judge_errors_table_names_every_code_in_order() -> None:
    """Each code has one row, in the order of the enum, that says whether to ask once more."""
    rows = read_table("agreement.md", "code")
    documented = {row["code"]: row["once more"] == "yes" for row in rows}
    assert list(documented) == list(JudgeError)
    assert documented == {code: code.repairable for code in JudgeError}
    assert all(row["what came"] for row in rows)


def test_probes_table_has_every_kind_with_its_bound() -> None:
    """Each kind has one row, in the order of the enum, with the bound that exposes."""
    rows = read_table("agreement.md", "probe")
    assert [row["probe"] for row in rows] == list(ProbeKind)
    assert {row["probe"]: float(row["bound"]) for row in rows} == {**SHIFTS, **SHARES}
    assert all(row["what is asked"] and row["figure"] for row in rows)
