"""The adversarial block of a report: how much each kind of query hurts, and what that is worth."""

from msgspec import UNSET, Struct, UnsetType, field


class Calls(Struct, frozen=True, kw_only=True):
    """Outcomes of the variants' requests; `blocked` are those refused with 401/403/406/429."""

    planned: int
    ok: int
    ok_empty: int
    failed: int
    blocked: int
    skipped: int


class Drop(Struct, frozen=True, kw_only=True):
    """Mean loss in metric points, clean minus variant, paired over information needs."""

    mean: float | None
    ci: tuple[float, float] | None
    method: str
    level: float
    reason: str | UnsetType = UNSET


class Relative(Struct, frozen=True, kw_only=True):
    """Loss as a share of the clean score (ratio of means)."""

    value: float | None
    reason: str | UnsetType = UNSET


class Share(Struct, frozen=True, kw_only=True):
    """A number of needs and their share, with a Wilson interval."""

    n: int
    share: float | None
    ci: tuple[float, float] | None


class Worst(Struct, frozen=True, kw_only=True):
    """Mean over needs of the worst of at most `of` variants."""

    variant: float | None
    of: int


class Overlap(Struct, frozen=True, kw_only=True):
    """Agreement of the variant's list with the clean one: RBO (persistence `p`) and shares."""

    rbo: float | None
    p: float
    top1_same: float | None
    jaccard: float | None
    k: int
    reason: str | UnsetType = UNSET


class Before(Struct, frozen=True, kw_only=True):
    """The same figure for clean queries and their variants."""

    clean: float | None
    variant: float | None
    reason: str | UnsetType = UNSET


class Example(Struct, frozen=True, kw_only=True):
    """A query that lost much: what was sent, and the metric before and after."""

    query_id: str
    clean: str
    variant: str
    before: float = field(name="from")
    after: float = field(name="to")
    status: str


class KindReport(Struct, frozen=True, kw_only=True):
    """One kind at one severity against the same queries clean."""

    kind: str
    family: str
    severity: int
    target: str
    replicates: int
    labels: str
    source: str
    headline: str
    needs: int
    not_applicable: dict[str, int]
    content_words_mean: float | None
    clean: float | None
    variant: float | None
    drop: Drop
    relative_drop: Relative
    worst_case: Worst
    hurt: Share
    helped: Share
    lost_all: int
    overlap: Overlap
    judged: Before
    status: dict[str, int]
    latency_ms: dict[str, Before]
    verdict: str
    examples: tuple[Example, ...]
    reason: str | UnsetType = UNSET


class Control(Struct, frozen=True, kw_only=True):
    """The clean queries sent twice: the noise every other figure stands against."""

    kind: str
    drop: Drop
    rbo: float | None
    changed_lists: int
    needs: int
    reason: str | UnsetType = UNSET


class Tier(Struct, frozen=True, kw_only=True):
    """How the endpoint answered queries that nothing in it can answer."""

    tier: str
    queries: int
    answered: int
    abstention_rate: float | None
    abstention_ci: tuple[float, float] | None
    page_fill: float | None
    status: dict[str, int]
    examples: tuple[str, ...]
    reason: str | UnsetType = UNSET


class Refusals(Struct, frozen=True, kw_only=True):
    """Clean queries with known answers that came back empty: the price of abstaining."""

    n: int
    of: int


class OutOfCorpus(Struct, frozen=True, kw_only=True):
    """Queries without an answer; never part of any drop."""

    tiers: tuple[Tier, ...]
    false_refusal_rate: Refusals


class Summary(Struct, frozen=True, kw_only=True):
    """The block in one line; `macro_drop` averages the kinds that were run."""

    macro_drop: float | None
    kinds_run: int
    worst_kind: str | None
    inconclusive: int
    reason: str | UnsetType = UNSET


class AdversarialReport(Struct, frozen=True, kw_only=True):
    """Everything the variants showed."""

    suite: str
    seed: int
    metric: str
    k: int
    needs: int
    sampled_from: int
    calls: Calls
    control: Control | None
    kinds: tuple[KindReport, ...]
    out_of_corpus: OutOfCorpus | None
    summary: Summary
    limits: tuple[str, ...]
