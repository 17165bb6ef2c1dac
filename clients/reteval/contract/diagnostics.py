"""One struct for everything the service has to say about a test set or a run besides numbers."""

from enum import StrEnum
from typing import Any

from msgspec import Struct, field


class Severity(StrEnum):
    """How much a finding weighs: `block` means that gates refuse the run."""

    INFO = "info"
    WARN = "warn"
    BLOCK = "block"


class DiagnosticCode(StrEnum):
    """What was found. Each code is documented in `docs/diagnostics.md`."""

    FEW_QUERIES = "few_queries"
    REPEAT_COLLAPSED = "repeat_collapsed"
    NEAR_IDENTICAL_TEXTS = "near_identical_texts"
    SAME_TEXT = "same_text"
    UNSCORABLE = "unscorable"
    BINARY_ONLY = "binary_only"
    HAPPY_PATH_ONLY = "happy_path_only"
    ID_MISMATCH = "id_mismatch"
    SCORE_TOO_HIGH = "score_too_high"
    DUPLICATE_HITS = "duplicate_hits"
    DEPTH_SHORTFALL = "depth_shortfall"
    LONG_ANSWERS_CUT = "long_answers_cut"
    FAILED_REQUESTS = "failed_requests"
    LOOPBACK_ALLOWED = "loopback_allowed"


class Diagnostic(Struct, frozen=True, kw_only=True):
    """A finding with the rows that show it and what to do about it.

    `evidence` holds at most five small rows; their keys depend on the code.
    """

    code: DiagnosticCode
    severity: Severity
    message: str
    fix: str
    evidence: tuple[dict[str, Any], ...] = field(default=())
