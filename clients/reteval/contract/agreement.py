"""How far a judge's grades agree with people's, what fools it, and a metric put right by it."""

from enum import StrEnum

from msgspec import UNSET, Struct, UnsetType


class Estimate(Struct, frozen=True, kw_only=True):
    """A figure with its interval over queries.

    Where `value` or `ci` is null, `reason` says why: "no_pairs", "one_class" (a rater used one
    grade alone, so agreement beyond chance is undefined), "unaudited_grade" (a grade that the
    judge gave has no audited pair), "too_few" (less than two queries) or "no_variation".
    """

    value: float | None
    ci: tuple[float, float] | None
    level: float
    method: str
    reason: str | UnsetType = UNSET


class Agreement(Struct, frozen=True, kw_only=True):
    """A judge against people on the pairs that both graded.

    `matrix` counts pairs, a row for each grade of people and a column for each of the judge. All
    figures weigh them, where the sample was stratified, by how often the judge gave the grade.
    `kappa` is Cohen's, `kappa_weighted` with quadratic weights, `kappa_binary` at
    `relevant_from`; `alpha` is Krippendorff's for ordinal grades. `signed_difference` is the
    mean of judge less people: above 0 the judge is lenient. `precision` holds, for each grade of
    the judge, the share that people gave the same. `too_perfect`: they agree more often than
    people who work independently do, so that one was probably copied from the other.
    """

    pairs: int
    queries: int
    relevant_from: int
    stratified: bool
    matrix: tuple[tuple[int, ...], ...]
    exact: Estimate
    within_one: Estimate
    kappa: Estimate
    kappa_weighted: Estimate
    kappa_binary: Estimate
    alpha: Estimate
    signed_difference: Estimate
    precision: tuple[Estimate, ...]
    too_perfect: bool


class RaterPair(Struct, frozen=True, kw_only=True):
    """Two raters on the pairs that both graded; `signed_difference` is second less first."""

    raters: tuple[str, str]
    pairs: int
    exact: Estimate
    kappa: Estimate
    kappa_weighted: Estimate
    signed_difference: Estimate
    too_perfect: bool


class RaterAgreement(Struct, frozen=True, kw_only=True):
    """All raters together: Krippendorff's alpha (ordinal) over whatever each graded.

    `shared` counts pairs of query and document with two grades or more, `unanimous` those among
    them whose grades are all equal. `compared` holds each two raters that share a pair.
    """

    raters: tuple[str, ...]
    shared: int
    unanimous: int
    alpha: Estimate
    compared: tuple[RaterPair, ...]
    too_perfect: bool


class DebiasedMetric(Struct, frozen=True, kw_only=True):
    """A metric from the judge's grades (`raw`), and put right by people's (`corrected`).

    `labelled` of the `queries` were drawn at random and graded by people to the depth of the
    metric; `bias` is the mean of judge less people on them. `corrected` is null, with the reason
    "too_few_labelled", below 20 of them.
    """

    queries: int
    labelled: int
    raw: Estimate
    corrected: Estimate
    bias: Estimate


class ConfigMetric(Struct, frozen=True, kw_only=True):
    """A metric of what a configuration returned: by the judge, and put right by people.

    Its two bands are never mixed: the intervals of `debiased` say how few queries there are,
    `label_band` (90 %) how far the mean moves with the judge's unsure grades.
    """

    config: str
    metric: str
    debiased: DebiasedMetric
    label_band: tuple[float, float] | None


class QueryAudit(Struct, frozen=True, kw_only=True):
    """How far people are with whole queries drawn at random, by which metrics are put right.

    `labelled` of the `sampled` queries have a grade, or a verdict that there is none, on every
    pair; `needed` are. `pairs_left` of the sample wait for people, and `fix` says what to do;
    null once there are enough.
    """

    sampled: int
    labelled: int
    needed: int
    pairs_left: int
    fix: str | None


class QueryBand(Struct, frozen=True):
    """Between which values a query's metric lies in 90 % of what its grades may be."""

    query_id: str
    low: float
    high: float


class LabelDoubt(Struct, frozen=True, kw_only=True):
    """How unsure the judge's grades leave the metric of single queries.

    A query is `uncertain` where a pair within the metric's depth has a margin below
    `least_margin`, or its band is wider than `widest_band`; there are `unsure_pairs` such pairs.
    `mean_width` is that of all bands, `widest` holds the widest. `calibrated_by` counts the
    grades of people that the judge's chances were calibrated by.
    """

    metric: str
    queries: int
    uncertain: int
    unsure_pairs: int
    least_margin: float
    widest_band: float
    mean_width: float
    widest: tuple[QueryBand, ...]
    calibrated_by: int


class ProbeKind(StrEnum):
    """What a judge is tempted with."""

    KEYWORD = "keyword"
    INJECTION = "injection"
    PADDED = "padded"
    CUT = "cut"
    ORDER = "order"
    NEGATIVE = "negative"
    POSITIVE = "positive"
    REPEAT = "repeat"


class ProbeResult(Struct, frozen=True, kw_only=True):
    """What one kind of probe showed.

    `estimate` is a shift in grades (keyword, injection, padded, cut, order) or a share (negative:
    graded relevant; positive: graded not relevant; repeat: two answers differ). `exposed` where
    its whole interval lies beyond `bound`; that it is not exposed does not say it is free of it.
    """

    kind: ProbeKind
    n: int
    failed: int
    estimate: Estimate
    bound: float
    exposed: bool


class Scorecard(Struct, frozen=True, kw_only=True):
    """A judge's answers to probes; made for one judge and prompt.

    `grades` counts its answers by grade and `failed` those that were none. `constant`: every
    answer was the same. `exposed` names the kinds that it fell for.
    """

    probes: tuple[ProbeResult, ...]
    grades: tuple[int, ...]
    failed: int
    constant: bool
    exposed: tuple[ProbeKind, ...]
