"""Probes: a handful of queries sent to an endpoint, and everything that can be seen in them."""

from typing import Annotated, Any, Final

from msgspec import UNSET, Meta, Struct, UnsetType, field

from reteval.contract import limits
from reteval.contract.endpoints import Endpoint
from reteval.contract.outcomes import FailureCode, OutcomeStatus
from reteval.contract.runs import K, Limits, RunStatus

MAX_QUERIES: Final = 5
"""Queries that a probe sends at most."""
LOOKED_UP: Final = 200
"""Judged ids that are asked for by `lookup` at most."""
KEPT_S: Final = 86_400
"""Seconds that a probe is kept."""
SHOWN_HITS: Final = 3


class ProbeQuery(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A query to send, with what should come back if that is known."""

    query: Annotated[str, Meta(min_length=1, max_length=limits.MAX_QUERY_BYTES)]
    relevant_ids: Annotated[tuple[str | int, ...], Meta(max_length=100)] = ()


class ProbeRequest(Struct, kw_only=True, forbid_unknown_fields=True):
    """The body of `POST /v1/probes`: queries, or a test set to take five from, or both.

    With both, the given queries are sent and the test set lends judgments to those it has.
    """

    endpoint: Endpoint
    test_set: Annotated[str, Meta(min_length=1, max_length=limits.MAX_NAME_BYTES)] | None = None
    queries: Annotated[tuple[ProbeQuery, ...], Meta(max_length=MAX_QUERIES)] = ()
    depth: K = 10
    limits: Limits = Limits(concurrency=1, retries=0)


class IdOverlap(Struct, frozen=True, kw_only=True):
    """How far returned ids are judged ids.

    `overlap_q` is the share of answers that hold a judged id of their query, `overlap_id` the
    share of judged ids that came back; `chance` is `overlap_q` after exchanging the answers
    between queries. Null where there is nothing to divide by.
    """

    answers: int
    overlap_q: float | None
    overlap_id: float | None
    chance: float | None = None


class IdPair(Struct, frozen=True, kw_only=True):
    """A returned and a judged id that a suggestion would make equal: to `both_become`."""

    query_id: str
    returned: str
    judged: str
    both_become: str


class Suggestion(Struct, frozen=True, kw_only=True):
    """A change of the endpoint's description, or of the test set's ids; never made by itself.

    `patch` is to be merged into the body of a run. `roll_up`: several returned ids become one
    document. `proven` is false where the answers are too few to rule out chance.
    """

    message: str
    patch: dict[str, Any]
    before: IdOverlap | UnsetType = UNSET
    after: IdOverlap | UnsetType = UNSET
    examples: tuple[IdPair, ...] = ()
    roll_up: bool = False
    proven: bool = True


class SentRequest(Struct, frozen=True, kw_only=True):
    """A request as it left, secrets masked."""

    method: str
    url: str
    headers: dict[str, str]
    body: str | None


class ProbeAnswer(Struct, frozen=True, kw_only=True):
    """One query and what came of it.

    `hits` are the first raw hits, long texts cut; `answer` begins a body that held none. `ids`
    and `scores` are what the mapping made of the answer, `judged` the ids it should hold.
    """

    query_id: str
    query: str
    request: SentRequest | None
    status: OutcomeStatus
    code: FailureCode | None = None
    detail: str = ""
    http_status: int | None = None
    content_type: str = ""
    latency_ms: float | None = None
    returned: int = 0
    hits: tuple[Any, ...] = ()
    answer: str = ""
    ids: tuple[str, ...] = ()
    scores: tuple[float, ...] | None = None
    judged: tuple[str, ...] = ()
    judged_returned: tuple[str, ...] = ()


class FieldCandidate(Struct, frozen=True, kw_only=True):
    """A field of the hits: what it looks like (`id`, `score`, `text`, `other`), and its overlap."""

    path: str
    looks_like: str
    samples: tuple[str, ...]
    overlap: IdOverlap | UnsetType = UNSET


class ListCandidate(Struct, frozen=True, kw_only=True):
    """A list in the answers that may be the hits, as JMESPath; `@` is the answer itself."""

    path: str
    length: int
    fields: tuple[FieldCandidate, ...]


class IdProfile(Struct, frozen=True, kw_only=True):
    """What the ids of one side look like. `shapes` counts patterns: `9` a digit, `a` letters."""

    ids: int
    shortest: int
    longest: int
    prefix: str
    suffix: str
    shapes: dict[str, int]
    traits: dict[str, int]


class Lookup(Struct, frozen=True, kw_only=True):
    """How many judged ids the endpoint knows, of a sample that was asked for one by one."""

    asked: int
    found: int
    missing: int
    failed: int
    examples: tuple[str, ...]


class ProbeReport(Struct, frozen=True, kw_only=True):
    """Everything a probe showed. `problems` explains failures; `suggestions` are best first."""

    answers: tuple[ProbeAnswer, ...]
    overlap: IdOverlap
    problems: tuple[str, ...]
    suggestions: tuple[Suggestion, ...]
    lists: tuple[ListCandidate, ...]
    returned: IdProfile | None
    judged: IdProfile | None
    lookup: Lookup | None = None


class Probe(Struct, frozen=True, kw_only=True):
    """State of a probe; `report` is there once it has ended well. Kept for a day."""

    id: str
    status: RunStatus
    created_at: str
    endpoint: Endpoint
    links: dict[str, str] = field(default_factory=dict)
    error: str | None = None
    poll_after_s: float | None = None
    report: ProbeReport | None = None
