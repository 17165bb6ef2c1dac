"""One struct for everything the service has to say about a test set or a run besides numbers."""

from enum import StrEnum
from typing import Any

from msgspec import UNSET, Struct, UnsetType, field


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
    ROWS_SKIPPED = "rows_skipped"
    ROWS_UNRATED = "rows_unrated"
    FORMAT_UNSURE = "format_unsure"
    ENCODING_GUESSED = "encoding_guessed"
    SCALE_REVERSED = "scale_reversed"
    QUERY_IDS_MISREAD = "query_ids_misread"
    ODD_DOCUMENT_IDS = "odd_document_ids"
    TEXTS_MISSING = "texts_missing"
    RATERS_SETTLED = "raters_settled"
    RATERS_IDENTICAL = "raters_identical"
    BINARY_ONLY = "binary_only"
    HAPPY_PATH_ONLY = "happy_path_only"
    ID_MISMATCH = "id_mismatch"
    PARTIAL_ID_MISMATCH = "partial_id_mismatch"
    LOW_OVERLAP = "low_overlap"
    NO_BETTER_THAN_CHANCE = "no_better_than_chance"
    QUERIES_SWAPPED = "queries_swapped"
    JUDGED_NOT_IN_CORPUS = "judged_not_in_corpus"
    CANARY_FAILED = "canary_failed"
    METRIC_ZERO = "metric_zero"
    SCORE_TOO_HIGH = "score_too_high"
    SATURATED = "saturated"
    CONSTANT_RANKING = "constant_ranking"
    LOW_JUDGED = "low_judged"
    ONE_RELEVANT_EACH = "one_relevant_each"
    GRADED_COLLAPSED = "graded_collapsed"
    DUPLICATE_HITS = "duplicate_hits"
    DEPTH_SHORTFALL = "depth_shortfall"
    LONG_ANSWERS_CUT = "long_answers_cut"
    HOLDOUT_BETTER_THAN_TUNE = "holdout_better_than_tune"
    HOLDOUT_WORN = "holdout_worn"
    WORKER_CRASHED = "worker_crashed"
    ENDED_BY_OPERATOR = "ended_by_operator"
    FAILED_REQUESTS = "failed_requests"
    LOOPBACK_ALLOWED = "loopback_allowed"
    POOLED_JUDGMENTS = "pooled_judgments"
    UNJUDGED_PAIRS = "unjudged_pairs"
    LEAKED_QUERIES = "leaked_queries"
    LIFTED_QUERIES = "lifted_queries"
    REPEATED_QUERIES = "repeated_queries"
    POSSIBLE_PARAPHRASES = "possible_paraphrases"
    CONFLICTING_JUDGMENTS = "conflicting_judgments"
    QUERIES_IN_CORPUS = "queries_in_corpus"
    QUERY_IDS_AS_DOCUMENTS = "query_ids_as_documents"
    SYNTHETIC_SHARE = "synthetic_share"
    SCORES_MISSING_TIES = "scores_missing_ties"
    JUDGE_SAME_FAMILY = "judge_same_family"


class Diagnostic(Struct, frozen=True, kw_only=True):
    """A finding with the rows that show it and what to do about it.

    `evidence` holds at most five small rows; their keys depend on the code. `patch`, where there
    is one, is a change to merge into the run that would mend it; it is never made by itself.
    """

    code: DiagnosticCode
    severity: Severity
    message: str
    fix: str
    evidence: tuple[dict[str, Any], ...] = field(default=())
    patch: dict[str, Any] | UnsetType = UNSET
