"""Which slices a query is in."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from reteval.contract.slices import name_length, name_relevant
from reteval.contract.testsets import Query

NOT_RATED: Final[Mapping[str, str]] = MappingProxyType({})


def name_slices(
    query: Query, *, relevant_from: int, difficulty: Mapping[str, str] = NOT_RATED
) -> list[str]:
    """Return the slices a query is in, such as `tag:faq`; `difficulty` is by query id.

    One that expects nothing has no documents to count.
    """
    names = [f"tag:{tag}" for tag in dict.fromkeys(query.tags)]
    if query.split:
        names.append(f"split:{query.split}")
    if query.source:
        names.append(f"source:{query.source}")
    names.append(name_length(query))
    if not query.expect:
        names.append(name_relevant(query, relevant_from))
    if rated := difficulty.get(query.id):
        names.append(f"difficulty:{rated}")
    return names
