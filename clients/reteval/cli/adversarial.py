"""The adversarial block of a report as text."""

from collections.abc import Iterable, Sequence
from typing import Final

from msgspec import UNSET

from reteval.cli.tables import NOTHING, interval, number, table
from reteval.contract.adversarial import AdversarialReport, Control, KindReport, Tier

KIND_HEAD: Final = (
    *("kind", "severity", "metric", "needs", "clean", "changed", "drop", "interval"),
    *("hurt", "helped", "verdict"),
)
TIER_HEAD: Final = ("no answer exists", "queries", "answered", "abstained", "page fill")


def adversarial_lines(report: AdversarialReport) -> list[str]:
    """Return the block: each kind against the same queries clean, then what has no answer."""
    title = (
        f"adversarial suite {report.suite}, seed {report.seed}, {report.metric}, "
        f"{report.needs} of {report.sampled_from} queries"
    )
    rows = [_kind_row(kind) for kind in report.kinds]
    lines = [title, *table(KIND_HEAD, rows, prose=("verdict",))]
    lines.extend(_kind_notes(report.kinds))
    if report.control is not None:
        lines.append(_control_line(report.control))
    if report.out_of_corpus is not None:
        tiers = report.out_of_corpus.tiers
        refused = report.out_of_corpus.false_refusal_rate
        lines.append("")
        lines.extend(table(TIER_HEAD, [_tier_row(tier) for tier in tiers]))
        lines.append(f"answerable but left empty: {refused.n} of {refused.of}")
    lines.extend(f"note: {limit}" for limit in report.limits)
    return lines


def _kind_row(kind: KindReport) -> Sequence[str]:
    return (
        kind.kind,
        str(kind.severity),
        kind.headline,
        str(kind.needs),
        number(kind.clean),
        number(kind.variant),
        number(kind.drop.mean),
        interval(kind.drop.ci, kind.drop.level),
        str(kind.hurt.n),
        str(kind.helped.n),
        kind.verdict,
    )


def _kind_notes(kinds: Iterable[KindReport]) -> list[str]:
    reasons = {
        (kind.kind, reason): None
        for kind in kinds
        for reason in (kind.reason, kind.drop.reason)
        if reason is not UNSET
    }
    return [f"{kind}: {reason}" for kind, reason in reasons]


def _control_line(control: Control) -> str:
    if control.drop.mean is None:
        return f"same query twice: no figure ({control.reason or control.drop.reason or NOTHING})"
    return (
        f"same query twice: {control.changed_lists} of {control.needs} lists changed, "
        f"drop {number(control.drop.mean)}"
    )


def _tier_row(tier: Tier) -> Sequence[str]:
    return (
        tier.tier,
        str(tier.queries),
        str(tier.answered),
        number(tier.abstention_rate),
        number(tier.page_fill),
    )
