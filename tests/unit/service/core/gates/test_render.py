import re
from typing import Any
from xml.etree import ElementTree as ET

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reteval.contract.gates import (
    GateFormat,
    GateOutcome,
    GateReason,
    GateVerdict,
    RuleStatus,
)
from service.core.gates.render import RENDERERS
from service.core.gates.render_markdown import MARKER, MAX_CHARS
from tests.unit.reteval.decisions import a_gate_run, a_rule, a_verdict

HOSTILE = "</x>&\"'\x00\x1b[31m\u202e\ud800 `|*_[a](b)<img src=x onerror=y> @admin http://e.x\nz"


def render(verdict: GateVerdict, form: str) -> str:
    """Return a verdict in one form."""
    return RENDERERS[GateFormat(form)](verdict).decode()


def parse(document: str) -> ET.Element:
    """Read JUnit XML back."""
    return ET.fromstring(document)  # noqa: S314 - written by the code under test


def hostile(text: str) -> GateVerdict:
    """Return a verdict with a text in every place that users name."""
    return a_verdict(
        name=text,
        sentence=text,
        run=a_gate_run(label=text),
        rules=(a_rule(rule=text, message=text),),
    )


def test_json_is_the_verdict_itself() -> None:
    """The JSON form decodes to the same object."""
    assert msgspec.json.decode(render(a_verdict(), "json"), type=GateVerdict) == a_verdict()


def test_text_shows_every_rule_on_a_line() -> None:
    """Verdict and exit code first, then what was held to what."""
    assert render(a_verdict(), "text") == (
        "gate: FAIL (exit code 1)\n"
        "The gate fails.\n"
        "run       run_1 branch, completed, docs version 2\n"
        "baseline  run_0 main, completed, docs version 2\n"
        "compared  cmp_1\n"
        "\n"
        "PASS         the run has completed: it is completed (holds)\n"
        "FAIL         recall@5 is at least 0.9 (by point): 0.81 is below 0.9 "
        "[0.81 (0.74 .. 0.88), n 49] (below_floor)\n"
    )


def test_text_without_baseline_or_label() -> None:
    """What is not there takes no line."""
    text = render(
        a_verdict(baseline=None, comparisons=(), run=a_gate_run(label=""), rules=()), "text"
    )
    assert text.splitlines()[2:] == ["run       run_1, completed, docs version 2", ""]


def test_junit_has_a_suite_a_part_and_a_case_a_rule() -> None:
    """Counts add up, a broken rule is a failure, a missing number an error."""
    rules = (
        *a_verdict().rules,
        a_rule(pointer="/floors/1", status=RuleStatus.ERROR, reason=GateReason.NO_VALUE),
        a_rule(pointer="/block_on", status=RuleStatus.BLOCKED, observed=None, interval=None),
        a_rule(pointer="/min_queries", status=RuleStatus.INCONCLUSIVE),
    )
    root = parse(render(a_verdict(rules=rules), "junit"))
    assert (root.tag, root.get("tests"), root.get("failures"), root.get("errors")) == (
        "testsuites",
        "5",
        "3",
        "1",
    )
    assert [suite.get("name") for suite in root] == [
        "gate.run",
        "gate.floors",
        "gate.findings",
        "gate.queries",
    ]
    floors = root[1]
    properties = {p.get("name"): p.get("value") for p in floors.iter("property")}
    assert properties["run"] == "run_1"
    assert properties["baseline"] == "run_0"
    assert properties["exit_code"] == "1"
    cases = floors.findall("testcase")
    assert len(cases) == int(floors.get("tests") or 0) == 2
    failure = cases[0].find("failure")
    assert failure is not None
    assert (failure.get("type"), failure.get("message")) == ("below_floor", "0.81 is below 0.9")
    assert cases[1].find("error") is not None


def test_markdown_is_a_table_with_the_broken_rules_first() -> None:
    """The marker finds the comment again; passing rules come last and say no more than that."""
    lines = render(a_verdict(), "markdown").splitlines()
    assert lines[0] == MARKER
    assert lines[7] == (
        "| ❌ fail | recall@5 is at least 0.9 (by point) | 0.81 (0.74 .. 0.88) | 0.9 | 49 | "
        "0.81 is below 0.9 (below&#95;floor) |"
    )
    assert lines[8] == "| ✅ pass | the run has completed | - | - | - |  |"
    assert lines[-1] == "Baseline run&#95;0 (main), completed, docs version 2.  "


def test_markdown_fits_into_a_comment() -> None:
    """Rules beyond what a forge keeps are counted, not cut in the middle."""
    rules = tuple(a_rule(rule="x" * 600) for _ in range(100))
    text = render(a_verdict(rules=rules, baseline=None), "markdown")
    assert len(text) < MAX_CHARS + 2_000
    assert re.search(r"\| \d+ more rules \|", text)


def test_hostile_names_in_xml() -> None:
    """Markup is text, and what XML cannot hold is a visible mark."""
    root = parse(render(hostile(HOSTILE.replace("\ud800", "")), "junit"))
    name = root[0][1].get("name") or ""
    assert name.startswith("</x>&\"'\ufffd\ufffd[31m")


def test_hostile_names_in_markdown_and_text() -> None:
    """Nothing opens a tag, a cell, a link or a mention, and no line or screen is broken."""
    body = hostile(HOSTILE.replace("\ud800", ""))
    shown = render(body, "markdown").removeprefix(MARKER)
    assert not re.search(r"<|>|`|\]\(|[^;\w]@admin|http://|\x1b|\u202e", shown)
    rows = [line for line in shown.splitlines() if line.startswith("| ❌")]
    assert [row.count("|") for row in rows] == [7]
    text = render(body, "text")
    assert not re.search(r"\x1b|\x00|\u202e", text)
    assert len(text.splitlines()) == 7


@given(st.text(max_size=50))
def test_any_name_can_be_rendered(name: str) -> None:
    """Every form of every name can be written and, where it is XML, read back."""
    for form in GateFormat:
        RENDERERS[form](hostile(name))
    parse(render(hostile(name), "junit"))


@pytest.mark.parametrize("outcome", list(GateOutcome))
@pytest.mark.parametrize("form", list(GateFormat))
def test_every_form_says_the_same_verdict(form: GateFormat, outcome: GateOutcome) -> None:
    """The verdict's word is in each form."""
    shown: Any = render(a_verdict(verdict=outcome), form).lower()
    assert outcome in shown or outcome.replace("_", " ") in shown
