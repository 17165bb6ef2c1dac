"""Which queries a probe sends, and which ids are judged for them."""

from collections.abc import Iterable, Sequence

from reteval.contract.probes import ProbeQuery
from reteval.contract.testsets import Judgment, Query


def choose_queries(
    given: Sequence[ProbeQuery], stored: Sequence[Query], *, most: int
) -> list[Query]:
    """Return the given queries, with judgments of the set's equal ones, or some of the set's own.

    Of the set, judged queries come first, evenly spread; hand-made variants are left out.
    """
    if given:
        known = {query.query: query for query in stored}
        return [_adopt(place, query, known.get(query.query)) for place, query in enumerate(given)]
    own = [query for query in stored if not query.parent]
    judged = [query for query in own if query.relevant]
    pool = judged or own
    if len(pool) <= most:
        return list(pool)
    return [pool[at * len(pool) // most] for at in range(most)]


def judged_ids(queries: Iterable[Query]) -> list[str]:
    """Return the different judged ids of queries, in order."""
    return list(
        dict.fromkeys(str(judgment.id) for query in queries for judgment in (query.relevant or ()))
    )


def _adopt(place: int, given: ProbeQuery, known: Query | None) -> Query:
    own = [Judgment(str(doc)) for doc in given.relevant_ids]
    if known is None:
        return Query(id=f"probe-{place + 1}", query=given.query, relevant=own)
    stored = list(known.relevant or ())
    return Query(id=known.id, query=known.query, relevant=own or stored, fields=known.fields)
