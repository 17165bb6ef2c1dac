"""The adversarial block of a report as text."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from msgspec import UNSET

from reteval.cli.tables import NOTHING, interval, number, table
from reteval.contract.adversarial import AdversarialReport, Changing, Control, KindReport
from reteval.contract.hostile import HostileCase, HostileVerdict
from reteval.contract.out_of_corpus import OutOfCorpus, Tier

KIND_HEAD: Final = (
    *("kind", "severity", "metric", "needs", "clean", "changed", "drop", "interval"),
    *("hurt", "helped", "verdict"),
)
CHANGING_HEAD: Final = ("asks for something else", "needs", "overlap", "verdict")
TIER_HEAD: Final = (
    *("no answer exists", "queries", "answered", "abstained", "page fill"),
    *("auroc", "floor", "no floor for"),
)
MAX_NAMED: Final = 8


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
    if report.changing:
        rows = [_changing_row(kind) for kind in report.changing]
        lines.extend(["", *table(CHANGING_HEAD, rows, prose=("verdict",))])
    if report.out_of_corpus is not None:
        lines.extend(["", *_out_of_corpus_lines(report.out_of_corpus)])
    if report.hostile is not UNSET:
        lines.extend(["", *_hostile_lines(report.hostile)])
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


def _changing_row(kind: Changing) -> Sequence[str]:
    return kind.kind, str(kind.needs), number(kind.rbo), kind.verdict


def _out_of_corpus_lines(card: OutOfCorpus) -> list[str]:
    refused = card.false_refusal_rate
    return [
        *table(TIER_HEAD, [_tier_row(tier) for tier in card.tiers], prose=("no floor for",)),
        f"answerable but left empty: {refused.n} of {refused.of}",
    ]


def _tier_row(tier: Tier) -> Sequence[str]:
    auroc, floor = tier.score_auroc, tier.suggested_floor
    return (
        tier.tier,
        str(tier.queries),
        str(tier.answered),
        number(tier.abstention_rate),
        number(tier.page_fill),
        "" if auroc is UNSET else number(auroc.top1),
        "" if floor is UNSET else number(floor.value),
        "" if floor is UNSET else floor.reason or "",
    )


def _hostile_lines(cases: Sequence[HostileCase]) -> list[str]:
    """Count the strings by verdict, and name those with any other than ok."""
    counts = Counter(case.verdict for case in cases)
    shown = ", ".join(
        f"{counts[verdict]} {verdict}" for verdict in HostileVerdict if counts[verdict]
    )
    lines = [f"odd and hostile strings: {len(cases)} sent: {shown}"]
    for verdict in HostileVerdict:
        names = [case.case for case in cases if case.verdict is verdict]
        if names and verdict is not HostileVerdict.OK:
            more = f" and {len(names) - MAX_NAMED} more" if len(names) > MAX_NAMED else ""
            lines.append(f"  {verdict}: {', '.join(names[:MAX_NAMED])}{more}")
    return lines
