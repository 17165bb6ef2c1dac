"""Numbers of a rule's result as people read them."""

from reteval.contract.gates import RuleResult


def show_number(value: float | None) -> str:
    """Round to four digits; a dash for nothing."""
    return "-" if value is None else f"{value:.4g}"


def show_observed(rule: RuleResult) -> str:
    """Show what was observed, with its interval where there is one."""
    if rule.interval is None:
        return show_number(rule.observed)
    low, high = rule.interval
    return f"{show_number(rule.observed)} ({show_number(low)} .. {show_number(high)})"
