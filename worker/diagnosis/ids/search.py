"""The search for the change after which ids meet, and the guards that keep chance out of it."""

from collections.abc import Callable, Iterator, Sequence
from itertools import chain, islice
from typing import Final

from msgspec import Struct

from reteval.contract.id_rules import ROLL_UP_OPS, IdOp, apply_ops
from reteval.contract.probes import IdPair
from worker.diagnosis.ids.lists import LOOKED_AT, SAMPLE, IdLists, Meeting, list_ids, measure
from worker.diagnosis.ids.transforms import Rule, propose

LEAST_GAIN: Final = 0.2
TIMES_CHANCE: Final = 3.0
MAX_LUCK: Final = 0.01
FEW: Final = 3
"""Answers below which nothing can rule out chance."""
CUTS: Final = (LOOKED_AT, 10, 3, 1)
"""In a small corpus, long answers meet anything; their first places may still tell."""
EXAMPLES: Final = 5
_THIN_ANSWERS: Final = 60
_THIN_PLACES: Final = 30
_GOOD: Final = 0.8
"""Share of answers from which on a single operation explains enough."""
_BETTER: Final = 1.1
"""How many times the ids of the best single operation a pair must make meet."""
_FINALISTS: Final = 40
_SLACK: Final = 1e-9


class Found(Struct, frozen=True, kw_only=True):
    """A rule that makes ids meet, over all answers looked at."""

    rule: Rule
    before: Meeting
    after: Meeting
    examples: tuple[IdPair, ...]
    roll_up: bool
    proven: bool


def find_rules(
    lists: IdLists, *, limit: int = 3, accept: Callable[[Rule], bool] = lambda _: True
) -> list[Found]:
    """Return the rules that pass every guard, best first; rules of equal effect once.

    `accept` is a guard of the caller's.
    """
    lists = lists.thin(answers=SAMPLE, places=LOOKED_AT)
    thin = lists.thin(answers=_THIN_ANSWERS, places=_THIN_PLACES)
    before = measure(lists)
    found: list[Found] = []
    effects: set[tuple[int, int, int]] = set()
    for rule in _rank(thin)[:_FINALISTS]:
        kept = _judge(rule, lists, before)
        if kept is None or not accept(rule):
            continue
        effect = (kept.after.met, kept.after.ids_met, kept.after.crossed)
        if effect not in effects:
            effects.add(effect)
            found.append(kept)
    found.sort(key=lambda kept: (not kept.proven, -kept.after.ids_met, kept.rule.cost))
    return found[:limit]


def find_unchanged(lists: IdLists, before: Meeting) -> list[Found]:
    """Return the lists as they are, if they meet more than `before` and more than by chance."""
    after = measure(lists)
    few = lists.n < FEW
    better = after.share - before.share >= LEAST_GAIN - _SLACK
    if not better or not (few or any(_tells(lists.cut(k)) for k in CUTS)):
        return []
    nothing = IdLists(
        query_ids=lists.query_ids, judged=lists.judged, returned=[[] for _ in lists.judged]
    )
    shown = _pair_up(nothing, lists, lists)
    return [
        Found(
            rule=Rule(),
            before=before,
            after=after,
            examples=shown,
            roll_up=False,
            proven=not few,
        )
    ]


def _rank(thin: IdLists) -> list[Rule]:
    """Return the rules that make ids meet in a small sample, most first, then cheapest."""
    start = measure(thin)
    singles = propose(list_ids(thin.judged), list_ids(thin.returned))
    scored = [(rule, _try(rule, thin)) for rule in singles]
    if not any(_explains(rule, meeting, start) for rule, meeting in scored):
        best = max((meeting.ids_met for _, meeting in scored), default=0)
        pairs = [(rule, _try(rule, thin)) for rule in _pair(singles, thin)]
        scored += [row for row in pairs if _adds(*row, best)]
    useful = [row for row in scored if row[1].ids_met > start.ids_met]
    useful.sort(key=lambda row: (-row[1].ids_met, row[0].cost))
    return [rule for rule, _ in useful]


def _explains(rule: Rule, meeting: Meeting, start: Meeting) -> bool:
    """Tell whether one operation on returned ids does enough to look no further."""
    return not rule.judged and meeting.share >= max(_GOOD, start.share)


def _adds(rule: Rule, meeting: Meeting, best: int) -> bool:
    """Tell whether a pair does more than single operations, or as much on returned ids alone."""
    return meeting.ids_met > _BETTER * best or (not rule.judged and meeting.ids_met >= best > 0)


def _pair(singles: Sequence[Rule], thin: IdLists) -> Iterator[Rule]:
    """Yield the rules of two operations; the second is chosen by what the first one leaves."""
    for first in singles:
        left = thin.respell(judged=first.judged, returned=first.returned)
        for second in propose(list_ids(left.judged), list_ids(left.returned)):
            yield first.then(second)


def _try(rule: Rule, lists: IdLists) -> Meeting:
    return measure(lists.respell(judged=rule.judged, returned=rule.returned))


def _judge(rule: Rule, lists: IdLists, before: Meeting) -> Found | None:
    """Apply the guards: ids stay apart, nothing that met is lost, and chance would do less."""
    merging = merges(rule.returned, list_ids(lists.returned))
    if merging is None or not keeps_apart(rule.judged, lists.judged):
        return None
    changed = lists.respell(judged=rule.judged, returned=rule.returned)
    after = measure(changed)
    if after.ids_met <= before.ids_met or after.met < before.met:
        return None
    few = lists.n < FEW
    if not few and not any(_beats_chance(lists.cut(k), changed.cut(k)) for k in CUTS):
        return None
    return Found(
        rule=rule,
        before=before,
        after=after,
        examples=_pair_up(lists, lists, changed),
        roll_up=merging,
        proven=not few,
    )


def _beats_chance(before: IdLists, after: IdLists) -> bool:
    gain = measure(after).share - measure(before).share
    return gain >= LEAST_GAIN - _SLACK and _tells(after)


def _tells(lists: IdLists) -> bool:
    """Tell whether ids meet more than three times as often as in exchanged answers."""
    found = measure(lists)
    return found.share >= TIMES_CHANCE * (found.chance or 0.0) and found.luck <= MAX_LUCK


def merges(ops: Sequence[IdOp], ids: Sequence[str]) -> bool | None:
    """Tell whether operations turn different returned ids into one.

    None where an operation does that cannot be a roll-up: the ids were told apart for a reason.
    """
    merging = False
    for op in ops:
        respelled = list(dict.fromkeys(apply_ops((op,), text) for text in ids))
        if len(respelled) < len(ids):
            if op.op not in ROLL_UP_OPS:
                return None
            merging = True
        ids = respelled
    return merging


def keeps_apart(ops: Sequence[IdOp], judged: Sequence[Sequence[str]]) -> bool:
    """Tell whether no two judged ids of one query become one."""
    if not ops:
        return True
    return all(len({apply_ops(ops, text) for text in ids}) == len(set(ids)) for ids in judged)


def _pair_up(before: IdLists, lists: IdLists, changed: IdLists) -> tuple[IdPair, ...]:
    """Return pairs of ids that meet now and did not before, from different queries first."""
    rows = (list(_newly_met(before, lists, changed, at)) for at in range(lists.n))
    by_query = [row for row in rows if row]
    deepest = max(map(len, by_query), default=0)
    spread = chain.from_iterable(
        [row[depth] for row in by_query if depth < len(row)] for depth in range(deepest)
    )
    return tuple(islice(spread, EXAMPLES))


def _newly_met(before: IdLists, lists: IdLists, changed: IdLists, at: int) -> Iterator[IdPair]:
    old = set(before.returned[at])
    spelled = dict(zip(reversed(changed.returned[at]), reversed(lists.returned[at]), strict=True))
    for judged, becomes in zip(lists.judged[at], changed.judged[at], strict=True):
        if becomes in spelled and judged not in old:
            yield IdPair(
                query_id=lists.query_ids[at],
                returned=spelled[becomes],
                judged=judged,
                both_become=becomes,
            )
