"""Judged ids: whether they look alike, and whether a corpus has them."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from reteval.contract.diagnostics import Diagnostic, DiagnosticCode
from service.core.ingest.formats.scratch import Scratch
from service.core.ingest.formats.warning import EVIDENCE, warn

_SHARE: Final = 0.02
_ODD_AT_LEAST: Final = 50
_SHAPED: Final = 50_000
"""Judgments by whose ids the spelling of all is told."""
_MOST_SHAPES: Final = 1_000
_HELD: Final = 20_000
_DIGITS: Final = re.compile(r"\d+")
_LETTERS: Final = re.compile(r"[A-Za-z]+")
_ZEROS: Final = re.compile(r"(?<!\d)0+(?=\d)")
_COUNT: Final = (
    "INSERT INTO judged VALUES (?, ?) "
    "ON CONFLICT (document) DO UPDATE SET judgments = judgments + excluded.judgments"
)


class Documents:
    """Takes judged ids; they are only kept where there is a corpus to compare them with."""

    def __init__(self, scratch: Scratch | None, *, held: int = _HELD) -> None:
        self._scratch = scratch
        self._held: Counter[str] = Counter()
        self._most_held = held
        self._shapes: Counter[str] = Counter()
        self._examples: dict[str, str] = {}
        self._seen = self._total = 0
        if scratch is not None:
            scratch.run(
                "CREATE TABLE judged (document TEXT PRIMARY KEY, judgments INTEGER) WITHOUT ROWID"
            )
            scratch.run(
                "CREATE TABLE missing "
                "(document TEXT, judgments INTEGER, plain TEXT, in_corpus TEXT)"
            )

    def see(self, ids: list[str]) -> None:
        """Take the judged ids of a query."""
        if self._seen < _SHAPED:
            self._see_shapes(ids[: _SHAPED - self._seen])
            self._seen += len(ids)
        if self._scratch is not None:
            self._held.update(ids)
            if len(self._held) >= self._most_held:
                self._write(self._scratch)

    def check(self, corpus: Callable[[], Iterable[str]]) -> None:
        """Compare them with all ids that there are; where some are missing, spelt otherwise too."""
        scratch = self._scratch
        if scratch is None:
            return
        self._write(scratch)
        ((self._total,),) = scratch.run("SELECT coalesce(sum(judgments), 0) FROM judged")
        scratch.run_all("DELETE FROM judged WHERE document = ?", ((one,) for one in corpus()))
        left = scratch.rows("SELECT document, judgments FROM judged")
        rows = ((document, judgments, _plain(document)) for document, judgments in left)
        scratch.run_all("INSERT INTO missing VALUES (?, ?, ?, '')", rows)
        if scratch.run("SELECT 1 FROM missing LIMIT 1"):
            scratch.run("CREATE INDEX by_plain ON missing (plain)")
            respelled = ((one, _plain(one)) for one in corpus())
            scratch.run_all("UPDATE missing SET in_corpus = ? WHERE plain = ?", respelled)

    def warnings(self) -> Iterator[Diagnostic]:
        """What is odd about them."""
        total = self._shapes.total()
        if total >= _ODD_AT_LEAST and len(self._shapes) > 1:
            usual, count = self._shapes.most_common(1)[0]
            if total - count <= _SHARE * total:
                odd = [shape for shape in self._shapes if shape != usual]
                yield warn(
                    DiagnosticCode.ODD_DOCUMENT_IDS,
                    f"Judged ids that look unlike the others: {total - count} of {total:,}.",
                    "See whether they name documents; such ids are often damaged.",
                    [{"id": self._examples[one], "usual": self._examples[usual]} for one in odd],
                )
        if self._scratch is not None:
            yield from self._missing_warning(self._scratch)

    def _missing_warning(self, scratch: Scratch) -> Iterator[Diagnostic]:
        ((missing, respelled),) = scratch.run(
            "SELECT total(judgments), total(judgments * (in_corpus <> '')) FROM missing"
        )
        if not missing:
            return
        rows = scratch.run(
            "SELECT document, in_corpus FROM missing ORDER BY in_corpus = '', document LIMIT ?",
            (EVIDENCE,),
        )
        zeros = f" {respelled:.0f} would be there with other zeros." if respelled else ""
        yield warn(
            DiagnosticCode.JUDGED_NOT_IN_CORPUS,
            f"Judgments of documents that the corpus does not have: {missing:.0f} of "
            f"{self._total:,}.{zeros}",
            "Spell ids as the corpus does, or set an id_rule; documents that are gone can never "
            "be found.",
            [{"judged": one, "in_corpus": other} for one, other in rows],
        )

    def _see_shapes(self, ids: list[str]) -> None:
        for one in ids:
            shape = _LETTERS.sub("a", _DIGITS.sub("9", one))
            if shape in self._shapes or len(self._shapes) < _MOST_SHAPES:
                self._shapes[shape] += 1
                self._examples.setdefault(shape, one)

    def _write(self, scratch: Scratch) -> None:
        scratch.run_all(_COUNT, sorted(self._held.items()))
        self._held.clear()


def _plain(one: str) -> str:
    return _ZEROS.sub("", one)
