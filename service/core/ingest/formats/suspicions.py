"""What looks wrong about files that can be read: said in a preview and kept with the set."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final

from reteval.contract.diagnostics import Diagnostic, DiagnosticCode, Severity
from reteval.contract.imports import ImportedFile, ImportOptions, QueryIds, Sureness
from service.core.ingest.formats.gathering import Gathering

_EVIDENCE: Final = 5
_SHARE: Final = 0.02
_ODD_AT_LEAST: Final = 50
_SHAPED: Final = 50_000
"""Judgments by whose ids the spelling of all is told."""
_MOST_JUDGED: Final = 1_000_000
"""Judged ids that are looked for in a corpus; further ones are not."""
_IDENTICAL_AT_LEAST: Final = 20
_DIGITS: Final = re.compile(r"\d+")
_LETTERS: Final = re.compile(r"[A-Za-z]+")
_SCALE_STEPS: Final = 3
_SEVERITY: Final = {
    DiagnosticCode.FORMAT_UNSURE: Severity.WARN,
    DiagnosticCode.ENCODING_GUESSED: Severity.WARN,
    DiagnosticCode.SCALE_REVERSED: Severity.WARN,
    DiagnosticCode.QUERY_IDS_MISREAD: Severity.WARN,
    DiagnosticCode.TEXTS_MISSING: Severity.WARN,
    DiagnosticCode.RATERS_IDENTICAL: Severity.WARN,
    DiagnosticCode.RATERS_SETTLED: Severity.INFO,
    DiagnosticCode.ROWS_UNRATED: Severity.INFO,
    DiagnosticCode.ODD_DOCUMENT_IDS: Severity.WARN,
    DiagnosticCode.JUDGED_NOT_IN_CORPUS: Severity.WARN,
}


def suspect(
    gathering: Gathering,
    files: Sequence[ImportedFile],
    documents: "Documents",
    judged_ids: set[str],
) -> tuple[Diagnostic, ...]:
    """Return every warning about an import, in a fixed order."""
    found = [
        *_guesses(files),
        *_reversed(gathering.labels, gathering.options),
        *_misread_ids(gathering, judged_ids),
        *_missing_texts(gathering),
        *_raters(gathering),
        *_unrated(gathering),
        *documents.warnings(),
    ]
    skipped = gathering.ledger.warning()
    return (*found, skipped) if skipped else tuple(found)


def _guesses(files: Sequence[ImportedFile]) -> Iterator[Diagnostic]:
    guessed = [file for file in files if file.encoding in ("cp1252", "latin-1")]
    if guessed:
        yield _say(
            DiagnosticCode.ENCODING_GUESSED,
            f"Files that are not UTF-8 and were read as {guessed[0].encoding}: {len(guessed)}.",
            "Look at the accents in the first queries; save the files as UTF-8 if they are wrong.",
            [{"file": file.name, "encoding": file.encoding} for file in guessed],
        )
    unsure = [file for file in files if file.sure is Sureness.LIKELY]
    if unsure:
        yield _say(
            DiagnosticCode.FORMAT_UNSURE,
            f"Files whose format is likely, not certain: {len(unsure)}.",
            "See that the first queries are right, or name the format.",
            [{"file": one.name, "format": one.format, "why": one.why} for one in unsure],
        )


def _reversed(labels: Counter[str], options: ImportOptions) -> Iterator[Diagnostic]:
    """A scale without 0 whose 1 is rarest, or a negative beside such a scale."""
    if options.reverse or options.grades:
        return
    counts: Counter[int] = Counter()
    for label, count in labels.items():
        if re.fullmatch(r"[+-]?\d{1,4}(\.0+)?", label):
            counts[int(float(label))] += count
    positive = {grade: count for grade, count in counts.items() if grade > 0}
    if counts[0] or len(positive) < _SCALE_STEPS or min(positive) != 1:
        return
    if sum(positive.values()) >= _ODD_AT_LEAST and positive[1] == min(positive.values()):
        worst = max(positive)
        negative = " The negative grades may then mean anything." if min(counts) < 0 else ""
        yield _say(
            DiagnosticCode.SCALE_REVERSED,
            f"There is no grade 0, and 1 is the rarest of 1 to {worst}: the scale may run "
            f"backwards, 1 the best.{negative}",
            f"Look at the files' description; if so, send reverse=1-{worst}.",
            [{"grade": grade, "judgments": counts[grade]} for grade in sorted(counts)],
        )


def _misread_ids(gathering: Gathering, judged: set[str]) -> Iterator[Diagnostic]:
    """Judgments that count queries while the queries have numbers with gaps."""
    asked = gathering.asked_ids
    if gathering.options.query_ids is QueryIds.ORDINAL or not asked or not judged:
        return
    if not all(name.isdecimal() for name in (*asked, *judged)):
        return
    numbers = {int(name) for name in judged}
    top = max(int(name) for name in asked)
    if top > len(asked) >= max(numbers) and len(numbers) > _SHARE * len(asked):
        known = sum(int(name) in numbers for name in set(asked))
        if max(numbers) == len(asked) or known < len(numbers):
            yield _say(
                DiagnosticCode.QUERY_IDS_MISREAD,
                f"The queries are numbered up to {top} with gaps, the judgments name 1 to "
                f"{max(numbers)}: they may count the queries in order instead.",
                "Send query_ids=ordinal if the first judgments fit the first queries then.",
                [{"queries": len(asked), "highest_id": top, "highest_judged": max(numbers)}],
            )


def _missing_texts(gathering: Gathering) -> Iterator[Diagnostic]:
    if gathering.textless:
        yield _say(
            DiagnosticCode.TEXTS_MISSING,
            f"Queries whose text is in no file: {gathering.textless}.",
            "Send the file with the queries too; ids in their place are enough to score rankings "
            "made elsewhere, not to ask an endpoint.",
            [],
        )


def _raters(gathering: Gathering) -> Iterator[Diagnostic]:
    votes = gathering.settlement
    pairs, differing = votes.voted_pairs, votes.differing_pairs
    if pairs >= _IDENTICAL_AT_LEAST and not differing:
        yield _say(
            DiagnosticCode.RATERS_IDENTICAL,
            f"Documents with several raters: {pairs}; not once do they differ.",
            "See whether one rater's grades are copies: such agreement says nothing.",
            [{"pairs": pairs}],
        )
    if votes.settled_pairs:
        rule = gathering.options.consensus or ""
        yield _say(
            DiagnosticCode.RATERS_SETTLED,
            f"Documents with several raters: {pairs}; they differ on {differing}, "
            f"settled by {rule}.",
            "Nothing needs to change; the votes themselves are not kept with the set.",
            [{"pairs": pairs, "differing": differing, "rule": str(rule)}],
        )


def _unrated(gathering: Gathering) -> Iterator[Diagnostic]:
    if gathering.ledger.unrated:
        yield _say(
            DiagnosticCode.ROWS_UNRATED,
            f"Rows that name a document without a grade: {gathering.ledger.unrated:,}. "
            "Such documents are unjudged.",
            "Nothing needs to change, unless grades were lost on the way.",
            [],
        )


class Documents:
    """Judged ids: whether they look alike, and whether a corpus has them."""

    def __init__(self, *, keep: bool) -> None:
        self._keep = keep
        self._judged: dict[str, int] = {}
        self._shapes: Counter[str] = Counter()
        self._examples: dict[str, str] = {}
        self._total = self._seen = 0
        self._spellings: dict[str, str] = {}

    def see(self, ids: Iterable[str]) -> None:
        """Take the judged ids of a query."""
        for one in ids if self._keep or self._seen < _SHAPED else ():
            self._seen += 1
            if self._keep and (one in self._judged or len(self._judged) < _MOST_JUDGED):
                self._judged[one] = self._judged.get(one, 0) + 1
            if self._seen > _SHAPED:
                continue
            shape = _LETTERS.sub("a", _DIGITS.sub("9", one))
            if shape in self._shapes or len(self._shapes) < 1_000:  # noqa: PLR2004
                self._shapes[shape] += 1
                self._examples.setdefault(shape, one)

    def check(self, corpus: Callable[[], Iterable[str]]) -> None:
        """Compare them with all ids that there are, which are too many to keep."""
        judged = self._judged
        self._total = sum(judged.values())
        for one in corpus():
            judged.pop(one, None)
        plain = {_plain(one): one for one in judged}
        for one in corpus() if plain else ():
            if (respelled := plain.get(_plain(one))) is not None:
                self._spellings[respelled] = one

    def warnings(self) -> Iterator[Diagnostic]:
        """What is odd about them."""
        total = self._shapes.total()
        if total >= _ODD_AT_LEAST and len(self._shapes) > 1:
            usual, count = self._shapes.most_common(1)[0]
            if total - count <= _SHARE * total:
                odd = [shape for shape in self._shapes if shape != usual]
                yield _say(
                    DiagnosticCode.ODD_DOCUMENT_IDS,
                    f"Judged ids that look unlike the others: {total - count} of {total:,}.",
                    "See whether they name documents; such ids are often damaged.",
                    [{"id": self._examples[one], "usual": self._examples[usual]} for one in odd],
                )
        if self._total and self._judged:
            yield self._missing_warning()

    def _missing_warning(self) -> Diagnostic:
        missing = sum(self._judged.values())
        respelled = sum(self._judged[one] for one in self._spellings)
        zeros = f" {respelled} would be there with other zeros." if respelled else ""
        rows = [
            {"judged": one, "in_corpus": self._spellings.get(one, "")}
            for one in sorted(self._judged, key=lambda one: (one not in self._spellings, one))[
                :_EVIDENCE
            ]
        ]
        return _say(
            DiagnosticCode.JUDGED_NOT_IN_CORPUS,
            f"Judgments of documents that the corpus does not have: {missing} of "
            f"{self._total:,}.{zeros}",
            "Spell ids as the corpus does, or set an id_rule; documents that are gone can never "
            "be found.",
            rows,
        )


def _plain(one: str) -> str:
    return re.sub(r"(?<!\d)0+(?=\d)", "", one)


def _say(
    code: DiagnosticCode, message: str, fix: str, rows: Sequence[dict[str, Any]]
) -> Diagnostic:
    return Diagnostic(
        code=code,
        severity=_SEVERITY[code],
        message=message,
        fix=fix,
        evidence=tuple(rows[:_EVIDENCE]),
    )
