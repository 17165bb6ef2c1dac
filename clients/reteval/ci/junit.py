"""The verdict as JUnit XML: the service's own document, with a suite of queries where asked for."""

from typing import Final
from xml.etree.ElementTree import Element, SubElement, fromstring, indent, tostring

from reteval.ci.evaluation import Evaluation
from reteval.contract.gates import GateFormat, GateOutcome
from reteval.contract.outcomes import OutcomeStatus, QueryRow
from reteval.contract.texts import clean_xml

_TOP: Final = 10


def write_junit(evaluation: Evaluation, *, rows: int = 0) -> bytes:
    """Return the document; without a verdict, one case that is an error says why.

    Of the `rows` worst queries, those that found nothing are failures unless the gate passes: the
    file says no more than the verdict.
    """
    if evaluation.verdict is None:
        root = _write_trouble(evaluation)
    else:
        root = fromstring(evaluation.forms[GateFormat.JUNIT])  # noqa: S314 - from our own service
        if rows:
            _add_queries(root, evaluation, rows)
    indent(root)
    text: str = tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n'.encode()


def _write_trouble(evaluation: Evaluation) -> Element:
    counts = _counts(1, 0, 1)
    root = Element("testsuites", counts, name="reteval")
    suite = SubElement(root, "testsuite", counts, name="reteval")
    case = SubElement(suite, "testcase", name="verdict", classname="reteval", time="0")
    broken = SubElement(case, "error", message="no verdict", type="no_verdict")
    broken.text = clean_xml(evaluation.trouble)
    return root


def _add_queries(root: Element, evaluation: Evaluation, rows: int) -> None:
    shown = evaluation.worst[:rows]
    passes = evaluation.outcome == GateOutcome.PASS.value
    broken = [] if passes else [row for row in shown if _found_nothing(row, evaluation.primary)]
    counts = _counts(len(shown), len(broken), 0)
    name = f"{root.get('name', '')}.queries"
    suite = SubElement(root, "testsuite", counts, name=name)
    suite.set("time", f"{sum(map(_seconds, shown)):.3f}")
    if (known := root.find("testsuite/properties")) is not None:
        suite.append(known)
    for row in shown:
        title = clean_xml(f"{row.query_id}: {row.query}")
        time = f"{_seconds(row):.3f}"
        case = SubElement(suite, "testcase", name=title, classname=name, time=time)
        tag = SubElement(case, "system-out")
        if row in broken:
            case.remove(tag)
            message = clean_xml(f"{evaluation.primary} {row.metrics.get(evaluation.primary)}")
            tag = SubElement(case, "failure", message=message, type=row.reason or row.status)
        found = evaluation.rankings.get(row.query_id, [])[:_TOP]
        tag.text = clean_xml("found: " + (", ".join(found) or "nothing"))
    for attribute in ("tests", "failures"):
        root.set(attribute, str(int(root.get(attribute, "0")) + int(counts[attribute])))


def _found_nothing(row: QueryRow, primary: str) -> bool:
    return not row.metrics.get(primary) or not OutcomeStatus(row.status).answered


def _seconds(row: QueryRow) -> float:
    return (row.latency_ms or 0.0) / 1_000


def _counts(tests: int, failures: int, errors: int) -> dict[str, str]:
    return {
        "tests": str(tests),
        "failures": str(failures),
        "errors": str(errors),
        "skipped": "0",
        "time": "0",
    }
