"""One text, several judgments: what the queries of a wording disagree about."""

from collections.abc import Iterator, Sequence
from typing import Final

from reteval.contract.leakage import Conflict
from reteval.contract.testsets import Grade, Query
from worker.diagnosis.leakage.subject import Subject

MAX_CONFLICTS: Final = 50
_MAX_IDS: Final = 10
_MAX_DOCUMENTS: Final = 10


def find_conflicts(subject: Subject) -> Iterator[Conflict]:
    """Yield the wordings whose queries do not have the same judgments."""
    for members in subject.forms.members:
        if len(members) > 1:
            queries = [subject.queries[place] for place in members]
            if documents := _compare([_read(query) for query in queries]):
                shown = dict(list(documents.items())[:_MAX_DOCUMENTS])
                yield Conflict(
                    query_ids=tuple(query.id for query in queries[:_MAX_IDS]),
                    text=queries[0].query,
                    documents={doc: grades[:_MAX_IDS] for doc, grades in shown.items()},
                )


def _read(query: Query) -> dict[str, Grade]:
    return {str(judgment.id): judgment.grade for judgment in query.relevant or ()}


def _compare(judged: Sequence[dict[str, Grade]]) -> dict[str, tuple[Grade | None, ...]]:
    """Return the documents that are not judged alike, with the grades of all."""
    documents = dict.fromkeys(doc for grades in judged for doc in grades)
    rows = {doc: tuple(grades.get(doc) for grades in judged) for doc in documents}
    return {doc: row for doc, row in rows.items() if len(set(row)) > 1}
