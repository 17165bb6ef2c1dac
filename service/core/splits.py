"""Splits: make a version of a test set that has them, and count what a run over one will send."""

import asyncio
from collections import Counter
from collections.abc import Iterable

from msgspec import structs

from reteval.contract.diagnostics import DiagnosticCode
from reteval.contract.limits import MAX_SLICES
from reteval.contract.problems import ProblemItem
from reteval.contract.splits import HOLDOUT, STRATA, TAG, TUNE, SplitReport, SplitRequest
from reteval.contract.testsets import Query, TestSet
from service.core.backend import Backend
from service.core.ingest.findings import find_few_queries
from service.core.ingest.tally import Tally
from service.core.splitting import Divider, Division
from service.core.test_sets import get_test_set, head_of, stage_rewritten, store_test_set
from service.errors import InvalidError
from service.store.records import Idempotency, Portion

_NAMED = 20
"""Splits that a refusal names."""


async def split_test_set(
    backend: Backend,
    ref: str,
    request: SplitRequest,
    *,
    idempotency: Idempotency | None = None,
) -> tuple[SplitReport, bool]:
    """Make a version of a test set whose queries are divided; the flag says whether it is new.

    Raises:
        NotFoundError: no such test set.
        InvalidError: it cannot be stratified so, or one of the parts would be empty.
        QuotaExceededError: the team may not have another set of this size.
        IdempotencyConflictError: another process took the key over.
    """
    parent = await get_test_set(backend, ref)
    _check_strata(request, parent)
    division = await _divide(backend, parent, request)

    def assign(query: Query) -> Query:
        return structs.replace(query, split=division.splits[query.id])

    note = f"{request.holdout:g} of it held out, seed {request.seed}"
    staged = await stage_rewritten(backend, parent, assign, note=note)
    try:
        made, created = await store_test_set(backend, staged, idempotency=idempotency)
    finally:
        await staged.discard()
    return _report(made, parent, division), created


async def find_portion(backend: Backend, test_set: TestSet, split: str) -> Portion | None:
    """Count what a run over a split would send; None for a run over all queries.

    Raises:
        InvalidError: no query of the set is in the split, or none that can be sent.
    """
    if not split:
        return None
    count = _Count(test_set, split)
    async for queries in backend.store.test_sets.chunks(backend.tenant, test_set.id):
        await asyncio.to_thread(count.take, queries)
    return count.settle()


class _Count:
    """Counts the queries of one split; variants wait until their queries are known."""

    def __init__(self, test_set: TestSet, split: str) -> None:
        self._test_set = test_set
        self._split = split
        self._tally = Tally(head_of(test_set))
        self._names: Counter[str] = Counter()
        self._inside: set[str] = set()
        self._variants: list[Query] = []

    def take(self, queries: Iterable[Query]) -> None:
        for query in queries:
            if query.parent:
                self._variants.append(query)
                continue
            self._names[query.split] += 1
            if query.split == self._split:
                self._inside.add(query.id)
                self._tally.add(query, list(query.relevant or ()))

    def settle(self) -> Portion:
        for query in self._variants:
            if query.parent in self._inside:
                self._tally.add(query, list(query.relevant or ()))
        stats = self._tally.stats()
        if not stats.scorable + stats.expect_nothing:
            raise _refuse_split(self._test_set.name, self._split, self._names)
        few = find_few_queries(stats.scorable)
        told = [one for one in self._test_set.warnings if one.code != DiagnosticCode.FEW_QUERIES]
        return Portion(
            stats=stats,
            outside=self._test_set.stats.queries - stats.queries,
            warnings=(*([few] if few else []), *told),
        )


async def _divide(backend: Backend, test_set: TestSet, request: SplitRequest) -> Division:
    divider = Divider(request, relevant_from=test_set.relevant_from)
    async for queries in backend.store.test_sets.chunks(backend.tenant, test_set.id):
        await asyncio.to_thread(divider.take, queries)
    division = await asyncio.to_thread(divider.divide)
    empty = [split for split in (TUNE, HOLDOUT) if not division.count(split)]
    if empty:
        item = ProblemItem(
            pointer="/holdout",
            message=f"{request.holdout} of {test_set.stats.queries} queries in {division.groups} "
            f"groups that stay together would leave {empty[0]!r} empty",
            fix="Choose another share, or add queries of other clusters.",
        )
        raise InvalidError("The test set cannot be divided so.", errors=[item])
    return division


def _report(made: TestSet, parent: TestSet, division: Division) -> SplitReport:
    return SplitReport(
        test_set=made,
        parent=parent.id,
        tune=division.count(TUNE),
        holdout=division.count(HOLDOUT),
        groups=division.groups,
        strata=division.strata[:MAX_SLICES],
        strata_total=len(division.strata),
    )


def _check_strata(request: SplitRequest, test_set: TestSet) -> None:
    known = (*STRATA, *(f"{TAG}{tag}" for tag in test_set.stats.tags))
    items = [
        ProblemItem(
            pointer=f"/stratify_by/{index}",
            message=f"the set cannot be stratified by {by[:_NAMED]!r}",
            fix=f"Use one of {', '.join(known[:_NAMED])}.",
        )
        for index, by in enumerate(request.stratify_by)
        if by not in known
    ]
    if items:
        raise InvalidError("The test set cannot be divided so.", errors=items)


def _refuse_split(name: str, split: str, names: Counter[str]) -> InvalidError:
    known = [each for each, _ in names.most_common() if each]
    message = f"no query of {name!r} is in the split {split!r}"
    if split in known:
        message = f"no query of {name!r} in {split!r} can be sent: none has a relevant document"
    listed = ", ".join(known[:_NAMED])
    item = ProblemItem(
        pointer="/split",
        message=message,
        fix=f"Use one of {listed}, or leave it out for all queries."
        if known
        else "The set has no splits; make them with POST /v1/test-sets/{id}/splits.",
    )
    return InvalidError("The test set has no such split.", errors=[item])
