"""The command that tries an endpoint out, and its report as text for people."""

from collections.abc import Iterator
from typing import Final

import msgspec
from msgspec import UNSET

from reteval.cli.arguments import probe_request, target_words
from reteval.cli.session import Exit, Session
from reteval.cli.tables import NOTHING, number
from reteval.contract.probes import (
    IdOverlap,
    IdProfile,
    ListCandidate,
    ProbeAnswer,
    ProbeReport,
    Suggestion,
)

_WIDTH: Final = 200
_FIELDS: Final = 6


def probe(session: Session) -> int:
    """Send a few queries and print what came back, and what would make ids meet."""
    options = session.options
    ended = session.client.probe(probe_request(options), timeout_s=options.wait_at_most)
    if options.json:
        session.print_json(ended)
    elif ended.report is None:
        session.print(f"{ended.id} {ended.status.value}: {ended.error or 'no reason given'}\n")
    else:
        session.print("\n".join(probe_lines(ended.report)) + "\n")
        if ended.report.overlap.overlap_q and not options.header:
            session.hint("run", *target_words(options), "--label", "baseline", "--wait")
    return Exit.DONE if ended.report is not None else Exit.RUN_FAILED


def probe_lines(report: ProbeReport) -> list[str]:
    """Return the whole report: each answer, then how ids meet, then what to change."""
    lines = []
    for place, answer in enumerate(report.answers):
        lines += [*_answer(answer, headers=place == 0), ""]
    lines.append(f"ids       {_overlap(report.overlap)}")
    lines += [_profile(name, side) for name, side in _sides(report)]
    if report.lookup is not None:
        known = report.lookup
        lines.append(
            f"lookup    {known.found} of {known.asked} judged ids exist, {known.missing} do not, "
            f"{known.failed} could not be asked for"
        )
    lines += [f"problem   {text}" for text in report.problems]
    for found in report.lists:
        lines += _list(found)
    for place, suggestion in enumerate(report.suggestions, start=1):
        lines += ["", *_suggestion(place, suggestion)]
    return lines


def _answer(answer: ProbeAnswer, *, headers: bool) -> Iterator[str]:
    yield f"query     {answer.query_id}: {' '.join(answer.query.split())}"
    if answer.request is not None:
        yield f"sent      {answer.request.method} {answer.request.url}"
        if headers:
            yield from (
                f"          {name}: {text}" for name, text in answer.request.headers.items()
            )
        if answer.request.body is not None:
            yield f"          {answer.request.body}"
    latency = "" if answer.latency_ms is None else f", {number(answer.latency_ms, 1)} ms"
    failure = f", {answer.code.value}: {answer.detail}" if answer.code else ""
    yield f"answer    {answer.status.value}, HTTP {answer.http_status or NOTHING}{latency}{failure}"
    if answer.answer:
        yield f"          {_cut(answer.answer)}"
    for hit in answer.hits:
        yield f"hit       {_cut(msgspec.json.encode(hit).decode())}"
    yield f"ids       {', '.join(answer.ids) or NOTHING}"
    if answer.judged:
        met = set(answer.judged_returned)
        marked = [f"{doc}{' (came back)' if doc in met else ''}" for doc in answer.judged]
        yield f"judged    {', '.join(marked)}"


def _overlap(overlap: IdOverlap) -> str:
    if overlap.overlap_q is None:
        return "nothing is judged for these queries"
    return (
        f"{number(overlap.overlap_q, 2)} of {overlap.answers} answers hold a judged id, "
        f"{number(overlap.overlap_id, 2)} of the judged ids came back; "
        f"by chance {number(overlap.chance, 2)}"
    )


def _sides(report: ProbeReport) -> list[tuple[str, IdProfile]]:
    sides = (("returned", report.returned), ("judged", report.judged))
    return [(name, side) for name, side in sides if side is not None]


def _profile(name: str, side: IdProfile) -> str:
    shapes = ", ".join(f"{shape} ({n})" for shape, n in side.shapes.items())
    return f"{name:<9} {side.ids} ids of {side.shortest} to {side.longest} characters: {shapes}"


def _list(found: ListCandidate) -> list[str]:
    lines = [f"list      {found.path} ({found.length})"]
    for field in found.fields[:_FIELDS]:
        overlap = (
            "" if field.overlap is UNSET else f", overlap {number(field.overlap.overlap_q, 2)}"
        )
        samples = ", ".join(map(repr, field.samples))
        lines.append(f"          {field.path}: {field.looks_like}{overlap}; {_cut(samples)}")
    return lines


def _suggestion(place: int, suggestion: Suggestion) -> list[str]:
    lines = [
        f"{place}. {suggestion.message}",
        f"   patch {msgspec.json.encode(suggestion.patch).decode()}",
    ]
    lines += [
        f"   {pair.returned} and {pair.judged} both become {pair.both_become}"
        for pair in suggestion.examples
    ]
    return lines


def _cut(text: str) -> str:
    return text if len(text) <= _WIDTH else f"{text[: _WIDTH - 1]}…"
