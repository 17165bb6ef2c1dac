"""What can be wrong with how an endpoint's ids are respelled and looked up."""

from collections.abc import Iterator
from typing import Final

from reteval.contract.endpoints import Endpoint
from reteval.contract.id_rules import check_op
from reteval.contract.problems import ProblemItem
from service.egress import EgressError
from service.egress.urls import parse_url

ID: Final = "{{id}}"


def check_ids(endpoint: Endpoint) -> Iterator[ProblemItem]:
    """Find flaws of `id_rule` and `lookup`."""
    for place, op in enumerate(endpoint.id_rule):
        reason = check_op(op)
        if reason:
            yield ProblemItem(
                pointer=f"/endpoint/id_rule/{place}",
                message=reason,
                fix='Write an operation such as {"op": "strip_prefix", "text": "doc-"}.',
            )
    if endpoint.lookup is not None:
        yield from _check_lookup(endpoint, endpoint.lookup)


def _check_lookup(endpoint: Endpoint, lookup: str) -> Iterator[ProblemItem]:
    reason = ""
    if ID not in lookup:
        reason = f"it does not say where the id stands: {ID} is missing"
    try:
        if parse_url(lookup).origin != parse_url(endpoint.url).origin:
            reason = "it leads to another host or port than `url`, and headers would go along"
    except EgressError as exc:
        reason = reason or str(exc)
    if reason:
        yield ProblemItem(
            pointer="/endpoint/lookup",
            message=reason,
            fix=f"Write a URL beside the endpoint's own, such as https://host/documents/{ID}.",
        )
