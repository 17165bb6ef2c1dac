"""Splits: a part of a test set to tune on, another that is looked at seldom, and who looked."""

from typing import Annotated, Final

from msgspec import Meta, Struct, field

from reteval.contract import limits
from reteval.contract.testsets import TestSet

TUNE: Final = "tune"
HOLDOUT: Final = "holdout"
STRATA: Final = ("source", "length", "relevant")
"""What queries can be evenly spread by; besides, a tag as `tag:NAME`."""
TAG: Final = "tag:"
MAX_STRATIFIERS: Final = 8
LOOKS_TOLD_FROM: Final = 3
LOOKS_WORN_FROM: Final = 10
"""Runs over a hold-out from which its wear is told, and from which it is warned of."""

SplitName = Annotated[str, Meta(max_length=limits.MAX_NAME_BYTES)]


class SplitRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The body of `POST /v1/test-sets/{id}/splits`.

    `holdout` is the share of queries that goes into `holdout`; the others go into `tune`.
    `stratify_by` names what both parts should have alike: `source`, `length` (in words),
    `relevant` (number of relevant documents) and `tag:NAME` (with or without the tag).
    """

    holdout: Annotated[float, Meta(gt=0, lt=1)] = 0.3
    seed: Annotated[int, Meta(ge=0, le=2**53)] = 0
    stratify_by: Annotated[
        list[Annotated[str, Meta(max_length=600)]], Meta(max_length=MAX_STRATIFIERS)
    ] = field(default_factory=list)


class Stratum(Struct, frozen=True, kw_only=True):
    """How the queries that are alike were divided; variants go with theirs and are not counted."""

    name: str
    queries: int
    tune: int
    holdout: int


class SplitReport(Struct, frozen=True, kw_only=True):
    """The version that was made, and how its queries were divided.

    `groups` counts what could be moved apart: clusters, equal texts and single queries. `strata`
    are the hundred largest, largest first, of `strata_total`.
    """

    test_set: TestSet
    parent: str
    tune: int
    holdout: int
    groups: int
    strata: tuple[Stratum, ...]
    strata_total: int


class SplitShare(Struct, frozen=True, kw_only=True):
    """The split that a run is over; `outside` counts the set's other queries, none of them sent."""

    name: str
    outside: int


class HoldoutLooks(Struct, frozen=True, kw_only=True):
    """Which look at a hold-out a run was, and how many there were.

    A look is an ended run, or rescoring, with answers to queries of the split `holdout`. Looks
    are counted by test-set name and by the ids and texts of the hold-out, whatever the version.
    """

    look: int
    total: int
