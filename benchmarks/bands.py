"""What kinds of query cost three small engines of different nature, on Cranfield.

Stemmed BM25, plain BM25 and character trigrams (SQLite's full-text index). The order of damage is
known beforehand, so it shows whether the suite measures what it should: misspellings must hurt
trigrams least, and other word endings must hurt the engine without a stemmer most. The
collection is not ours to ship; without it there is nothing to measure.
"""

import argparse
import gzip
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from reteval.contract.adversarial import AdversarialReport, KindReport
from reteval.contract.metrics import Metric
from reteval.contract.runs import AdversarialRequest
from reteval.contract.testsets import Judgment, Query
from tests.engines import RAW, STEMMED, TRIGRAMS, Engine, any_trigram, any_word
from worker.pipeline.pairing import Evidence
from worker.pipeline.plan import build_plan
from worker.pipeline.robustness import robustness
from worker.pipeline.stretches import read_stretches
from worker.pipeline.variants import Variants

DATA = Path(__file__).parents[2] / "shared" / "data" / "cranfield"
METRIC = Metric("ndcg", 10)
DEPTH = 10
ENGINES = {
    "BM25 stemmed": (STEMMED, any_word),
    "BM25 plain": (RAW, any_word),
    "trigrams": (TRIGRAMS, any_trigram),
}
KINDS = [
    *("control.repeat", "typo.mixed", "inflection", "short.k2", "verbose.context"),
    *("noise.append", "segment.merge"),
]
MOST_TYPO = 0.6
LEAST_INFLECTION = 3.0
_FIELD = re.compile(r"^\.([ITABW]) ?(.*)$")


class Collection(Struct, frozen=True):
    """Documents by id, and queries with their judgments."""

    documents: Mapping[str, str]
    queries: Sequence[Query]


def main() -> int:
    """Print the table and its figures; 1 if a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--queries", type=int, default=1_000)
    options = parser.parse_args()
    if not options.data.exists():
        print(f"no collection at {options.data}; nothing measured")
        return 0
    reports = measure(read_collection(options.data), sample=options.queries)
    _print_table(reports)
    figures = find_figures(reports)
    for name, value, sign, goal in figures:
        print(f"figure {name} {value:.3f} goal {sign} {goal}")
    return int(any((value > goal) == (sign == "<=") for _, value, sign, goal in figures))


def find_figures(
    reports: Mapping[str, AdversarialReport],
) -> list[tuple[str, float, str, float]]:
    """Compare the losses that must differ: name, value, sense and goal of each ratio."""
    stemmed, plain, trigrams = (reports[name] for name in ENGINES)
    typo, inflection = ("typo.mixed", 3), ("inflection", 3)
    return [
        ("typo_trigrams_of_stemmed", _ratio(trigrams, stemmed, typo), "<=", MOST_TYPO),
        ("typo_trigrams_of_plain", _ratio(trigrams, plain, typo), "<=", MOST_TYPO),
        ("inflection_plain_of_stemmed", _ratio(plain, stemmed, inflection), ">=", LEAST_INFLECTION),
        (
            "inflection_plain_of_trigrams",
            _ratio(plain, trigrams, inflection),
            ">=",
            LEAST_INFLECTION,
        ),
    ]


def measure(
    collection: Collection,
    *,
    sample: int,
    kinds: Sequence[str] = KINDS,
    severities: Sequence[int] = (1, 2, 3),
) -> dict[str, AdversarialReport]:
    """Run the same variants against each engine."""
    request = AdversarialRequest(
        seed=7, kinds=list(kinds), severities=list(severities), sample=sample
    )
    plan = build_plan(collection.queries, request, relevant_from=1)
    reports = {}
    for name, (tokenize, match) in ENGINES.items():
        engine = Engine(collection.documents, tokenize=tokenize, match=match)
        outcomes = [engine.answer(each.text, DEPTH) for each in plan.requests]
        evidence = Evidence(
            queries=collection.queries,
            plan=plan.requests,
            suite=plan.suite,
            metric=METRIC,
            depth=DEPTH,
            relevant_from=1,
            scale_max=4,
        )
        variants = Variants(evidence, outcomes)
        read_stretches(plan.requests, outcomes, [variants])
        reports[name] = robustness(variants)
    return reports


def read_collection(folder: Path) -> Collection:
    """Read the collection; the judgments count the queries, whatever numbers the file gives them.

    A grade of 1 is the best and 4 the least there, and -1 behaves like the best.
    """
    with gzip.open(folder / "cran.all.1400.gz", "rt", encoding="latin-1") as file:
        documents = {fields["I"]: f"{fields['T']} {fields['W']}" for fields in _read_records(file)}
    with (folder / "cran.qry").open(encoding="latin-1") as file:
        texts = [fields["W"] for fields in _read_records(file)]
    judged: dict[int, dict[str, int]] = {}
    for line in (folder / "cranqrel").read_text(encoding="latin-1").splitlines():
        query, document, grade = line.split()[:3]
        gain = 4 if grade == "-1" else 5 - int(grade)
        judged.setdefault(int(query), {})[document] = gain
    queries = [
        Query(
            id=str(number),
            query=text,
            relevant=[Judgment(doc, gain) for doc, gain in judged.get(number, {}).items()],
        )
        for number, text in enumerate(texts, start=1)
    ]
    return Collection(documents, queries)


def _read_records(lines: Iterator[str]) -> Iterator[dict[str, str]]:
    fields: dict[str, list[str]] = {}
    name = ""
    for line in lines:
        found = _FIELD.match(line.rstrip())
        if found:
            name = found[1]
            if name == "I" and fields:
                yield {key: " ".join(parts) for key, parts in fields.items()}
                fields = {}
            fields[name] = [found[2]] if found[2] else []
        else:
            fields[name].append(line.strip())
    yield {key: " ".join(parts) for key, parts in fields.items()}


def _ratio(one: AdversarialReport, other: AdversarialReport, cell: tuple[str, int]) -> float:
    """Return the one's relative drop over the other's."""
    return _relative(_find(one, cell)) / max(_relative(_find(other, cell)), 1e-3)


def _find(report: AdversarialReport, cell: tuple[str, int]) -> KindReport:
    return next(kind for kind in report.kinds if (kind.kind, kind.severity) == cell)


def _relative(kind: KindReport) -> float:
    return kind.relative_drop.value or 0.0


def _print_table(reports: Mapping[str, AdversarialReport]) -> None:
    print(f"| kind | {' | '.join(reports)} |")
    first = next(iter(reports.values()))
    clean = [f"{report.kinds[0].clean:.3f}" for report in reports.values()]
    print(f"| clean {first.metric} | {' | '.join(clean)} |")
    for kind in first.kinds:
        found = [_find(report, (kind.kind, kind.severity)) for report in reports.values()]
        cells = (
            f"{-100 * _relative(each):+.0f} % · {each.hurt.share or 0:.0%} · "
            f"{each.overlap.rbo or 0:.2f} · {each.verdict}"
            for each in found
        )
        print(f"| {kind.kind} s{kind.severity} ({kind.headline}) | {' | '.join(cells)} |")


if __name__ == "__main__":
    sys.exit(main())
