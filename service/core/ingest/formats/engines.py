"""Rating files of search engines' own tools: Rated Ranking Evaluator, Elasticsearch _rank_eval."""

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from service.core.ingest.formats.format import Format, Holds, Likeness, Opened, certain
from service.core.ingest.formats.rows import Asked, Misfit, Row, Vote
from service.core.ingest.formats.sample import Sample

_TREE: Final = ("topics", "query_groups", "queries")
_CLAUSES: Final = ("match", "match_phrase", "term", "multi_match", "query_string", "semantic")
_TEXT_NAMES: Final = ("query_string", "query", "q", "text", "value")


def _top(sample: Sample) -> dict[str, Any]:
    if not sample.is_json or sample.is_lines or not isinstance(sample.document, dict):
        return {}
    return dict(sample.document)


def _detect_rre(sample: Sample) -> Likeness | None:
    top = _top(sample)
    if "topics" in top or "query_groups" in top:
        return certain("it nests queries under topics and query_groups")
    first = sample.first_of("queries") if "queries" in top else {}
    if "relevant_documents" in first or "placeholders" in first:
        return certain("its queries have placeholders or relevant_documents")
    return None


def _read_rre(opened: Opened) -> Iterator[Row]:
    whole = msgspec.json.decode(msgspec.json.encode(opened.sample.document))
    yield from _walk(whole, "", Counter())


class Counter:
    """Numbers the groups of a tree in the order they stand in."""

    def __init__(self) -> None:
        self._last = 0

    def next(self) -> int:
        """The next number, from one."""
        self._last += 1
        return self._last


def _walk(node: Any, needs: str, numbers: Counter) -> Iterator[Row]:
    """Read a group of queries that share documents, or go on to those inside."""
    if not isinstance(node, dict):
        yield Misfit(numbers.next(), "bad_record", "the group is no object", _RRE_FIX)
        return
    about = node.get("description") or node.get("name")
    need = about if isinstance(about, str) else needs
    if "relevant_documents" in node:
        yield from _read_group(node, need, numbers.next())
        return
    inner = next((name for name in _TREE if isinstance(node.get(name), list)), None)
    if inner is None:
        yield Misfit(numbers.next(), "bad_record", "the group has no queries", _RRE_FIX)
        return
    for child in node[inner]:
        yield from _walk(child, need, numbers)


_RRE_FIX: Final = "Give each group queries and relevant_documents."


def _read_group(group: dict[str, Any], need: str, at: int) -> Iterator[Row]:
    texts = [text for query in _queries_of(group) if (text := _placeholder(query))]
    if not texts:
        yield Misfit(at, "not_a_query", f"group {at} has no query with a text", _RRE_FIX)
    votes = list(_gains(group["relevant_documents"], at))
    for text in texts:
        yield Asked("", text, at, need=need)
        for vote in votes:
            yield vote if isinstance(vote, Misfit) else vote._replace(text=text)


def _queries_of(group: dict[str, Any]) -> list[Any]:
    queries = group.get("queries", [group])
    return queries if isinstance(queries, list) else []


def _placeholder(query: Any) -> str:
    places = query.get("placeholders", query) if isinstance(query, dict) else query
    if isinstance(places, str):
        return places
    values = places.get("$query") if isinstance(places, dict) else None
    if values is None and isinstance(places, dict):
        values = next((value for name, value in places.items() if name.startswith("$")), None)
    return values if isinstance(values, str) else ""


def _gains(documents: Any, at: int) -> Iterator[Vote | Misfit]:
    """Read `{document: {gain}}`, or `{grade: [documents]}` as Quepid imports it."""
    if not isinstance(documents, dict):
        yield Misfit(at, "bad_record", "relevant_documents is no object", _RRE_FIX)
        return
    for name, value in documents.items():
        if isinstance(value, list):
            yield from (Vote("", "", str(one), name, at) for one in value)
        elif isinstance(value, dict) and isinstance(value.get("gain"), (int, float, str)):
            yield Vote("", "", name, value["gain"], at)
        else:
            message = f"document {name[:200]!r} has no gain"
            yield Misfit(at, "not_a_judgment", message, 'Write {"gain": 2}.')


def _detect_rank_eval(sample: Sample) -> Likeness | None:
    first = sample.first_of("requests") if "requests" in _top(sample) else {}
    if "ratings" not in first or not {"request", "template_id", "id"} & set(first):
        return None
    return certain("its requests have ratings")


def _read_rank_eval(opened: Opened) -> Iterator[Row]:
    opened.pointer = "/requests/{at}/ratings/{member}"
    raws = msgspec.json.decode(_top(opened.sample)["requests"], type=list[Any])
    for at, request in enumerate(raws, 1):
        text = find_text(request)
        if not text:
            fix = "Give the request an id, params, or a query with one text."
            yield Misfit(at, "not_a_query", "the request has no text and no id", fix)
            continue
        name = str(request.get("id", ""))
        yield Asked(name, text, at)
        ratings = request.get("ratings")
        for member, rating in enumerate(ratings if isinstance(ratings, list) else [], 1):
            if isinstance(rating, dict) and "_id" in rating and _is_grade(rating.get("rating")):
                yield Vote(name, text, str(rating["_id"]), rating["rating"], at, member)
            else:
                fix = "Give each rating an _id and a rating."
                yield Misfit(at, "not_a_judgment", "no rating of a document", fix, member)


def _is_grade(value: Any) -> bool:
    return isinstance(value, (int, float, str)) and not isinstance(value, bool)


def find_text(request: Any) -> str:
    """What a request asks for: a parameter, the text of a usual clause, or the request's id."""
    if not isinstance(request, dict):
        return ""
    params = request.get("params")
    if isinstance(params, dict):
        for name in _TEXT_NAMES:
            if isinstance(params.get(name), str):
                return str(params[name])
    inner = request.get("request")
    return _clause_text(inner.get("query") if isinstance(inner, dict) else None) or str(
        request.get("id", "")
    )


def _clause_text(query: Any) -> str:
    pending = [query]
    while pending:
        node = pending.pop(0)
        if isinstance(node, list):
            pending += node
        if not isinstance(node, dict):
            continue
        for name, value in node.items():
            if name in _CLAUSES:
                found = _leaf(value)
                if found:
                    return found
            pending.append(value)
    return ""


def _leaf(clause: Any) -> str:
    if isinstance(clause, str):
        return clause
    if not isinstance(clause, dict):
        return ""
    for name in _TEXT_NAMES:
        if isinstance(clause.get(name), str):
            return str(clause[name])
    return _leaf(next(iter(clause.values()), None)) if len(clause) == 1 else ""


FORMATS: Final = (
    Format(
        name="rre",
        holds=Holds.BOTH,
        about="Rated Ranking Evaluator's ratings with topics and query groups, and the form that "
        "Quepid exports or imports; queries of a group share its documents",
        example='{"topics": [{"query_groups": [{"name": "shoes", "queries": [{"placeholders": '
        '{"$query": "red shoes"}}], "relevant_documents": {"doc7": {"gain": 2}}}]}]}',
        detect=_detect_rre,
        read=_read_rre,
    ),
    Format(
        name="rank_eval",
        holds=Holds.BOTH,
        about="an Elasticsearch or OpenSearch _rank_eval request; an _index is not read",
        example='{"requests": [{"id": "q1", "request": {"query": {"match": {"text": '
        '"red shoes"}}}, "ratings": [{"_index": "i", "_id": "doc7", "rating": 2}]}]}',
        detect=_detect_rank_eval,
        read=_read_rank_eval,
    ),
)
