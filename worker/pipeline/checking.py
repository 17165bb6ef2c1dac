"""A leakage check of a stored test set: what it is held to, in the words of the diagnosis."""

from array import array
from collections.abc import Mapping, Sequence

import numpy as np
from msgspec import Struct

from reteval.contract.outcomes import Outcome
from reteval.contract.testsets import Query
from worker.diagnosis.leakage.check import Checked, Material, check_leakage
from worker.diagnosis.leakage.listing import show_query


class Beside(Struct, frozen=True, kw_only=True):
    """What a set is held to.

    `texts`, or `others`, the queries of another set, are a list of what was used for tuning;
    None: there is none. `outcomes` and `columns` are of a run, in one order.
    """

    texts: Sequence[str] | None = None
    others: Sequence[Query] | None = None
    corpus: Mapping[str, str] = {}
    outcomes: Mapping[str, Outcome] = {}
    columns: Mapping[str, "array[float]"] = {}


def check_queries(
    test_set: str, queries: Sequence[Query], beside: Beside, *, relevant_from: int
) -> Checked:
    """Look for leakage, within the queries and from what is beside them."""
    against = None
    if beside.others is not None:
        against = [
            show_query(query.id, query.query, query.split, query.source) for query in beside.others
        ]
    elif beside.texts is not None:
        against = [show_query(str(at), text) for at, text in enumerate(beside.texts, start=1)]
    return check_leakage(
        Material(
            test_set=test_set,
            queries=queries,
            relevant_from=relevant_from,
            against=against,
            corpus=beside.corpus,
            outcomes=beside.outcomes,
            asked=tuple(beside.outcomes),
            columns={name: np.array(column) for name, column in beside.columns.items()},
        )
    )
