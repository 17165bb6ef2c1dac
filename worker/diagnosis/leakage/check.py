"""A check of a whole test set: everything about leakage that it, and what is given, can show."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import numpy as np
from msgspec import UNSET, Struct, UnsetType
from numpy.typing import NDArray

from reteval.contract.leakage import (
    AgainstOverlap,
    LeakageReport,
    LeakedPair,
    MetricWithout,
    PairSide,
    SourceLeaks,
)
from reteval.contract.leaks import LeakKind
from reteval.contract.outcomes import Outcome
from reteval.contract.testsets import Query
from worker.diagnosis.leakage.clusters import number_clusters
from worker.diagnosis.leakage.conflicts import MAX_CONFLICTS, find_conflicts
from worker.diagnosis.leakage.documents import Copies, find_copies, find_in_corpus, find_shared_ids
from worker.diagnosis.leakage.findings import (
    tell_conflicts,
    tell_in_corpus,
    tell_leaked,
    tell_lifted,
    tell_paraphrases,
    tell_repeated,
    tell_shared_ids,
)
from worker.diagnosis.leakage.forms import ALIKE, Forms, Match, Matches, match_across, match_within
from worker.diagnosis.leakage.listing import Listing
from worker.diagnosis.leakage.paraphrases import group_by_relevant, pair_paraphrases, settle
from worker.diagnosis.leakage.subject import Subject
from worker.diagnosis.leakage.tally import (
    Borders,
    report_list,
    tally_against,
    tally_within,
)

FIRST_PAIRS: Final = 20
"""Pairs that a report has itself."""
MAX_NAMED: Final = 50
Values = NDArray[np.float64]


class Material(Struct, frozen=True, kw_only=True, eq=False):
    """What a check is given: the set's queries, and what else they may be known from.

    `against` is None where there is no list. `outcomes` and `columns` are of a run; a column is
    parallel to `asked`, the ids of its queries.
    """

    test_set: str
    queries: Sequence[Query]
    relevant_from: int
    against: Sequence[PairSide] | None = None
    corpus: Mapping[str, str] = {}
    outcomes: Mapping[str, Outcome] = {}
    asked: Sequence[str] = ()
    columns: Mapping[str, Values] = {}


class Checked(Struct, frozen=True):
    """A report, and the pairs that it lists."""

    report: LeakageReport
    pairs: Sequence[LeakedPair]


class _Found(Struct, frozen=True, kw_only=True, eq=False):
    """What was looked for, before it is counted and shown."""

    subject: Subject
    texts: Forms
    within: Matches
    across: Matches
    copies: Copies
    borders: Borders
    clusters: Mapping[int, int]
    paraphrases: Sequence[tuple[int, int]]

    @property
    def known(self) -> set[int]:
        """The queries that another split or the list has, too."""
        return (
            self.borders.leaked | tally_against(self.subject, self.texts, self.across.found).places
        )

    @property
    def leaked(self) -> set[int]:
        """The queries that are known from anywhere."""
        return self.known | self.copies.places


def check_leakage(material: Material) -> Checked:
    """Look for everything a test set may have leaked to, or from."""
    found = _look(material)
    pairs = _list_pairs(found, material)
    return Checked(_report(found, material, pairs), pairs)


def _look(material: Material) -> _Found:
    subject = Subject.read(material.queries)
    texts = Forms.gather(side.text for side in material.against or ())
    matches = match_within(subject.forms)
    settled = list(settle(matches.found, subject, material.relevant_from))
    within = Matches(settled, matches.cut)
    return _Found(
        subject=subject,
        texts=texts,
        within=within,
        across=match_across(subject.forms, texts),
        copies=find_copies(subject, material.outcomes, material.corpus),
        borders=Borders(subject, within.found),
        clusters=number_clusters(
            (match.left, match.right) for match in within.found if match.kind in ALIKE
        ),
        paraphrases=_pair_paraphrases(subject, material.relevant_from, within.found),
    )


def _list_pairs(found: _Found, material: Material) -> list[LeakedPair]:
    listing = Listing(found.subject, found.clusters)
    listing.add_against(found.across.found, found.texts, material.against or ())
    listing.add_within(found.within.found)
    listing.add_copies(found.copies.found)
    listing.add_paraphrases(found.paraphrases)
    return list(listing.pairs())


def _report(found: _Found, material: Material, pairs: Sequence[LeakedPair]) -> LeakageReport:
    subject, copies, leaked = found.subject, found.copies, found.leaked
    total = len(subject.queries)
    sizes = _weigh_clusters(found.clusters, subject.forms)
    inside = tally_within(subject, found.within.found)
    for pair in found.paraphrases:
        inside.add(LeakKind.POSSIBLE_PARAPHRASE, 1, pair)
    conflicts = tuple(find_conflicts(subject))
    in_corpus = tuple(find_in_corpus(subject, material.corpus))
    shared = find_shared_ids(subject.queries, material.corpus)
    return LeakageReport(
        test_set=material.test_set,
        queries=total,
        leaked=len(leaked),
        share=len(leaked) / total if total else 0.0,
        within=inside.report(total),
        clusters=len(sizes),
        largest_cluster=max(sizes.values(), default=0),
        splits=found.borders.report(),
        documents=copies.report(),
        sources=_count_sources(subject.queries, leaked, copies.places),
        conflicts=conflicts[:MAX_CONFLICTS],
        in_corpus=in_corpus[:MAX_NAMED],
        ids_as_documents=tuple(shared[:MAX_NAMED]),
        diagnostics=(
            *tell_leaked(len(found.known), total, pairs),
            *tell_lifted(len(copies.places), len(copies.compared), pairs),
            *tell_repeated(len(inside.places), total, pairs),
            *tell_conflicts(conflicts),
            *tell_in_corpus(in_corpus),
            *tell_shared_ids(shared),
            *tell_paraphrases(pairs),
        ),
        listed=dict(Counter(pair.kind for pair in pairs)),
        pairs=tuple(pairs[:FIRST_PAIRS]),
        cut=found.within.cut or found.across.cut or copies.cut,
        against=_report_list(found, material),
        metrics=_report_metrics(material, {subject.queries[place].id for place in leaked}),
    )


def _report_list(found: _Found, material: Material) -> AgainstOverlap | UnsetType:
    if material.against is None:
        return UNSET
    tally = tally_against(found.subject, found.texts, found.across.found)
    return report_list(tally, texts=len(material.against), total=len(found.subject.queries))


def _report_metrics(
    material: Material, leaked: Iterable[str]
) -> dict[str, MetricWithout] | UnsetType:
    """Return the means of a run with and without leaked queries."""
    if not material.columns:
        return UNSET
    out = set(leaked)
    clean = np.array([query_id not in out for query_id in material.asked], dtype=np.bool_)
    return {name: _split_mean(column, clean) for name, column in material.columns.items()}


def _split_mean(values: Values, clean: NDArray[np.bool_]) -> MetricWithout:
    defined = ~np.isnan(values)
    return MetricWithout(
        n=int(defined.sum()),
        mean=_mean(values[defined]),
        n_without=int((defined & clean).sum()),
        mean_without=_mean(values[defined & clean]),
        mean_leaked=_mean(values[defined & ~clean]),
    )


def _mean(values: Values) -> float | None:
    return float(values.mean()) if len(values) else None


def _weigh_clusters(clusters: Mapping[int, int], forms: Forms) -> Mapping[int, int]:
    """Return the number of queries in each cluster."""
    sizes: Counter[int] = Counter()
    for form, cluster in clusters.items():
        sizes[cluster] += len(forms.members[form])
    return sizes


def _pair_paraphrases(
    subject: Subject, relevant_from: int, matches: Sequence[Match]
) -> list[tuple[int, int]]:
    matched = {(match.left, match.right) for match in matches}
    return pair_paraphrases(subject, group_by_relevant(subject.queries, relevant_from), matched)


def _count_sources(
    queries: Sequence[Query], leaked: set[int], lifted: set[int]
) -> dict[str, SourceLeaks]:
    sizes = Counter(query.source for query in queries)
    of_leaked = Counter(queries[place].source for place in leaked)
    of_lifted = Counter(queries[place].source for place in lifted)
    return {
        source: SourceLeaks(
            queries=n,
            leaked=of_leaked[source],
            lifted=of_lifted[source],
            share=of_leaked[source] / n,
        )
        for source, n in sizes.most_common(MAX_NAMED)
    }
