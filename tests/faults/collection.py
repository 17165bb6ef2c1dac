"""A test set and an endpoint's answers to it, by a rule, so that any process agrees on them."""

from collections.abc import Iterator
from typing import Any

GRADES = (3, 2, 1, 0)


def make_test_set(name: str, size: int, *, first: int = 0) -> dict[str, Any]:
    """Return a test set of `size` queries, numbered on from one, each with four judgments."""
    return {
        "name": name,
        "queries": [
            {
                "id": f"q{number}",
                "query": f"où est la réponse {number}",
                "relevant": [{"id": f"d{number}-{grade}", "grade": grade} for grade in GRADES],
            }
            for number in range(first, first + size)
        ],
    }


def search(text: str) -> tuple[int, Any]:
    """Answer a question: judged documents among others, repeats, and now and then nothing."""
    return 200, [{"id": document} for document in rank(int(text.rpartition(" ")[2]))]


def rank(number: int) -> list[str]:
    """Return the ranking of a question: every one differs from its neighbours."""
    if number % 13 == 5:
        return []
    documents = list(_documents(number))
    turn = number % len(documents)
    return documents[turn:] + documents[:turn]


def _documents(number: int) -> Iterator[str]:
    for place in range(7 + number % 5):
        yield f"x{place}"
        if place < len(GRADES) - number % 3:
            yield f"d{number}-{GRADES[place]}"
    yield "x0"
