"""Exported test sets: the formats, and what each of them has no place for."""

from enum import StrEnum
from typing import Final

LOST_HEADER: Final = "Reteval-Lost"
"""The header of an export that names what of the set is not in it; absent where all is."""
DEFAULT_INDEX: Final = "documents"
"""The index of an Elasticsearch request, where none is named."""
MAX_INDEX_BYTES: Final = 255


class ExportFormat(StrEnum):
    """What a test set can be written as."""

    JSONL = "jsonl"
    CSV = "csv"
    TREC = "trec"
    BEIR = "beir"
    RANX = "ranx"
    IR_MEASURES = "ir_measures"
    QUEPID = "quepid"
    QUEPID_CASE = "quepid_case"
    RANKLIB = "ranklib"
    RRE = "rre"
    SRW = "srw"
    RANK_EVAL = "rank_eval"
    LLAMAINDEX = "llamaindex"
    RAGAS = "ragas"


ARCHIVES: Final = frozenset({ExportFormat.TREC, ExportFormat.BEIR})
"""Formats of several files: a zip with a README."""


class Loss(StrEnum):
    """What of a test set is not, or not exactly, in a file."""

    IDS = "ids"
    TEXTS = "texts"
    GRADES = "grades"
    UNJUDGED = "unjudged"
    UNSCORABLE = "unscorable"
    PROVENANCE = "provenance"
    TAGS = "tags"
    SPLIT = "split"
    EXPECT = "expect"
    CLUSTER_ID = "cluster_id"
    SOURCE = "source"
    PARENT = "parent"
    KIND = "kind"
    FIELDS = "fields"
    SAME_TEXTS = "same_texts"
    WHITE_SPACE = "white_space"
    ENCODED_IDS = "encoded_ids"
    FORMULAS = "formulas"
    SCALE = "scale"
    RELEVANT_FROM = "relevant_from"
    LANGUAGE = "language"
    ID_RULE = "id_rule"
