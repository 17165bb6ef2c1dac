"""Ids that never match: the search may be fine while every metric reads 0.

Likely causes are tried on a sample and named; no transformation is ever applied to a run.
"""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import chain, islice
from operator import itemgetter
from typing import Final

from reteval.contract.diagnostics import Diagnostic, DiagnosticCode, Severity
from worker.diagnosis.facts import MAX_EVIDENCE, RunFacts, count

_SAMPLE: Final = 200
_SHOWN_IDS: Final = 3
_JOINT: Final = re.compile(r"[\s/\\#:|_~@]+")
_NUMBER: Final = re.compile(r"[0-9]+")

_Ids = Collection[str]


def find_id_mismatch(facts: RunFacts) -> Diagnostic | None:
    """Find a run in which no returned id is a judged id of any query."""
    judged = set(chain.from_iterable(facts.judged))
    answered = [
        (query_id, outcome.ids, ids)
        for query_id, outcome, ids in zip(
            facts.query_ids, facts.outcomes, facts.judged, strict=True
        )
        if outcome.status.answered and outcome.ids and ids
    ]
    if not answered or not judged.isdisjoint(chain.from_iterable(ids for _, ids, _ in answered)):
        return None
    return Diagnostic(
        code=DiagnosticCode.ID_MISMATCH,
        severity=Severity.BLOCK,
        message=f"None of the ids in {count(len(answered), 'answer')} is among the "
        f"{count(len(judged), 'judged id')} of the test set. The metrics say nothing about the "
        "search until the ids agree.",
        fix=_explain(answered[:_SAMPLE]),
        evidence=tuple(
            {
                "query_id": query_id,
                "returned": list(islice(returned, _SHOWN_IDS)),
                "judged": list(islice(ids, _SHOWN_IDS)),
            }
            for query_id, returned, ids in answered[:MAX_EVIDENCE]
        ),
    )


def _explain(answered: Sequence[tuple[str, _Ids, _Ids]]) -> str:
    """Name the change of spelling after which most answers meet their judged ids, if any."""
    met, cause = max(
        (
            (sum(meet(returned, ids) for _, returned, ids in answered), cause)
            for cause, meet in _CAUSES
        ),
        key=itemgetter(0),
    )
    if met:
        return (
            f"Likely cause: {cause}. With that evened out, ids would meet in {met} of "
            f"{count(len(answered), 'answer')} looked at. Nothing was changed: correct the "
            "test set's ids, or the endpoint's id mapping."
        )
    return (
        "Compare the ids below. The usual causes: the id is read from the wrong field (set "
        '"id" in the endpoint, such as "document.key"), a prefix or suffix on one side (an '
        "index name, a chunk number), upper and lower case, numbers against strings, zero "
        "padding, or judgments made for another corpus."
    )


def _meet_spelled(respell: Callable[[str], str]) -> Callable[[_Ids, _Ids], bool]:
    def meet(returned: _Ids, judged: _Ids) -> bool:
        respelled = set(filter(None, map(respell, judged)))
        return not respelled.isdisjoint(map(respell, returned))

    return meet


def _meet_in_part(returned: _Ids, judged: _Ids) -> bool:
    """Whether a whole id of one side is a part of an id of the other."""
    return not (
        set(judged).isdisjoint(_parts(returned)) and set(returned).isdisjoint(_parts(judged))
    )


def _parts(ids: _Ids) -> Iterator[str]:
    return filter(None, chain.from_iterable(map(_JOINT.split, ids)))


def _strip_zeros(text: str) -> str:
    return text.lstrip("0") or text[-1:]


def _unquote(text: str) -> str:
    return text.strip("\"'").removesuffix(".0")


def _only_number(text: str) -> str:
    numbers = _NUMBER.findall(text)
    return _strip_zeros(numbers[0]) if len(numbers) == 1 else ""


_CAUSES: Final[tuple[tuple[str, Callable[[_Ids, _Ids], bool]], ...]] = (
    ("white space around the ids", _meet_spelled(str.strip)),
    ("upper and lower case", _meet_spelled(str.casefold)),
    ("numbers against strings, such as 42.0 or '42' against 42", _meet_spelled(_unquote)),
    ("zero padding", _meet_spelled(_strip_zeros)),
    ("a prefix or suffix on one side, such as a path or a chunk number", _meet_in_part),
    ("a prefix or suffix around the number on one side", _meet_spelled(_only_number)),
)
