"""The adversarial block of a report: how much each kind of query hurts, and what that is worth."""

from msgspec import UNSET, Struct, UnsetType, field

from reteval.contract.hostile import HostileCase
from reteval.contract.out_of_corpus import OutOfCorpus


class Calls(Struct, frozen=True, kw_only=True):
    """Outcomes of the variants' requests; `blocked` are those refused with 401/403/406/429."""

    planned: int
    ok: int
    ok_empty: int
    failed: int
    blocked: int
    skipped: int


class Drop(Struct, frozen=True, kw_only=True):
    """Mean loss in metric points, clean minus variant, paired over information needs.

    `p` is that of the two-sided sign-flip test, `p_holm` the same after Holm's correction for
    all kinds and severities of the run; the interval is not adjusted.
    """

    mean: float | None
    ci: tuple[float, float] | None
    method: str
    level: float
    p: float | UnsetType = UNSET
    p_holm: float | UnsetType = UNSET
    reason: str | UnsetType = UNSET


class Relative(Struct, frozen=True, kw_only=True):
    """Loss as a share of the clean score (ratio of means), with Fieller's interval."""

    value: float | None
    ci: tuple[float, float] | None = None
    method: str = "fieller"
    level: float = 0.95
    reason: str | UnsetType = UNSET


class Share(Struct, frozen=True, kw_only=True):
    """A number of needs and their share, with a Wilson interval."""

    n: int
    share: float | None
    ci: tuple[float, float] | None


class Detectable(Struct, frozen=True, kw_only=True):
    """The least true drop that this many needs would show, as often as `power` says."""

    drop: float | None
    power: float = 0.8
    alpha: float = 0.05
    reason: str | UnsetType = UNSET


class Condensed(Struct, frozen=True, kw_only=True):
    """The drop on lists without unjudged documents: where it is gone, judgments are missing."""

    drop: float | None
    ci: tuple[float, float] | None
    reason: str | UnsetType = UNSET


class WordBin(Struct, frozen=True, kw_only=True):
    """The drop over the needs whose queries have so many content words."""

    bin: str
    needs: int
    drop: float
    ci: tuple[float, float] | None
    reason: str | UnsetType = UNSET


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
    """One kind at one severity against the same queries clean.

    `status` counts the variants' requests, `clean_status` the clean requests they are held
    against. Fields with a default are absent in reports of suite 2026.0.
    """

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
    min_detectable: Detectable | UnsetType = UNSET
    condensed: Condensed | UnsetType = UNSET
    by_content_words: tuple[WordBin, ...] = ()
    clean_status: dict[str, int] = {}
    reason: str | UnsetType = UNSET


class Changing(Struct, frozen=True, kw_only=True):
    """A kind that asks for something else, so that the list should move.

    `rbo` is the mean overlap with the clean list and `control_rbo` that of the clean query sent
    twice. `sensitive`: the interval lies more than `margin` below the control; `insensitive`:
    it lies nearer than that; else `inconclusive`, or `not_run`.
    """

    kind: str
    family: str
    severity: int
    target: str
    source: str
    needs: int
    not_applicable: dict[str, int]
    rbo: float | None
    ci: tuple[float, float] | None
    p: float
    control_rbo: float | None
    margin: float
    status: dict[str, int]
    verdict: str
    reason: str | UnsetType = UNSET


class Control(Struct, frozen=True, kw_only=True):
    """The clean queries sent twice: the noise every other figure stands against."""

    kind: str
    drop: Drop
    rbo: float | None
    changed_lists: int
    needs: int
    reason: str | UnsetType = UNSET


class Summary(Struct, frozen=True, kw_only=True):
    """The block in one line; `macro_drop` averages the kinds that were run: `kinds`.

    `verdicts` counts the kinds, each severity by itself.
    """

    macro_drop: float | None
    kinds_run: int
    worst_kind: str | None
    inconclusive: int
    kinds: tuple[str, ...] = ()
    verdicts: dict[str, int] = {}
    reason: str | UnsetType = UNSET


class AdversarialReport(Struct, frozen=True, kw_only=True):
    """Everything the variants showed; an absent part was not run."""

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
    changing: tuple[Changing, ...] = ()
    hostile: tuple[HostileCase, ...] | UnsetType = UNSET
