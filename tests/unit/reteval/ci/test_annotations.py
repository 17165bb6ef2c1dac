"""Workflow commands: what becomes one, how many there are, and what cannot break out of one."""

import msgspec

from reteval.ci.annotations import annotate, notice
from reteval.contract.gates import RuleStatus
from tests.unit.reteval.ci.evaluations import an_evaluation, without_verdict
from tests.unit.reteval.decisions import a_rule, a_verdict
from tests.unit.reteval.documents import a_report


def test_broken_rules_are_errors_and_what_is_unsure_a_warning() -> None:
    """A passing rule is none; findings that warn are warnings with their fix."""
    verdict = a_verdict(
        rules=(
            a_rule(status=RuleStatus.PASS),
            a_rule(rule="a", message="b"),
            a_rule(rule="c", message="d", status=RuleStatus.INCONCLUSIVE),
        )
    )
    lines = annotate(an_evaluation(verdict=verdict), file="gate.yaml")
    assert lines[:2] == [
        "::error title=reteval,file=gate.yaml::a: b",
        "::warning title=reteval,file=gate.yaml::c: d",
    ]
    warned = [one for one in a_report().diagnostics if one.severity == "warn"]
    assert len(lines) == 2 + len(warned)


def test_no_verdict_is_one_error() -> None:
    """It says why, on one line."""
    assert annotate(without_verdict("a\nb")) == ["::error title=reteval::no verdict: a%0Ab"]


def test_most_of_a_kind_are_ten() -> None:
    """The tenth says how many are not shown."""
    results = msgspec.structs.replace(a_report(), diagnostics=())
    for count, last in ((10, "9: x"), (11, "and 2 more")):
        rules = tuple(a_rule(rule=str(number), message="x") for number in range(count))
        lines = annotate(an_evaluation(verdict=a_verdict(rules=rules), results=results))
        assert (len(lines), lines[-1]) == (10, f"::error title=reteval::{last}")


def test_text_cannot_become_a_command_or_a_property() -> None:
    """Line ends and per cents are escaped; in properties colons and commas, too."""
    assert notice("100 %\r\n::error::x") == "::notice title=reteval::100 %25%0D%0A::error::x"
    (line,) = annotate(without_verdict("x"), file="a,b:c.yaml")
    assert line == "::error title=reteval,file=a%2Cb%3Ac.yaml::no verdict: x"
