"""What became of each row of an import: counts by reason, and the first of those refused."""

from collections import Counter
from typing import Final

from msgspec import Struct

from reteval.contract.diagnostics import Diagnostic, DiagnosticCode, Severity
from reteval.contract.imports import ImportRows, OnError, RefusedRow
from reteval.contract.problems import ProblemItem
from service.errors import InvalidError

MOST: Final = 20


class Origin(Struct, frozen=True):
    """Where a vote comes from: a file, a rater, and the template of a pointer into the file."""

    file: str
    rater: str
    pointer: str

    def place(self, at: int, member: int) -> str:
        """The JSON Pointer of a record or of a member in it."""
        if not self.pointer:
            return ""
        pointer = self.pointer if member else self.pointer.partition("{at}")[0] + "{at}"
        return pointer.format(at=at - 1, member=member - 1)


class Ledger:
    """Counts rows; keeps the first 20 refusals."""

    def __init__(self, on_error: OnError) -> None:
        self.on_error = on_error
        self.read = self.unrated = self.duplicates = self.conflicts = 0
        self.reasons: Counter[str] = Counter()
        self.first: list[RefusedRow] = []

    @property
    def refused(self) -> int:
        """How many rows cannot be taken."""
        return self.reasons.total()

    @property
    def bars(self) -> bool:
        """Whether refused rows keep the set from being stored."""
        return bool(self.refused) and self.on_error is OnError.REFUSE

    def refuse(
        self,
        reason: str,
        said: tuple[str, str],
        origin: Origin,
        at: int,
        member: int = 0,
        *,
        rows: int = 1,
    ) -> None:
        """Count refused rows, and keep the first with its message and way out if there is room."""
        self.reasons[reason] += rows
        if len(self.first) < MOST:
            row = RefusedRow(
                file=origin.file,
                row=at,
                pointer=origin.place(at, member),
                reason=reason,
                message=said[0],
                fix=said[1],
            )
            self.first.append(row)

    def rows(self) -> ImportRows:
        """The counts."""
        return ImportRows(
            read=self.read,
            accepted=self.read - self.refused - self.unrated,
            refused=self.refused,
            unrated=self.unrated,
            duplicates=self.duplicates,
            conflicts=self.conflicts,
        )

    def settle(self) -> None:
        """Refuse the upload, unless rows may be skipped.

        Raises:
            InvalidError: rows cannot be taken.
        """
        if not self.bars:
            return
        first = self.first[0]
        items = [as_problem(row) for row in self.first]
        if self.refused > len(self.first):
            detail = f"{self.refused:,} rows cannot be taken, {MOST} are listed; the first: "
        else:
            detail = f"{self.refused} problems; the first: " if self.refused > 1 else ""
        raise InvalidError(detail + as_problem(first).message, errors=items)

    def warning(self) -> Diagnostic | None:
        """What is to be said of a set from which rows were left out."""
        if not self.refused or self.on_error is not OnError.SKIP:
            return None
        return Diagnostic(
            code=DiagnosticCode.ROWS_SKIPPED,
            severity=Severity.WARN,
            message=f"Rows that could not be taken and were left out: {self.refused:,}.",
            fix="Mend them and upload again, without on_error=skip.",
            evidence=tuple(
                {"file": row.file, "row": row.row, "reason": row.reason} for row in self.first[:5]
            ),
        )


def as_problem(row: RefusedRow) -> ProblemItem:
    """Say it as an error of the request does."""
    where = row.pointer or f"row {row.row}"
    return ProblemItem(
        pointer=row.pointer,
        row=row.row,
        message=f"{row.file} {where}: {row.message}",
        fix=row.fix,
    )
