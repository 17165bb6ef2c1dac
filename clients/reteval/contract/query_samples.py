"""Queries drawn from a log of searches: cleaned, without secrets, counted."""

from enum import StrEnum
from typing import Final

from msgspec import Struct

from reteval.contract.testsets import Query

MAX_LOG_BYTES: Final = 50_000_000
"""Largest log; count a larger one first, and send it with a column `count`."""
MAX_LOG_TEXTS: Final = 500_000
"""Different lines of a log, and users with what each of them asked."""
DEFAULT_SAMPLE: Final = 200


class SampleMethod(StrEnum):
    """How queries are drawn. Each is a random sample under a seed, but `top`."""

    HEAD_TORSO_TAIL = "head_torso_tail"
    PROPORTIONAL = "proportional"
    RANDOM = "random"
    TOP = "top"


class Stratum(StrEnum):
    """A third of all searches: the most frequent queries, those in the middle, the rare ones."""

    HEAD = "head"
    TORSO = "torso"
    TAIL = "tail"


class SecretKind(StrEnum):
    """What is taken out of a query; its name in brackets stands in its place."""

    TOKEN = "token"  # noqa: S105 - the kind of a secret, and none
    EMAIL = "email"
    IBAN = "iban"
    CARD = "card"
    PHONE = "phone"
    DIGITS = "digits"


class Drop(StrEnum):
    """Why a line was left out."""

    UNREADABLE = "unreadable"
    EMPTY = "empty"
    TOO_LONG = "too_long"
    ONLY_SECRETS = "only_secrets"
    REPEATED_BY_USER = "repeated_by_user"
    RARE = "rare"


class StratumCounts(Struct, frozen=True, kw_only=True):
    """How many different queries a stratum has, how often they were asked, how many were drawn."""

    queries: int
    searches: int
    sampled: int


class QuerySample(Struct, frozen=True, kw_only=True):
    """A sample, most frequent first, as queries that can be uploaded and judged.

    `lines` were read; `searches` are those that were kept, of `distinct` queries. `dropped`
    counts searches by reason, `redacted` secrets by kind, both over the whole log. A query's
    stratum is its tag; its `fields` are `frequency`, how often it was asked, and `share`, the
    part of all searches that it stands for.
    """

    method: SampleMethod
    seed: int
    lines: int
    searches: int
    distinct: int
    dropped: dict[Drop, int]
    redacted: dict[SecretKind, int]
    strata: dict[Stratum, StratumCounts]
    queries: tuple[Query, ...]
