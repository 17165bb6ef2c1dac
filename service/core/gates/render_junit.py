"""A verdict as JUnit XML: a suite for each part of the gate, a case for each rule."""

from collections.abc import Iterable
from itertools import groupby
from typing import Final
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from reteval.contract.gates import GateVerdict, RuleResult, RuleStatus
from reteval.contract.texts import clean_xml
from service.core.gates.numbers import show_observed

_SUITES: Final = {"block_on": "findings", "min_queries": "queries"}


def render_junit(verdict: GateVerdict) -> bytes:
    """Write the document; characters that XML cannot hold become a visible mark."""
    root = Element("testsuites", _counts(verdict.rules), name=clean_xml(verdict.name))
    for name, members in groupby(verdict.rules, key=_suite_of):
        rules = list(members)
        suite = SubElement(
            root, "testsuite", _counts(rules), name=f"{clean_xml(verdict.name)}.{name}"
        )
        suite.set("timestamp", verdict.run.timestamp)
        _add_properties(suite, verdict)
        for rule in rules:
            _add_case(suite, rule, classname=suite.get("name", ""))
    indent(root)
    text: str = tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n'.encode()


def _suite_of(rule: RuleResult) -> str:
    part = rule.pointer.split("/")[1]
    return _SUITES.get(part, part)


def _counts(rules: Iterable[RuleResult]) -> dict[str, str]:
    statuses = [rule.status for rule in rules]
    errors = statuses.count(RuleStatus.ERROR)
    passed = statuses.count(RuleStatus.PASS)
    return {
        "tests": str(len(statuses)),
        "failures": str(len(statuses) - errors - passed),
        "errors": str(errors),
        "skipped": "0",
        "time": "0",
    }


def _add_properties(suite: Element, verdict: GateVerdict) -> None:
    values = {
        "verdict": verdict.verdict,
        "exit_code": str(verdict.exit_code),
        "run": verdict.run.id,
        "label": verdict.run.label,
        "test_set": verdict.run.test_set.hash,
        "baseline": verdict.baseline.id if verdict.baseline else "",
        "comparisons": " ".join(verdict.comparisons),
    }
    properties = SubElement(suite, "properties")
    for name, value in values.items():
        SubElement(properties, "property", name=name, value=clean_xml(value))


def _add_case(suite: Element, rule: RuleResult, *, classname: str) -> None:
    case = SubElement(suite, "testcase", name=clean_xml(rule.rule), classname=classname, time="0")
    if rule.status is not RuleStatus.PASS:
        tag = "error" if rule.status is RuleStatus.ERROR else "failure"
        broken = SubElement(case, tag, message=clean_xml(rule.message), type=rule.reason.value)
        broken.text = clean_xml(
            f"{rule.status} at {rule.pointer}: observed {show_observed(rule)}, n {rule.n}"
        )
