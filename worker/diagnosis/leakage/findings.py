"""What leakage is worth saying in words: a diagnosis each, with pairs to look at."""

from collections.abc import Iterable, Sequence
from typing import Any

from reteval.contract.diagnostics import Diagnostic, DiagnosticCode, Severity
from reteval.contract.leakage import (
    Conflict,
    DocumentMatch,
    LeakedPair,
    LeakPlace,
)
from reteval.contract.leaks import LeakKind
from worker.diagnosis.facts import MAX_EVIDENCE, count
from worker.diagnosis.leakage.forms import ALIKE


def tell_leaked(leaked: int, total: int, pairs: Sequence[LeakedPair]) -> Iterable[Diagnostic]:
    """Tell of queries that a split or list for tuning has, too."""
    shown = [pair for pair in pairs if pair.place in (LeakPlace.AGAINST, LeakPlace.BETWEEN)]
    if leaked:
        yield Diagnostic(
            code=DiagnosticCode.LEAKED_QUERIES,
            severity=Severity.WARN,
            message=f"{leaked} of {count(total, 'query', 'queries')} "
            f"({leaked / total:.1%}) stand in another split or in the list they were checked "
            "against, too, the same or nearly: a search that was tuned on them is measured on what "
            "it has seen.",
            fix="Read the metrics without them; take them out of the hold-out, or out of tuning, "
            "in a new version. Split by need (cluster_id), not by query.",
            evidence=_show(shown, ALIKE),
        )


def tell_lifted(lifted: int, compared: int, pairs: Sequence[LeakedPair]) -> Iterable[Diagnostic]:
    """Tell of queries that stand in a document."""
    if lifted:
        yield Diagnostic(
            code=DiagnosticCode.LIFTED_QUERIES,
            severity=Severity.WARN,
            message=f"{lifted} of {count(compared, 'query', 'queries')} that could be compared "
            "with texts of documents stand in one of them, word for word or nearly: any search "
            "that matches words finds it, and people do not ask like that.",
            fix="Read the metrics without them, and compare the sources: what queries people "
            "typed score is what to expect. Have queries written without the document in view.",
            evidence=_show(pairs, {LeakKind.VERBATIM, LeakKind.LIFTED}),
        )


def tell_repeated(repeated: int, total: int, pairs: Sequence[LeakedPair]) -> Iterable[Diagnostic]:
    """Tell of queries that are asked twice within a split, or a set without splits."""
    shown = [pair for pair in pairs if pair.place is LeakPlace.WITHIN]
    if repeated and shown:
        yield Diagnostic(
            code=DiagnosticCode.REPEATED_QUERIES,
            severity=Severity.INFO,
            message=f"{repeated} of {count(total, 'query', 'queries')} are asked again in the same "
            "words or nearly: each counts in the mean, and the interval takes them for "
            "independent.",
            fix="Merge them, or give them one cluster_id, by which intervals are made.",
            evidence=_show(shown, ALIKE),
        )


def tell_paraphrases(pairs: Sequence[LeakedPair]) -> Iterable[Diagnostic]:
    """Tell of queries in other words that may be one need."""
    shown = [pair for pair in pairs if pair.kind is LeakKind.POSSIBLE_PARAPHRASE]
    if shown:
        yield Diagnostic(
            code=DiagnosticCode.POSSIBLE_PARAPHRASES,
            severity=Severity.INFO,
            message=f"{count(len(shown), 'pair')} of queries have exactly the same few relevant "
            "documents, or differ in a word or two: they may be one need in other words.",
            fix="Look at them; where it is one need, give them one cluster_id, and keep it in one "
            "split.",
            evidence=_show(shown, {LeakKind.POSSIBLE_PARAPHRASE}),
        )


def tell_conflicts(conflicts: Sequence[Conflict]) -> Iterable[Diagnostic]:
    """Tell of texts that are judged in two ways."""
    if conflicts:
        yield Diagnostic(
            code=DiagnosticCode.CONFLICTING_JUDGMENTS,
            severity=Severity.WARN,
            message=f"{count(len(conflicts), 'text')} with more than one id have judgments that "
            "differ: a search that answers both alike is right for one and wrong for the other.",
            fix="Merge the queries and settle the grades, or tell them apart by their text.",
            evidence=tuple(
                {
                    "query_ids": list(conflict.query_ids),
                    "query": conflict.text,
                    "grades": {doc: list(row) for doc, row in conflict.documents.items()},
                }
                for conflict in conflicts[:MAX_EVIDENCE]
            ),
        )


def tell_in_corpus(matches: Sequence[DocumentMatch]) -> Iterable[Diagnostic]:
    """Tell of queries that are a document."""
    if matches:
        yield Diagnostic(
            code=DiagnosticCode.QUERIES_IN_CORPUS,
            severity=Severity.WARN,
            message=f"{count(len(matches), 'query', 'queries')} are, as a whole, the text of a "
            "document: the search finds the query itself.",
            fix="Take the queries out of what is indexed, or judge those documents, too.",
            evidence=tuple(
                {"query_id": match.query_id, "document_id": match.document_id, "query": match.text}
                for match in matches[:MAX_EVIDENCE]
            ),
        )


def tell_shared_ids(query_ids: Sequence[str]) -> Iterable[Diagnostic]:
    """Tell of ids that name a query and a document."""
    if query_ids:
        yield Diagnostic(
            code=DiagnosticCode.QUERY_IDS_AS_DOCUMENTS,
            severity=Severity.INFO,
            message=f"{count(len(query_ids), 'id')} name a query as well as a document. Nothing is "
            "dropped here, but some tools leave a document out of the answer to a query of the "
            "same id, and their numbers are others.",
            fix="Give queries ids of their own, such as with a prefix, before other tools read "
            "the set.",
            evidence=tuple({"id": query_id} for query_id in query_ids[:MAX_EVIDENCE]),
        )


def show_pair(pair: LeakedPair) -> dict[str, Any]:
    """Return a pair as a row of evidence."""
    row: dict[str, Any] = {
        "kind": pair.kind.value,
        "query_id": pair.query.id,
        "query": pair.query.text,
        "like_id": pair.other.id,
        "like": pair.other.text,
    }
    if pair.similarity is not None:
        row["similarity"] = pair.similarity
    if pair.place is LeakPlace.BETWEEN:
        row["splits"] = [pair.query.split, pair.other.split]
    if pair.lift is not None:
        row["run"] = pair.lift.run
        row["length"] = pair.lift.length
    return row


def _show(pairs: Iterable[LeakedPair], kinds: Iterable[LeakKind]) -> tuple[dict[str, Any], ...]:
    wanted = [pair for pair in pairs if pair.kind in kinds]
    return tuple(show_pair(pair) for pair in wanted[:MAX_EVIDENCE])
