"""Ids of a run that do not meet: the search may be fine while every metric reads 0.

What would make them meet is searched for on a sample and named; nothing is ever applied to a run.
"""

from collections.abc import Callable
from itertools import islice
from typing import Any, Final

import msgspec

from reteval.contract.diagnostics import Diagnostic, DiagnosticCode, Severity
from reteval.contract.probes import IdPair, Suggestion
from worker.diagnosis.facts import MAX_EVIDENCE, SHOWN_IDS, Row, RunFacts, count
from worker.diagnosis.ids.advice import tell_fix
from worker.diagnosis.ids.diagnose import IdDiagnosis, State, diagnose_ids
from worker.diagnosis.ids.lists import IdLists, list_ids

_USUAL: Final = (
    "Compare the ids below, or let POST /v1/probes look at raw hits. The usual causes: the id is "
    'read from the wrong field (set "id" in the endpoint, such as "document.key"), a prefix or '
    "suffix on one side (an index name, a chunk number), upper and lower case, numbers against "
    "strings, zero padding, or judgments made for another corpus."
)


def find_id_trouble(facts: RunFacts) -> Diagnostic | None:
    """Find ids that never meet, seldom, in part, for other queries, or no more than by chance."""
    lists = _gather(facts)
    found = diagnose_ids(lists)
    report = _REPORTS.get(found.state)
    if report is None or (found.state is State.LOW and found.meeting.met == 0):
        return None
    return report(lists, found)


def _gather(facts: RunFacts) -> IdLists:
    rows = [
        (query.id, list(judged), outcome.ids)
        for query, outcome, judged in facts.judged_answers()
        if outcome.ids and judged
    ]
    return IdLists(
        query_ids=[row[0] for row in rows],
        judged=[row[1] for row in rows],
        returned=[row[2] for row in rows],
    )


def _report_apart(lists: IdLists, found: IdDiagnosis) -> Diagnostic:
    judged = list_ids(lists.judged)
    first = found.suggestions[0] if found.suggestions else None
    return Diagnostic(
        code=DiagnosticCode.ID_MISMATCH,
        severity=Severity.BLOCK,
        message=f"None of {count(lists.n, 'answer')} holds an id that is judged for its query, "
        f"of {count(len(judged), 'judged id')} in the test set. The metrics say nothing about "
        "the search until the ids agree.",
        fix=_advise(first) if first else _USUAL,
        evidence=_show_pairs(first) if first else _show_lists(lists),
        patch=first.patch if first else msgspec.UNSET,
    )


def _report_low(lists: IdLists, found: IdDiagnosis) -> Diagnostic:
    first = found.suggestions[0] if found.suggestions else None
    return Diagnostic(
        code=DiagnosticCode.LOW_OVERLAP,
        severity=Severity.WARN,
        message=f"Only {found.meeting.met} of {count(found.meeting.answers, 'answer')} looked at "
        "hold a judged id: the search is weak, or most ids are spelled in two ways.",
        fix=_advise(first)
        if first
        else "No respelling was found that helps. Look at the lists below: if returned documents "
        "are right and carry other ids, correct the mapping; else it is the search.",
        evidence=_show_pairs(first) if first else _show_lists(lists),
        patch=first.patch if first else msgspec.UNSET,
    )


def _report_chance(lists: IdLists, found: IdDiagnosis) -> Diagnostic:
    first = found.suggestions[0] if found.suggestions else None
    return Diagnostic(
        code=DiagnosticCode.NO_BETTER_THAN_CHANCE,
        severity=Severity.WARN,
        message="The answers fit their own queries no better than each other's "
        f"(p = {found.p:.2f} over {count(found.meeting.answers, 'answer')}, exchanged 200 times): "
        "ids may coincide without meaning the same documents.",
        fix=_advise(first)
        if first
        else "Numbers from 1 on match anything: check that an id names the same document on both "
        "sides, and that the query text reaches the endpoint.",
        evidence=_show_pairs(first) if first else _show_lists(lists),
        patch=first.patch if first else msgspec.UNSET,
    )


def _report_part(_lists: IdLists, found: IdDiagnosis) -> Diagnostic:
    first = found.suggestions[0]
    shown = ", ".join(map(repr, found.orphans[:SHOWN_IDS]))
    return Diagnostic(
        code=DiagnosticCode.PARTIAL_ID_MISMATCH,
        severity=Severity.WARN,
        message=f"{count(len(found.orphans), 'judged id')}, such as {shown}, "
        "are spelled as no returned id is and can never be found: every metric is too low.",
        fix=_advise(first),
        evidence=_show_pairs(first),
        patch=first.patch,
    )


def _report_swapped(lists: IdLists, found: IdDiagnosis) -> Diagnostic:
    return Diagnostic(
        code=DiagnosticCode.QUERIES_SWAPPED,
        severity=Severity.WARN,
        message=f"{found.strays} of {count(found.meeting.answers, 'answer')} hold documents that "
        "are judged for another query and none for their own: judgments seem to stand beside the "
        "wrong queries.",
        fix="Check which query ids the judgments refer to: ordinal numbers against ids, or rows "
        "that shifted when files were joined.",
        evidence=_show_lists(lists),
    )


_REPORTS: Final[dict[State, Callable[[IdLists, IdDiagnosis], Diagnostic]]] = {
    State.APART: _report_apart,
    State.LOW: _report_low,
    State.NO_BETTER_THAN_CHANCE: _report_chance,
    State.PARTLY_APART: _report_part,
    State.SWAPPED: _report_swapped,
}


def _advise(first: Suggestion) -> str:
    return f"{first.message} {tell_fix(first)}"


def _show_pairs(suggestion: Suggestion) -> tuple[Row, ...]:
    return tuple(_show_pair(pair) for pair in suggestion.examples[:MAX_EVIDENCE])


def _show_pair(pair: IdPair) -> dict[str, Any]:
    return {
        "query_id": pair.query_id,
        "returned": pair.returned,
        "judged": pair.judged,
        "both_become": pair.both_become,
    }


def _show_lists(lists: IdLists) -> tuple[Row, ...]:
    rows = zip(lists.query_ids, lists.returned, lists.judged, strict=True)
    return tuple(
        {
            "query_id": query_id,
            "returned": list(returned[:SHOWN_IDS]),
            "judged": list(judged[:SHOWN_IDS]),
        }
        for query_id, returned, judged in islice(rows, MAX_EVIDENCE)
    )
