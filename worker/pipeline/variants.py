"""What each variant was worth beside its clean query, so that any drop can be recomputed."""

import numpy as np

from worker.pipeline.drops import Values
from worker.pipeline.kind_report import run_trial
from worker.pipeline.pairing import Evidence, score_plan


def value_variants(evidence: Evidence) -> tuple[Values, Values]:
    """Return each variant's headline metric and that of the query it was made from.

    Both of shape (m,) for the m requests of the plan that have a kind, in plan order; NaN where
    a side was not answered, and for queries that are out of corpus.
    """
    scores = score_plan(evidence)
    values = np.full(len(evidence.plan), np.nan)
    clean = np.full(len(evidence.plan), np.nan)
    for kind in evidence.suite.kinds:
        trial = run_trial(kind, evidence, scores)
        values[trial.places] = trial.values[trial.places]
        clean[trial.places] = trial.values[[scores.sources[at].place for at in trial.places]]
    variants = [place for place, request in enumerate(evidence.plan) if request.kind]
    return values[variants], clean[variants]
