"""The queries of a test set as a check reads them: wordings, splits, sources."""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from reteval.contract.testsets import Query
from worker.diagnosis.leakage.forms import Forms

MAX_QUERIES: Final = 20_000
MAX_SPLITS: Final = 10
"""Largest splits that are told apart; queries of others count as in none."""
TUNING_SPLITS: Final = frozenset(
    {"dev", "development", "train", "training", "tune", "tuning", "valid", "validation"}
)
WRITTEN_FROM_DOCUMENTS: Final = frozenset({"generated", "llm", "synthetic"})
"""Sources of queries that nobody asked."""


class Subject(Struct, frozen=True, kw_only=True, eq=False):
    """Queries without hand-made variants, which are alike on purpose.

    `splits`, and `form_of`, the number of each one's wording, are parallel.
    """

    queries: Sequence[Query]
    forms: Forms
    form_of: Sequence[int]
    splits: Sequence[str]

    @classmethod
    def read(cls, queries: Sequence[Query]) -> "Subject":
        """Gather the wordings of queries."""
        asked = [query for query in queries if not query.parent]
        sizes = Counter(query.split for query in asked if query.split)
        told = {split for split, _ in sizes.most_common(MAX_SPLITS)}
        forms = Forms.gather(query.query for query in asked)
        form_of = [0] * len(asked)
        for form, members in enumerate(forms.members):
            for place in members:
                form_of[place] = form
        return cls(
            queries=asked,
            forms=forms,
            form_of=form_of,
            splits=[query.split if query.split in told else "" for query in asked],
        )

    def words(self, place: int) -> list[str]:
        """Return the words of a query."""
        return self.forms.normals[self.form_of[place]].split()

    def by_split(self, form: int) -> dict[str, list[int]]:
        """Return the queries of a wording by their split."""
        found: dict[str, list[int]] = {}
        for place in self.forms.members[form]:
            found.setdefault(self.splits[place], []).append(place)
        return found


def is_tuning(split: str) -> bool:
    """Whether a split is by its name one that a search is tuned on."""
    return split.casefold() in TUNING_SPLITS


def is_written(source: str) -> bool:
    """Whether queries of a source are by its name written from documents."""
    return source.casefold() in WRITTEN_FROM_DOCUMENTS
