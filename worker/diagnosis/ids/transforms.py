"""Which respellings are worth trying, given what the ids of both sides look like."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import Struct

from reteval.contract.id_rules import IdOp, OpName, apply_ops
from worker.diagnosis.ids.profile import likely_prefixes, likely_suffixes

_SYMMETRIC: Final = (
    OpName.STRIP,
    OpName.CASEFOLD,
    OpName.NFC,
    OpName.UNQUOTE,
    OpName.INT_LIKE,
    OpName.LSTRIP_ZEROS,
    OpName.UUID_DASHES,
    OpName.DROP_EXT,
    OpName.BASENAME,
    OpName.DROP_SCHEME_HOST,
    OpName.DROP_QUERY_FRAGMENT,
    OpName.DROP_TRAILING_SLASH,
)
"""Operations that may be needed on both sides at once."""
_PLAIN: Final = (*_SYMMETRIC, OpName.UNWRAP, OpName.UPPER, OpName.UUID_PLAIN)
SEPARATORS: Final = ("::", "#", ":", "/", "_", "-", "|", "@", "~", ".")
_COSTS: Final = {
    OpName.UPPER: 0.1,
    OpName.BASENAME: 0.1,
    OpName.DROP_QUERY_FRAGMENT: 0.25,
    OpName.BEFORE_LAST: 0.2,
    OpName.SPLIT: 0.3,
    OpName.ADD_PREFIX: 0.1,
    OpName.ADD_SUFFIX: 0.1,
}
_JUDGED: Final = 1.5
"""Extra cost of touching the judged side: it takes a new test set instead of a new run."""
_LAST_NUMBER: Final = re.compile(r"\d+(?=\D*\Z)", re.ASCII)


class Rule(Struct, frozen=True):
    """Operations for each side."""

    judged: tuple[IdOp, ...] = ()
    returned: tuple[IdOp, ...] = ()

    def then(self, other: "Rule") -> "Rule":
        """Return this rule followed by another."""
        return Rule((*self.judged, *other.judged), (*self.returned, *other.returned))

    @property
    def cost(self) -> float:
        """How much there is to swallow; of equally good rules the cheapest is suggested."""
        ops = (*self.judged, *self.returned)
        return len(ops) + sum(_COSTS.get(op.op, 0.0) for op in ops) + _JUDGED * len(self.judged)


def propose(judged: Sequence[str], returned: Sequence[str]) -> list[Rule]:
    """Return the single rules that change an id of their side, cheapest first."""
    rules = [Rule(judged=(op,)) for op in _list_ops(judged, returned)]
    rules += [Rule(returned=(op,)) for op in _list_ops(returned, judged)]
    rules += [Rule((IdOp(op=name),), (IdOp(op=name),)) for name in _SYMMETRIC]
    changing = [
        rule
        for rule in rules
        if (not rule.judged or _changes(rule.judged, judged))
        and (not rule.returned or _changes(rule.returned, returned))
    ]
    return sorted(changing, key=lambda rule: rule.cost)


def _list_ops(own: Sequence[str], other: Sequence[str]) -> Iterator[IdOp]:
    """Yield what may bring the ids of one side to the spelling of the other."""
    like_urls = any("/" in text or "?" in text for text in own)
    for name in _PLAIN:
        if like_urls or name is not OpName.DROP_QUERY_FRAGMENT:
            yield IdOp(op=name)
    yield from (IdOp(op=OpName.ZFILL, n=width) for width in _padded_widths(other))
    yield from _list_ends(own, other)
    for mark in SEPARATORS:
        most = max((text.count(mark) for text in own), default=0)
        if most:
            yield IdOp(op=OpName.BEFORE_LAST, text=mark)
            yield IdOp(op=OpName.SPLIT, text=mark, n=0)
            yield IdOp(op=OpName.SPLIT, text=mark, n=-1)
        if most > 1:
            yield IdOp(op=OpName.SPLIT, text=mark, n=1)


def _list_ends(own: Sequence[str], other: Sequence[str]) -> Iterator[IdOp]:
    ours, theirs = likely_prefixes(own), likely_prefixes(other)
    for end in _with_rests(ours, theirs, front=True):
        yield IdOp(op=OpName.STRIP_PREFIX, text=end)
    for end in _with_rests(theirs, ours, front=True):
        yield IdOp(op=OpName.ADD_PREFIX, text=end)
    ours, theirs = likely_suffixes(own), likely_suffixes(other)
    for end in _with_rests(ours, theirs, front=False):
        yield IdOp(op=OpName.STRIP_SUFFIX, text=end)
    for end in _with_rests(theirs, ours, front=False):
        yield IdOp(op=OpName.ADD_SUFFIX, text=end)


def _with_rests(ends: Sequence[str], others: Sequence[str], *, front: bool) -> list[str]:
    """Return common ends, and what is left of them beyond the other side's."""
    rests = [
        end.removesuffix(other) if front else end.removeprefix(other)
        for end in ends
        for other in others
        if end != other and (end.endswith(other) if front else end.startswith(other))
    ]
    return list(dict.fromkeys((*ends, *rests)))


def _padded_widths(ids: Sequence[str]) -> list[int]:
    """Return the usual widths of numbers, where some are padded with zeros."""
    numbers = [found[0] for text in ids if (found := _LAST_NUMBER.search(text))]
    if not any(number.startswith("0") and len(number) > 1 for number in numbers):
        return []
    return [width for width, _ in Counter(map(len, numbers)).most_common(2) if width <= 20]  # noqa: PLR2004 - longer ones are no counters


def _changes(ops: Sequence[IdOp], ids: Sequence[str]) -> bool:
    return any(apply_ops(ops, text) != text for text in ids)
