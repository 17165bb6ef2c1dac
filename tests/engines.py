"""Small real search engines: SQLite's full-text index, asked in more and less careful ways."""

import re
import sqlite3
import threading
from collections.abc import Callable, Mapping

from reteval.contract.outcomes import FailureCode, Outcome, OutcomeStatus

Match = Callable[[str], str]
"""From a query text to the expression that the index is asked."""

STEMMED = "porter unicode61"
RAW = "unicode61"
TRIGRAMS = "trigram"
MAX_CHARS = 3_000
"""The index takes half a minute over 1,600 words, which no test should wait for."""
_WORD = re.compile(r"\w+")


class Engine:
    """BM25 over documents, best first; scores are higher for better. Threads may share it."""

    def __init__(self, documents: Mapping[str, str], *, tokenize: str, match: Match) -> None:
        self._match = match
        self._turn = threading.Lock()
        self._index = sqlite3.connect(":memory:", check_same_thread=False)
        self._index.execute(
            f"CREATE VIRTUAL TABLE page USING fts5(id UNINDEXED, text, tokenize='{tokenize}')"
        )
        self._index.executemany("INSERT INTO page VALUES (?, ?)", documents.items())

    def search(self, text: str, k: int = 10) -> list[tuple[str, float]]:
        """Return ids and scores.

        Raises:
            sqlite3.Error: the expression is not valid.
        """
        with self._turn:
            rows = self._index.execute(
                "SELECT id, -bm25(page) FROM page WHERE page MATCH ? "
                "ORDER BY bm25(page), id LIMIT ?",
                (self._match(text), k),
            )
            return rows.fetchall()

    def answer(self, text: str, k: int = 10) -> Outcome:
        """Answer as a service in front of the index would: an error is a 500, too much a 413."""
        if len(text) > MAX_CHARS:
            return _refuse(FailureCode.HTTP_4XX, 413, "the query is too long")
        try:
            hits = self.search(text, k)
        except sqlite3.Error as exc:
            return _refuse(FailureCode.HTTP_5XX, 500, str(exc))
        return Outcome(
            status=OutcomeStatus.OK if hits else OutcomeStatus.OK_EMPTY,
            http_status=200,
            latency_ms=1.0,
            returned=len(hits),
            ids=[doc for doc, _ in hits],
            scores=[score for _, score in hits],
        )


def _refuse(code: FailureCode, http_status: int, detail: str) -> Outcome:
    return Outcome(
        status=OutcomeStatus.FAILED,
        code=code,
        detail=detail,
        http_status=http_status,
        latency_ms=1.0,
    )


def as_typed(text: str) -> str:
    """Hand the query to the index's own parser."""
    return text


def quote_tokens(text: str) -> str:
    """Quote what white space divides, as a first repair would."""
    return " ".join('"' + token.replace('"', '""') + '"' for token in text.split())


def any_word(text: str) -> str:
    """Ask for any of the words; for none of them where there is none."""
    words = dict.fromkeys(word.lower() for word in _WORD.findall(text))
    return " OR ".join(f'"{word}"' for word in words) or '""'


def any_trigram(text: str) -> str:
    """Ask for any three letters in a row of the words."""
    grams = dict.fromkeys(
        word[at : at + 3] for word in _WORD.findall(text.lower()) for at in range(len(word) - 2)
    )
    return " OR ".join(f'"{gram}"' for gram in grams) or '""'
