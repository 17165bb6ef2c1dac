"""Cases collected from reports against other tools; skipped where the collection is absent."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec import convert

from reteval.contract.metrics import expand_metrics, parse_metric
from reteval.contract.testsets import Judgment, TestSetUpload
from worker.metrics.hits import find_hits
from worker.metrics.judgments import Judgments
from worker.metrics.kernel import score

CASES = Path(__file__).parents[5] / "shared" / "cases" / "metrics.json"
EVERY = [
    *("mrr", "map", "r_precision", "bpref", "rbp", "rbp(p=0.5,rel=2)", "recall(rel=2)"),
    *("recall", "hit_rate", "precision", "f1", "ndcg", "ndcg_exp", "err", "judged"),
]


def load_cases() -> Iterator[Any]:
    """Yield the cases with expected numbers; one that is skipped where there is no file."""
    if not CASES.exists():
        reason = "the shared collection of cases is not beside this checkout"
        yield pytest.param({}, id="absent", marks=pytest.mark.skip(reason=reason))
        return
    for case in json.loads(CASES.read_bytes()):
        if "expect" in case:
            yield pytest.param(case, id=case["id"])


def read_case(case: dict[str, Any]) -> tuple[Judgments, list[list[str]]]:
    """Index a case's queries and find their answers."""
    upload = convert(case["test_set"], TestSetUpload)
    for query in upload.queries:
        if not query.relevant:
            grades = query.grades or [1] * len(query.relevant_ids or [])
            query.relevant = [
                Judgment(document, grade)
                for document, grade in zip(query.relevant_ids or [], grades, strict=True)
            ]
    judgments = Judgments.build(
        upload.queries, relevant_from=upload.relevant_from, scale_max=upload.scale.max
    )
    return judgments, [
        list(map(str, case["answers"].get(query.query, []))) for query in upload.queries
    ]


@pytest.mark.parametrize("case", list(load_cases()))
def test_case_has_its_numbers(case: dict[str, Any]) -> None:
    """Means over scorable queries, as the case says; every metric of every case in [0, 1]."""
    judgments, rankings = read_case(case)
    hits = find_hits(judgments, rankings, depth=max(10, *case["k_values"]))
    expected = case["expect"]
    values = score(judgments, hits, [parse_metric(name) for name in expected])
    means = {str(metric): float(np.nanmean(column)) for metric, column in values.items()}
    assert means == pytest.approx(expected, abs=5e-7)
    for column in score(judgments, hits, expand_metrics(EVERY, case["k_values"])).values():
        known = column[~np.isnan(column)]
        assert ((known >= 0) & (known <= 1)).all()
