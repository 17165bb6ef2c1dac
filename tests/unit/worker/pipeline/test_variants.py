import numpy as np

from reteval.contract.runs import AdversarialRequest
from tests.unit.worker.pipeline.answers import MRR, kind_of, literal, many, read, report_on, send


def test_values_of_variants_repeat_the_drop() -> None:
    """The stored columns are enough to recompute the mean; out of corpus has no value."""
    request = AdversarialRequest(kinds=["typo.mixed", "out_of_corpus.gibberish"], severities=[1])
    evidence = send(many(6), literal, request, metric=MRR)
    worth = read(evidence).worth.read()
    values, clean = worth["value"], worth["clean"]
    typo = kind_of(report_on(evidence), "typo.mixed")
    assert len(values) == len(evidence.suite.requests) == 18 + 60
    assert np.nanmean(clean - values) == typo.drop.mean
    assert np.isnan(values[18:]).all()
