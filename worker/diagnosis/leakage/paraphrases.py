"""Queries in other words that want the very same documents."""

from collections.abc import Collection, Iterator, Sequence
from itertools import combinations
from typing import Final

from msgspec import structs

from reteval.contract.leaks import LeakKind
from reteval.contract.testsets import Query
from worker.diagnosis.leakage.forms import Match
from worker.diagnosis.leakage.subject import Subject
from worker.diagnosis.leakage.wording import find_numbers

MAX_RELEVANT: Final = 3
"""Relevant documents that two queries can have in common by meaning alone."""
MAX_GROUP: Final = 20
"""Queries beyond which a set of documents is a page that many ask for, not a meaning."""


def group_by_relevant(queries: Sequence[Query], relevant_from: int) -> list[list[int]]:
    """Return the places of queries that have the same few relevant documents, group by group."""
    groups: dict[frozenset[str], list[int]] = {}
    for place, query in enumerate(queries):
        relevant = frozenset(
            str(judgment.id) for judgment in query.relevant or () if judgment.grade >= relevant_from
        )
        if 0 < len(relevant) <= MAX_RELEVANT:
            groups.setdefault(relevant, []).append(place)
    return [group for group in groups.values() if 1 < len(group) <= MAX_GROUP]


def settle(matches: Sequence[Match], subject: Subject, relevant_from: int) -> Iterator[Match]:
    """Yield matches, those in other words as near where the judgments say it is one need."""
    wanted = [_read_relevant(query, relevant_from) for query in subject.queries]
    members = subject.forms.members
    for match in matches:
        if match.kind is LeakKind.POSSIBLE_PARAPHRASE and any(
            _overlap(wanted[left], wanted[right])
            for left in members[match.left][:MAX_GROUP]
            for right in members[match.right][:MAX_GROUP]
        ):
            yield structs.replace(match, kind=LeakKind.NEAR)
        else:
            yield match


def pair_paraphrases(
    subject: Subject,
    groups: Sequence[Sequence[int]],
    matched: Collection[tuple[int, int]],
) -> list[tuple[int, int]]:
    """Return the pairs of each group, but for those matched otherwise, or unlike in numbers."""
    form_of = subject.form_of
    return [
        (left, right)
        for group in groups
        for left, right in combinations(group, 2)
        if form_of[left] != form_of[right]
        and _sort(form_of[left], form_of[right]) not in matched
        and not _differ_in_numbers(subject, form_of[left], form_of[right])
    ]


def _differ_in_numbers(subject: Subject, left: int, right: int) -> bool:
    """Whether both wordings have words with digits, and not the same."""
    one, other = (find_numbers(subject.forms.normals[form]) for form in (left, right))
    return bool(one and other and one != other)


def _read_relevant(query: Query, relevant_from: int) -> frozenset[str]:
    return frozenset(
        str(judgment.id) for judgment in query.relevant or () if judgment.grade >= relevant_from
    )


def _overlap(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether half of what either wants is wanted by both."""
    return bool(one) and 2 * len(one & other) >= len(one | other)


def _sort(left: int, right: int) -> tuple[int, int]:
    return (left, right) if left < right else (right, left)
