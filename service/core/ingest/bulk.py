"""Takes many queries in one sweep where none of them is odd, as is so in nearly every upload.

Its tests are sufficient, not necessary, and look at all queries together: what passes breaks no
rule. What does not pass may be sound all the same; it is left to the rules themselves, which look
at one query at a time and say what is wrong and where.
"""

from collections.abc import Iterable, Sequence
from itertools import chain
from operator import attrgetter, ne
from typing import Final, cast

from msgspec import UNSET, Struct

from reteval.contract import limits
from reteval.contract.testsets import DocId, Judgment, Query, TestSetHead
from service.core.ingest.labels import LABELS
from service.core.ingest.located import Located
from service.core.ingest.normal import normalise

Grades = dict[str, int]
"""The grades of a query by document."""

_JUDGMENTS: Final = frozenset({"relevant", "relevant_ids", "grades", "expect"})
_HANDLED: Final = _JUDGMENTS | {"id", "source", "cluster_id", "query", "split", "tags"}
_ODD: Final = tuple(attrgetter(name) for name in Query.__struct_fields__ if name not in _HANDLED)
"""What makes a query odd: that it is a variant, has fields, or what the contract gets yet."""
_LABELS: Final = tuple((attrgetter(name), most) for name, most in LABELS if name in _HANDLED)


class Plain(Struct, frozen=True, gc=False):
    """Queries as stored, none of which breaks a rule by itself, their grades, and all tags."""

    queries: list[Query]
    grades: list[Grades]
    tags: list[str]


def find_plain(items: Sequence[Located], head: TestSetHead) -> Plain | None:
    """Normalise queries; None if one may be odd. What was sent stays as it is."""
    sent = [item.query for item in items]
    if any(any(map(field, sent)) for field in _ODD) or not _are_sound(sent):
        return None
    grades = _read_grades(sent)
    if grades is None or not _are_judged(sent, grades, head):
        return None
    relevant = [list(map(Judgment, one, one.values())) for one in grades]
    queries = list(map(normalise, sent, relevant))
    return Plain(queries, grades, [tag for query in queries if query.tags for tag in query.tags])


def _are_sound(sent: Sequence[Query]) -> bool:
    # Texts, labels and tags.
    texts = [query.query for query in sent]
    together = "".join(texts)
    if "\x00" in together or not _fit(texts, together, limits.MAX_QUERY_BYTES):
        return False
    tagged = [query.tags for query in sent if query.tags]
    tags = list(chain.from_iterable(tagged))
    return (
        all(_are_labels(list(map(label, sent)), most) for label, most in _LABELS)
        and _are_labels(tags, limits.MAX_NAME_BYTES)
        and all(tags)
        and max(map(len, tagged), default=0) <= limits.MAX_TAGS
    )


def _are_judged(sent: Sequence[Query], grades: Sequence[Grades], head: TestSetHead) -> bool:
    documents = list(chain.from_iterable(grades))
    found = set(chain.from_iterable(map(dict.values, grades)))
    if not (
        all(documents)
        and _are_labels(documents, limits.MAX_ID_BYTES)
        and min(found, default=1) >= limits.MIN_GRADE
        and max(found, default=1) <= head.scale.max
        and max(map(len, grades)) <= limits.MAX_JUDGMENTS_PER_QUERY
    ):
        return False
    expecting = [query.expect is not None for query in sent]
    return all(map(ne, expecting, _find_scorable(grades, head, min(found, default=0))))


def _find_scorable(grades: Sequence[Grades], head: TestSetHead, least: int) -> Iterable[bool]:
    if least >= head.relevant_from:
        return map(bool, grades)
    return (bool(one) and max(one.values()) >= head.relevant_from for one in grades)


def _read_grades(sent: Sequence[Query]) -> list[Grades] | None:
    known = _read_ids(sent)
    if known is None:
        found = list(map(_read, sent))
        known = [one for one in found if one is not None]
        if len(known) < len(found):
            return None
    if {str}.issuperset(map(type, chain.from_iterable(known))):
        return cast("list[Grades]", known)
    spelt = [dict(zip(map(str, one), one.values(), strict=True)) for one in known]
    return spelt if list(map(len, spelt)) == list(map(len, known)) else None


def _read_ids(sent: Sequence[Query]) -> list[dict[DocId, int]] | None:
    # What `_read` finds, where all queries have ids alone.
    if not all(query.relevant is UNSET and query.grades is UNSET for query in sent):
        return None
    ids = [query.relevant_ids for query in sent if query.relevant_ids is not UNSET]
    found = [dict.fromkeys(one, 1) for one in ids]
    return found if list(map(len, found)) == list(map(len, ids)) and len(ids) == len(sent) else None


def _read(query: Query) -> dict[DocId, int] | None:
    # None: spelt twice or in part, with a document twice, or with more than a grade.
    ids, grades, relevant = query.relevant_ids, query.grades, query.relevant
    if relevant is not UNSET:
        if ids is not UNSET or grades is not UNSET:
            return None
        ids = [judgment.id for judgment in relevant]
        grades = [judgment.grade for judgment in relevant]
        if list(map(Judgment, ids, grades)) != relevant:
            return None
    elif ids is UNSET:
        return {} if grades is UNSET else None
    if grades is UNSET:
        found = dict.fromkeys(ids, 1)
    elif len(grades) == len(ids):
        found = dict(zip(ids, grades, strict=True))
    else:
        return None
    return found if len(found) == len(ids) else None


def _are_labels(values: Sequence[str], most: int) -> bool:
    together = "".join(values)
    return not together or (together.isprintable() and _fit(values, together, most))


def _fit(values: Sequence[str], together: str, most: int) -> bool:
    # No character takes more than four bytes.
    widest = 1 if together.isascii() else 4
    return widest * max(map(len, values), default=0) <= most
