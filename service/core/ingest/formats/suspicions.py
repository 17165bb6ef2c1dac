"""What looks wrong about files that can be read: said in a preview and kept with the set."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from reteval.contract.diagnostics import Diagnostic, DiagnosticCode
from reteval.contract.imports import ImportedFile, ImportOptions, QueryIds, Sureness
from service.core.ingest.formats.documents import Documents
from service.core.ingest.formats.gathering import Gathering
from service.core.ingest.formats.warning import warn

_SHARE: Final = 0.02
_ODD_AT_LEAST: Final = 50
_IDENTICAL_AT_LEAST: Final = 20
_SCALE_STEPS: Final = 3


def suspect(
    gathering: Gathering,
    files: Sequence[ImportedFile],
    documents: Documents,
) -> tuple[Diagnostic, ...]:
    """Return every warning about an import, in a fixed order."""
    found = [
        *_guesses(files),
        *_reversed(gathering.labels, gathering.options),
        *_misread_ids(gathering),
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
        yield warn(
            DiagnosticCode.ENCODING_GUESSED,
            f"Files that are not UTF-8 and were read as {guessed[0].encoding}: {len(guessed)}.",
            "Look at the accents in the first queries; save the files as UTF-8 if they are wrong.",
            [{"file": file.name, "encoding": file.encoding} for file in guessed],
        )
    unsure = [file for file in files if file.sure is Sureness.LIKELY]
    if unsure:
        yield warn(
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
        worst, least = max(positive), min(counts)
        negative = further = ""
        if least < 0:
            negative = " The negative grades may then mean anything."
            further = f", and negatives=keep for {least} (negatives=unjudged leaves it out)"
        yield warn(
            DiagnosticCode.SCALE_REVERSED,
            f"There is no grade 0, and 1 is the rarest of 1 to {worst}: the scale may run "
            f"backwards, 1 the best.{negative}",
            f"Look at the files' description; if so, send reverse=1-{worst}{further}.",
            [{"grade": grade, "judgments": counts[grade]} for grade in sorted(counts)],
        )


def _misread_ids(gathering: Gathering) -> Iterator[Diagnostic]:
    """Judgments that count queries while the queries have numbers with gaps."""
    if gathering.options.query_ids is QueryIds.ORDINAL:
        return
    found = gathering.count_numbers()
    if found is None or found.judged <= _SHARE * found.asked:
        return
    if found.highest_asked > found.asked >= found.highest_judged and (
        found.highest_judged == found.asked or found.both < found.judged
    ):
        yield warn(
            DiagnosticCode.QUERY_IDS_MISREAD,
            f"The queries are numbered up to {found.highest_asked} with gaps, the judgments name "
            f"1 to {found.highest_judged}: they may count the queries in order instead.",
            "Send query_ids=ordinal if the first judgments fit the first queries then.",
            [
                {
                    "queries": found.asked,
                    "highest_id": found.highest_asked,
                    "highest_judged": found.highest_judged,
                }
            ],
        )


def _missing_texts(gathering: Gathering) -> Iterator[Diagnostic]:
    if gathering.textless:
        yield warn(
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
        yield warn(
            DiagnosticCode.RATERS_IDENTICAL,
            f"Documents with several raters: {pairs}; not once do they differ.",
            "See whether one rater's grades are copies: such agreement says nothing.",
            [{"pairs": pairs}],
        )
    if votes.settled_pairs:
        rule = gathering.options.consensus or ""
        yield warn(
            DiagnosticCode.RATERS_SETTLED,
            f"Documents with several raters: {pairs}; they differ on {differing}, "
            f"settled by {rule}.",
            "Nothing needs to change; the votes themselves are not kept with the set.",
            [{"pairs": pairs, "differing": differing, "rule": str(rule)}],
        )


def _unrated(gathering: Gathering) -> Iterator[Diagnostic]:
    if gathering.ledger.unrated:
        yield warn(
            DiagnosticCode.ROWS_UNRATED,
            f"Rows that name a document without a grade: {gathering.ledger.unrated:,}. "
            "Such documents are unjudged.",
            "Nothing needs to change, unless grades were lost on the way.",
            [],
        )
