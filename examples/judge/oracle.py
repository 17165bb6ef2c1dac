"""What a fake judge knows: the right grades, and by how much it is to miss them.

A judge that errs is described by a confusion matrix: row i holds the chances of each grade that
it may give to a pair whose right grade is i. Each pair gets chances of its own, drawn around its
row (Dirichlet), so that some pairs are easy and some are not; over pairs they average to the row.
"""

import hashlib
import json
import random
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

Matrix = Sequence[Sequence[float]]

LENIENT: Final[Matrix] = (
    (0.80, 0.14, 0.05, 0.01),
    (0.20, 0.50, 0.22, 0.08),
    (0.06, 0.16, 0.50, 0.28),
    (0.02, 0.05, 0.20, 0.73),
)
"""A judge that is fair and gives too much more often than too little."""
FAULTLESS: Final[Matrix] = tuple(
    tuple(float(given == right) for given in range(4)) for right in range(4)
)
SPREAD: Final = 2.0
"""How far the pairs of a row differ: near 0 each is certain, rightly or not; large, all alike."""
HEAD_CHARS: Final = 40
"""By so much of its beginning a document is recognised, whatever was done to the rest."""
_BLANKS: Final = re.compile(r"\s+")


@dataclass(frozen=True)
class Case:
    """A pair that a prompt is about: its texts as they stand there, and the right grade."""

    query: str
    document: str
    right: int


class Oracle:
    """Right grades by query and document text, and the noise of the judge that was told them.

    `grades` maps query text and document text to a grade; pairs that are not in it are worth 0.
    Everything is drawn from `seed` and the texts, so that the same question has the same answer.
    """

    def __init__(
        self,
        grades: Mapping[tuple[str, str], int],
        *,
        documents: Iterable[str] = (),
        matrix: Matrix = LENIENT,
        spread: float = SPREAD,
        seed: int = 0,
    ) -> None:
        self.matrix = matrix
        self._spread = spread
        self._seed = seed
        self._grades = {
            (squeeze(query), _head(document)): grade for (query, document), grade in grades.items()
        }
        self._queries = _longest_first(query for query, _ in self._grades)
        known = {_head(document) for document in documents} | {head for _, head in self._grades}
        self._heads = _longest_first(known)

    @property
    def top(self) -> int:
        """The highest grade."""
        return len(self.matrix) - 1

    def find(self, prompt: str) -> Case:
        """Find which query and document a prompt holds, by their texts; the rest is wording."""
        text = squeeze(prompt)
        head = next((head for head in self._heads if head in text), "")
        before, found, after = text.partition(head) if head else (text, "", "")
        query = self._find_query(before) or self._find_query(after)
        if query and query not in before:
            after = after.rpartition(query)[0]
        elif query and not head:
            after = before.rpartition(query)[2]
        return Case(query, f"{found}{after}".strip(), self._grades.get((query, head), 0))

    def weigh(self, case: Case) -> list[float]:
        """Return the judge's chances of each grade for the pair."""
        row = self.matrix[case.right]
        source = self._random(case, "weigh")
        drawn = [source.gammavariate(self._spread * share, 1.0) if share else 0.0 for share in row]
        total = sum(drawn)
        return [value / total for value in drawn] if total else list(row)

    def draw(self, case: Case, vote: object = None) -> int:
        """Return the grade that the judge gives; another `vote` may give another."""
        weights = self.weigh(case)
        return self._random(case, f"vote {vote}").choices(range(len(weights)), weights)[0]

    def _find_query(self, text: str) -> str:
        return next((query for query in self._queries if query in text), "")

    def _random(self, case: Case, purpose: str) -> random.Random:
        """Return a source of its own for each pair; an altered document is another pair."""
        name = json.dumps([self._seed, purpose, case.query, case.document]).encode()
        return random.Random(hashlib.sha256(name).digest())  # noqa: S311 - repeatable on purpose


def squeeze(text: str) -> str:
    """Return text with single blanks alone."""
    return _BLANKS.sub(" ", text).strip()


def read_oracle(test_set: Path, documents: Path, **settings: Any) -> Oracle:
    """Read a test set in JSON and documents in JSON lines of id, title and text.

    Raises:
        ValueError: one of the files is not of this form.
    """
    with documents.open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines if line.strip()]
    texts = {str(row["id"]): f"{row.get('title', '')}\n{row['text']}".strip() for row in rows}
    grades = {
        (query["query"], texts[str(judged["id"])]): judged["grade"]
        for query in json.loads(test_set.read_text(encoding="utf-8"))["queries"]
        for judged in query.get("relevant", [])
        if str(judged["id"]) in texts
    }
    return Oracle(grades, documents=texts.values(), **settings)


def _head(document: str) -> str:
    return squeeze(document)[:HEAD_CHARS].strip()


def _longest_first(texts: Iterable[str]) -> list[str]:
    return sorted(set(texts), key=lambda text: (-len(text), text))
