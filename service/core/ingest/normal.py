"""The form in which a query is stored."""

import hashlib
from typing import Final

from msgspec import UNSET
from msgspec.structs import replace

from reteval.contract.testsets import Judgment, Query

_DERIVED_HEX: Final = 12


def normalise(sent: Query, relevant: list[Judgment]) -> Query:
    """Give a copy of a query an id, its judgments as `relevant`, and each tag once."""
    return replace(
        sent,
        id=sent.id or f"q_{hashlib.sha256(sent.query.encode()).hexdigest()[:_DERIVED_HEX]}",
        relevant=relevant,
        relevant_ids=UNSET,
        grades=UNSET,
        tags=sent.tags and list(dict.fromkeys(sent.tags)),
    )
