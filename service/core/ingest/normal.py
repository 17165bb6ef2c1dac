"""The form in which a query is stored."""

import hashlib
from typing import Final

from msgspec import UNSET
from msgspec.structs import replace

from reteval.contract.testsets import Judgment, Query

_DERIVED_HEX: Final = 12


def identify(query: Query) -> str:
    """Return the id of a query as sent: its own, or one made of its text."""
    return query.id or f"q_{hashlib.sha256(query.query.encode()).hexdigest()[:_DERIVED_HEX]}"


def normalise(sent: Query, relevant: list[Judgment]) -> Query:
    """Give a copy of a query an id, its judgments as `relevant`, and each tag once."""
    return replace(
        sent,
        id=identify(sent),
        relevant=relevant,
        relevant_ids=UNSET,
        grades=UNSET,
        tags=sent.tags and list(dict.fromkeys(sent.tags)),
    )
