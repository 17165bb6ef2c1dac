"""Whether another list or field of the raw answers holds the ids that were judged."""

from collections.abc import Sequence
from typing import Any, Final

from msgspec import Struct, structs

from reteval.contract.endpoints import Endpoint
from reteval.contract.probes import FieldCandidate, ListCandidate, Suggestion
from worker.diagnosis.ids.advice import suggest
from worker.diagnosis.ids.candidates import Candidate, Field, find_candidates, list_fields
from worker.diagnosis.ids.lists import IdLists, Meeting, measure
from worker.diagnosis.ids.search import LEAST_GAIN, Found, find_rules, find_unchanged

DEFAULT_LISTS: Final = ("results", "hits", "documents", "data")
DEFAULT_IDS: Final = ("id", "_id", "doc_id")
_SHOWN_LISTS: Final = 5
_SHOWN_FIELDS: Final = 12
_SAMPLES: Final = 3
_SAMPLE_CHARS: Final = 80


class Asked(Struct, frozen=True, kw_only=True):
    """A query's judged ids beside its whole answer, and the ids that were read from it."""

    query_id: str
    judged: Sequence[str]
    answer: Any
    ids: Sequence[str]


class _Place(Struct, frozen=True, kw_only=True):
    # One field of one list over all answers.
    path: str
    field: str
    scalars: bool
    lists: IdLists
    sample: Field


def describe_lists(asked: Sequence[Asked]) -> tuple[ListCandidate, ...]:
    """Describe the lists of the answers, with the overlap of each field that may be the id."""
    shown: dict[str, ListCandidate] = {}
    index = _index(asked)
    for candidate in _merge(index):
        fields = [
            FieldCandidate(
                path=place.field,
                looks_like=place.sample.looks_like,
                samples=tuple(
                    str(value)[:_SAMPLE_CHARS] for value in place.sample.values[:_SAMPLES]
                ),
                **_overlap(place),
            )
            for place in _places(asked, index, candidate)[:_SHOWN_FIELDS]
        ]
        shown[candidate.path] = ListCandidate(
            path=candidate.path, length=len(candidate.entries), fields=tuple(fields)
        )
    return tuple(shown.values())[:_SHOWN_LISTS]


def suggest_fields(asked: Sequence[Asked], endpoint: Endpoint) -> list[Suggestion]:
    """Return changes of `hits` and `id` after which judged ids come back, best first."""
    before = measure(_current(asked))
    index = _index(asked)
    found: list[tuple[Meeting, float, Suggestion]] = []
    for candidate in _merge(index):
        for place in _places(asked, index, candidate):
            fields = _patch(place, endpoint)
            if fields and _may_be_ids(place):
                kept = (*find_unchanged(place.lists, before), *find_rules(place.lists, limit=1))
                found += [
                    (one.after, one.rule.cost, _suggest(one, before, fields))
                    for one in kept
                    if one.after.share >= before.share + LEAST_GAIN
                ]
    found.sort(key=lambda row: (not row[2].proven, -row[0].ids_met, row[1], str(row[2].patch)))
    return [suggestion for _, _, suggestion in found]


def _suggest(found: Found, before: Meeting, fields: dict[str, str]) -> Suggestion:
    """Suggest against what is read now, not against the field without its rule."""
    return suggest(structs.replace(found, before=before), fields=fields)


def suggest_mapping(asked: Sequence[Asked], endpoint: Endpoint) -> list[Suggestion]:
    """Return what looks like the hits where nothing is known about judged ids."""
    found = []
    index = _index(asked)
    for candidate in _merge(index):
        every = _places(asked, index, candidate)
        places = [one for one in every if one.sample.looks_like == "id"]
        fields = _patch(places[0], endpoint) if places else {}
        if fields:
            length = len(candidate.entries)
            found.append(
                Suggestion(
                    message=f"{candidate.path!r} is a list of {length}, and "
                    f"{places[0].field!r} looks like the id of its entries.",
                    patch={"endpoint": fields},
                    proven=False,
                )
            )
    return found


def _index(asked: Sequence[Asked]) -> list[dict[str, Candidate]]:
    """Return the candidates of each answer by path."""
    return [{found.path: found for found in find_candidates(one.answer)} for one in asked]


def _merge(index: Sequence[dict[str, Candidate]]) -> list[Candidate]:
    """Return each path once, from the first answer that has it."""
    found = {path: one for row in reversed(index) for path, one in row.items()}
    return sorted(found.values(), key=lambda one: (one.scalars, -len(one.entries)))


def _places(
    asked: Sequence[Asked], index: Sequence[dict[str, Candidate]], candidate: Candidate
) -> list[_Place]:
    fields = [_fields(row.get(candidate.path)) for row in index]
    samples = {path: field for row in reversed(fields) for path, field in row.items()}
    order = [path for row in fields for path in row]
    return [
        _Place(
            path=candidate.path,
            field=path,
            scalars=candidate.scalars,
            lists=_lists(asked, [row.get(path) for row in fields]),
            sample=samples[path],
        )
        for path in dict.fromkeys(order)
    ]


def _fields(candidate: Candidate | None) -> dict[str, Field]:
    if candidate is None:
        return {}
    if candidate.scalars:
        return {"@": Field(path="@", values=candidate.entries)}
    return {field.path: field for field in list_fields(candidate.entries)}


def _lists(asked: Sequence[Asked], fields: Sequence[Field | None]) -> IdLists:
    rows = [
        (one, [str(value) for value in field.values] if field and field.may_be_id else [])
        for one, field in zip(asked, fields, strict=True)
        if one.judged
    ]
    return IdLists(
        query_ids=[one.query_id for one, _ in rows],
        judged=[one.judged for one, _ in rows],
        returned=[ids for _, ids in rows],
    )


def _current(asked: Sequence[Asked]) -> IdLists:
    rows = [one for one in asked if one.judged]
    return IdLists(
        query_ids=[one.query_id for one in rows],
        judged=[one.judged for one in rows],
        returned=[one.ids for one in rows],
    )


def _may_be_ids(place: _Place) -> bool:
    return place.lists.n > 0 and any(place.lists.returned)


def _overlap(place: _Place) -> dict[str, Any]:
    return {"overlap": measure(place.lists).show()} if _may_be_ids(place) else {}


def _patch(place: _Place, endpoint: Endpoint) -> dict[str, str]:
    """Return what to set so that ids are read from here; empty where they are already."""
    if place.scalars:
        is_default = place.path in (*DEFAULT_LISTS, "@") and not (endpoint.hits or endpoint.ids)
        return {} if is_default or endpoint.ids == place.path else {"ids": place.path}
    fields = {}
    read_by_default = endpoint.hits is None and place.path in (*DEFAULT_LISTS, "@")
    if not read_by_default and endpoint.hits != place.path:
        fields["hits"] = place.path
    if endpoint.id != place.field:
        fields["id"] = place.field
    if set(fields) == {"id"} and endpoint.id is None and place.field == DEFAULT_IDS[0]:
        return {}
    return fields
