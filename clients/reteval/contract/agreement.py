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
