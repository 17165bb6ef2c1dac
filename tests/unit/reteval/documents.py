"""Documents as the service answers them, and a service made of a list of answers."""

from collections.abc import Callable, Iterable
from typing import Any

import httpx
import msgspec

from reteval.contract.adversarial import (
    AdversarialReport,
    Before,
    Calls,
    Control,
    Drop,
    KindReport,
    Overlap,
    Relative,
    Share,
    Summary,
    Worst,
)
from reteval.contract.diagnostics import Diagnostic, DiagnosticCode, Severity
from reteval.contract.endpoints import Endpoint
from reteval.contract.imports import (
    ImportedFile,
    ImportPreview,
    ImportRows,
    RefusedRow,
    Sureness,
)
from reteval.contract.out_of_corpus import OutOfCorpus, Refusals, Tier
from reteval.contract.results import (
    Counts,
    Effort,
    Latency,
    MetricSummary,
    Results,
    ScoredTestSet,
)
from reteval.contract.runs import Estimate, Limits, Progress, Run, RunStatus, TestSetRef
from reteval.contract.testsets import Query, Scale, TestSet, TestSetStats

URL = "http://service.example"
PINNED = TestSetRef(id="ts_1", name="docs", version=2, hash="sha256:00")
SCORED = ScoredTestSet(id="ts_1", name="docs", version=2, hash="sha256:00")
FEW = Diagnostic(
    code=DiagnosticCode.FEW_QUERIES,
    severity=Severity.WARN,
    message="5 queries are too few to trust",
    fix="Add queries until there are 50.",
)


def a_run(**changes: Any) -> Run:
    """Return a queued run."""
    run = Run(
        id="run_1",
        status=RunStatus.QUEUED,
        test_set=PINNED,
        label="baseline",
        meta={},
        created_at="2026-01-01T00:00:00Z",
        started_at=None,
        finished_at=None,
        progress=Progress(done=0, total=10, failed=0),
        planned=Estimate(clean=10, adversarial=40),
        endpoint=Endpoint(url="http://search.example/query"),
        links={},
    )
    return msgspec.structs.replace(run, **changes)


def a_preview(**changes: Any) -> ImportPreview:
    """Return what a small upload with a row that cannot be read would become."""
    preview = ImportPreview(
        storable=False,
        files=(
            ImportedFile(
                name="a.csv",
                format="csv",
                holds="queries and judgments",
                sure=Sureness.CERTAIN,
                why="its header names query, docid, rating",
                encoding="utf-8",
                rows=3,
            ),
        ),
        rows=ImportRows(read=3, accepted=2, refused=1),
        refused=(
            RefusedRow(
                file="a.csv",
                row=4,
                reason="not_a_grade",
                message="rating 'x' is none",
                fix="Map it.",
            ),
        ),
        reasons={"not_a_grade": 1},
        grades={"1": 2, "x": 1},
        warnings=(FEW,),
        stats=a_test_set().stats,
        queries=(Query(id="q1", query="red shoes"),),
    )
    return msgspec.structs.replace(preview, **changes)


def a_test_set(**changes: Any) -> TestSet:
    """Return a small stored test set."""
    test_set = TestSet(
        id="ts_1",
        name="docs",
        version=2,
        hash="sha256:00",
        created_at="2026-01-01T00:00:00Z",
        scale=Scale(),
        relevant_from=1,
        language="",
        id_rule="",
        allow_unscorable=False,
        stats=TestSetStats(
            queries=5,
            scorable=4,
            unscorable=0,
            expect_nothing=1,
            variants=0,
            judgments=9,
            grades={"1": 9},
        ),
        warnings=(FEW,),
    )
    return msgspec.structs.replace(test_set, **changes)


def a_summary(mean: float | None = 0.81, **changes: Any) -> MetricSummary:
    """Return a metric of 49 queries."""
    summary = MetricSummary(
        mean=mean, n=49, sd=0.25, ci=(0.74, 0.88), level=0.95, method="t", bounds=(0.81, 0.81)
    )
    return msgspec.structs.replace(summary, **changes)


def a_report(**changes: Any) -> Results:
    """Return the report of a completed run."""
    results = Results(
        id="run_1",
        status=RunStatus.COMPLETED,
        test_set=SCORED,
        label="baseline",
        meta={"commit": "4f2a"},
        timestamp="2026-01-01T00:00:00Z",
        num_queries=50,
        counts=Counts(
            planned=50, ok=49, ok_empty=1, failed=0, skipped=0, unscorable=0, duplicate_hits=0
        ),
        effort=Effort(attempts=50, retried=0),
        metrics={"recall@5": a_summary(), "mrr": a_summary(0.9)},
        latency_ms=Latency(n=50, p50=1.04, p90=2, p95=3, p99=4, mean=1.5, max=5),
        slices={},
        diagnostics=(FEW,),
        definitions={},
        depth=10,
        limits=Limits(),
        versions={},
    )
    return msgspec.structs.replace(results, **changes)


def a_kind(**changes: Any) -> KindReport:
    """Return what misspelling cost."""
    kind = KindReport(
        kind="typo.mixed",
        family="character",
        severity=1,
        target="random_content_word",
        replicates=3,
        labels="preserving",
        source="generated",
        headline="ndcg@10",
        needs=48,
        not_applicable={},
        content_words_mean=3.1,
        clean=0.7,
        variant=0.55,
        drop=Drop(mean=0.15, ci=(0.1, 0.2), method="t", level=0.95),
        relative_drop=Relative(value=0.21),
        worst_case=Worst(variant=0.4, of=3),
        hurt=Share(n=20, share=0.42, ci=(0.3, 0.55)),
        helped=Share(n=2, share=0.04, ci=(0.01, 0.1)),
        lost_all=5,
        overlap=Overlap(rbo=0.6, p=0.9, top1_same=0.5, jaccard=0.5, k=10),
        judged=Before(clean=0.9, variant=0.8),
        status={"ok": 48},
        latency_ms={},
        verdict="worse",
        examples=(),
    )
    return msgspec.structs.replace(kind, **changes)


def an_adversarial_report(**changes: Any) -> AdversarialReport:
    """Return a block with one kind, the control and one tier."""
    report = AdversarialReport(
        suite="2026.0",
        seed=7,
        metric="ndcg@10",
        k=10,
        needs=48,
        sampled_from=50,
        calls=Calls(planned=200, ok=200, ok_empty=0, failed=0, blocked=0, skipped=0),
        control=Control(
            kind="control.repeat",
            drop=Drop(mean=0.0, ci=(0.0, 0.0), method="t", level=0.95),
            rbo=1.0,
            changed_lists=1,
            needs=48,
        ),
        kinds=(a_kind(),),
        out_of_corpus=OutOfCorpus(
            tiers=(
                Tier(
                    tier="far",
                    queries=60,
                    answered=60,
                    abstention_rate=0.25,
                    abstention_ci=(0.15, 0.4),
                    page_fill=0.75,
                    status={"ok": 60},
                    examples=(),
                ),
            ),
            false_refusal_rate=Refusals(n=1, of=50),
        ),
        summary=Summary(macro_drop=0.15, kinds_run=1, worst_kind="typo.mixed", inconclusive=0),
        limits=("drops of different kinds are not comparable",),
    )
    return msgspec.structs.replace(report, **changes)


def answer(document: object, status: int = 200, **headers: str) -> httpx.Response:
    """Return a JSON answer; header names spell `-` as `_`."""
    spelled = {name.replace("_", "-"): value for name, value in headers.items()}
    return httpx.Response(
        status,
        content=msgspec.json.encode(document),
        headers={"content-type": "application/json", **spelled},
    )


def problem(status: int, code: str, **more: Any) -> httpx.Response:
    """Return a problem document."""
    document = {
        "type": f"urn:reteval:{code}",
        "title": "Refused",
        "status": status,
        "detail": "Something is wrong.",
        "code": code,
        "instance": "urn:request:req-7",
        **more,
    }
    return httpx.Response(
        status,
        content=msgspec.json.encode(document),
        headers={"content-type": "application/problem+json", "x-request-id": "req-7"},
    )


Handler = Callable[[httpx.Request], httpx.Response]


class Script:
    """A service that gives the listed answers in turn and keeps what it was asked.

    An exception in the list is raised, a function is called with the request.
    """

    def __init__(self, answers: Iterable[httpx.Response | Exception | Handler]) -> None:
        self._answers = iter(answers)
        self.requests: list[httpx.Request] = []
        self.bodies: list[bytes] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        """Answer synchronously."""
        self.bodies.append(request.read())
        return self._next(request)

    async def answer_async(self, request: httpx.Request) -> httpx.Response:
        """Answer an asynchronous client."""
        self.bodies.append(await request.aread())
        return self._next(request)

    def _next(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        given = next(self._answers)
        if isinstance(given, Exception):
            raise given
        return given if isinstance(given, httpx.Response) else given(request)
