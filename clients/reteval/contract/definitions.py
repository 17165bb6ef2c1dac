"""How the numbers of a report are made, in words: formulas and the rules that always hold."""

from typing import Final

FORMULAS: Final = {
    "recall": "relevant documents in the top k / all relevant documents",
    "hit_rate": "1 if any relevant document is in the top k, else 0",
    "precision": "relevant documents in the top k / k, also where fewer were returned",
    "f1": "harmonic mean of precision@k and recall@k: "
    "2 * relevant documents in the top k / (k + all relevant documents)",
    "mrr": "1 / rank of the first relevant document, 0 if there is none",
    "ndcg": "sum of grade / log2(rank + 1) over the top k / the same of the ideal ranking",
    "ndcg_exp": "sum of (2^grade - 1) / log2(rank + 1) over the top k / "
    "the same of the ideal ranking",
    "map": "sum of the precision at each relevant document / all relevant documents",
    "r_precision": "relevant documents in the top R / R, R being all relevant documents",
    "bpref": "mean over the R relevant documents of 1 - min(n, R) / min(N, R), n being the judged "
    "non-relevant documents above it and N all of them; 0 for one that was not returned",
    "err": "sum over ranks of 1 / rank * the probability that the reader stops there; a document "
    "satisfies with probability (2^grade - 1) / 2^scale.max",
    "rbp": "(1 - p) * sum of gain * p^(rank - 1); the gain is grade / scale.max, or with rel "
    "1 for a relevant document",
    "judged": "judged documents in the top k / min(k, returned); null on an empty answer",
}
"""By the name of the metric's family."""
RULES: Final = {
    "gain": "linear",
    "ideal": "all judged, cut at k",
    "unjudged": "gain 0, not relevant; judged_only leaves them out of the ranking",
    "negative_grade": "gain 0, not relevant, judged; bpref leaves it out on both sides",
    "duplicates": "first counts; a repeat keeps its place with gain 0",
    "empty": "0; judged@k is null",
    "failed": "excluded, bounded: bounds count each as 0 and as 1",
    "unscorable": "excluded, counted: a query without a relevant document is null; "
    "with rel, also one without a document of that grade",
    "order": "as delivered; scores never re-order",
    "mean": "over answered scorable queries, each with weight 1",
    "sd": "of the values of those queries, divisor n - 1",
}
"""What holds for every metric of every run."""
THRESHOLD_SCOPE: Final = (
    "all metrics but ndcg, ndcg_exp, err and rbp, which take grades as they are; "
    "a metric's own rel goes before it"
)
