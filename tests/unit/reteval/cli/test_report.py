import pytest
from msgspec.structs import replace

from reteval.cli.report import render
from reteval.contract.adversarial import Changing, Drop
from reteval.contract.hostile import Expectation, HostileCase, HostileVerdict
from reteval.contract.out_of_corpus import Auroc, Floor
from reteval.contract.results import (
    JudgmentOrigins,
    Latency,
    LeakPart,
    Partial,
    RunLeakage,
    Slice,
)
from reteval.contract.runs import RunStatus
from tests.unit.reteval.documents import (
    SCORED,
    a_kind,
    a_report,
    a_summary,
    an_adversarial_report,
)

PLAIN = """\
run       run_1 completed
test set  docs version 2 (50 queries)
label     baseline
meta      commit=4f2a

metric     mean               interval   n
recall@5  0.810  0.740 .. 0.880 (95 %)  49
mrr       0.900  0.740 .. 0.880 (95 %)  49

requests  50 planned: 49 ok, 1 empty, 0 failed, 0 skipped; 0 unscorable
latency   p50 1.0, p95 3.0, p99 4.0, max 5.0 ms

[warn] few_queries: 5 queries are too few to trust
       fix: Add queries until there are 50.
"""
ADVERSARIAL = """\
adversarial suite 2026.0, seed 7, ndcg@10, 48 of 50 queries
kind        severity   metric  needs  clean  changed   drop               interval  hurt  helped\
  verdict
typo.mixed         1  ndcg@10     48  0.700    0.550  0.150  0.100 .. 0.200 (95 %)    20       2\
  worse
same query twice: 1 of 48 lists changed, drop 0.000

no answer exists  queries  answered  abstained  page fill
far                    60        60      0.250      0.750
answerable but left empty: 1 of 50
note: drops of different kinds are not comparable
"""


def test_render_a_plain_report() -> None:
    """The means stand with interval and n, then what was sent, then what was found."""
    assert PLAIN == render(a_report())


@pytest.mark.parametrize(
    ("origins", "line"),
    [
        (
            JudgmentOrigins(
                count=1_200,
                sources={"human": 0.8, "llm": 0.2},
                dated=900,
                oldest="2025-01-02T03:04:05Z",
                median="2025-06-01T00:00:00Z",
                newest="2026-03-04T05:06:07Z",
            ),
            "1,200 judgments (80% human, 20% llm), 900 dated 2025-01-02 .. 2026-03-04",
        ),
        (
            JudgmentOrigins(
                count=0,
                sources={},
                dated=0,
                oldest=None,
                median=None,
                newest=None,
                reason="no_dates",
            ),
            "0 judgments, none dated",
        ),
    ],
)
def test_render_whose_word_the_judgments_are(origins: JudgmentOrigins, line: str) -> None:
    """Number, share of each source, and between which days."""
    scored = replace(SCORED, judgments=origins)
    text = render(a_report(test_set=scored))
    assert text.splitlines()[2] == f"judged    {line}"


def test_render_the_adversarial_block() -> None:
    """Kinds, the control and queries without an answer are three different things."""
    assert ADVERSARIAL in render(a_report(adversarial=an_adversarial_report()))


def test_render_what_scores_are_worth() -> None:
    """A tier shows how well scores tell, and the floor they would bear or why they bear none."""
    block = an_adversarial_report()
    assert block.out_of_corpus is not None
    (far,) = block.out_of_corpus.tiers
    telling = replace(
        far,
        score_auroc=Auroc(top1=0.912, mean_k=0.9, gap=0.7, n=55, of=60),
        suggested_floor=Floor(value=4.25),
    )
    silent = replace(
        far,
        tier="near",
        score_auroc=Auroc(top1=None, mean_k=None, gap=None, n=0, of=60, reason="scores_absent"),
        suggested_floor=Floor(value=None, reason="scores_absent"),
    )
    card = replace(block.out_of_corpus, tiers=(telling, silent))
    text = render(a_report(adversarial=replace(block, out_of_corpus=card)))
    assert "page fill  auroc  floor  no floor for\n" in text
    assert "0.750  0.912  4.250\n" in text
    assert "0.750      -      -  scores_absent\n" in text


def test_render_what_should_move() -> None:
    """Kinds that ask for something else show how much of the list stayed."""
    negation = Changing(
        kind="negation",
        family="meaning",
        severity=1,
        target="random_content_word",
        source="generated",
        needs=40,
        not_applicable={},
        rbo=0.96,
        ci=(0.94, 0.98),
        p=0.9,
        control_rbo=0.998,
        margin=0.1,
        status={},
        verdict="insensitive",
    )
    text = render(a_report(adversarial=an_adversarial_report(changing=(negation,))))
    assert "negation                    40    0.960  insensitive\n" in text


def test_render_the_hostile_matrix() -> None:
    """Counted by verdict; what is not ok is named, the first eight of each."""
    fine = HostileCase(
        case="url",
        group="hostile",
        why="an address",
        sent="https://example.org",
        sent_chars=19,
        expect=Expectation.NO_5XX,
        verdict=HostileVerdict.OK,
        bound_ms=2_000.0,
    )
    broken = [
        replace(fine, case=f"case{place}", verdict=HostileVerdict.BROKEN) for place in range(10)
    ]
    slow = replace(fine, case="long", verdict=HostileVerdict.SLOW)
    block = an_adversarial_report(hostile=(fine, *broken, slow))
    text = render(a_report(adversarial=block))
    assert "odd and hostile strings: 12 sent: 1 ok, 10 broken, 1 slow\n" in text
    assert "  broken: case0, case1, case2, case3, case4, case5, case6, case7 and 2 more\n" in text
    assert "  slow: long\n" in text


def test_render_failures() -> None:
    """What failed is counted by its code, and widens the bounds shown."""
    counts = replace(a_report().counts, failed=3, failed_by_code={"timeout": 2, "connect": 1})
    text = render(a_report(counts=counts, metrics={"mrr": a_summary(bounds=(0.76, 0.82))}))
    assert "3 failed, 0 skipped; 0 unscorable (failed: connect 1, timeout 2)\n" in text
    assert "failed as 0 .. 1\n" in text
    assert "0.760 .. 0.820\n" in text


def test_render_a_metric_without_a_value() -> None:
    """A null is shown as such with its reason, never as 0."""
    empty = a_summary(None, ci=None, bounds=None, n=0, reason="no query was answered")
    text = render(a_report(metrics={"mrr": empty}))
    assert "mrr        -         -  0  no query was answered\n" in text


@pytest.mark.parametrize(
    ("reason", "said"), [("too_many_failures", "too_many_failures"), (None, "no reason given")]
)
def test_render_a_failed_run(reason: str | None, said: str) -> None:
    """A failed run has no metrics; its partial numbers are called that."""
    failed = a_report(
        status=RunStatus.FAILED,
        label="",
        metrics=None,
        partial=Partial(metrics={"mrr": a_summary()}, note="40 of 50 answered"),
        latency_ms=Latency(n=0, p50=None, p90=None, p95=None, p99=None, mean=None, max=None),
        diagnostics=(),
        **({} if reason is None else {"reason": reason}),
    )
    text = render(failed)
    expected = f"no metrics: {said}\npartial numbers, not a result: 40 of 50 answered\nmetric"
    assert expected in text
    assert "latency   none: no reason given\n" in text
    assert "label" not in text


def test_render_a_run_without_any_numbers() -> None:
    """A run that ended before anything was measured says only why."""
    text = render(a_report(metrics=None, reason="cancelled"))
    assert "no metrics: cancelled\n\nrequests" in text


def test_render_slices() -> None:
    """Each slice shows its size and its means."""
    part = Slice(n=12, metrics={"recall@5": a_summary(0.5), "mrr": a_summary(None)})
    text = render(a_report(slices={"tag:faq": part}))
    assert "slice     n  recall@5  mrr\ntag:faq  12     0.500    -\n" in text


def test_render_kinds_that_brought_nothing() -> None:
    """Reasons stand below the table, each once; absent parts are left out."""
    drop = Drop(mean=None, ci=None, method="t", level=0.95, reason="no_variation")
    skipped = a_kind(drop=drop, clean=None, variant=None, reason="not_applicable")
    control = an_adversarial_report().control
    assert control is not None
    block = an_adversarial_report(
        kinds=(skipped, skipped),
        control=replace(control, drop=drop),
        out_of_corpus=None,
        limits=(),
    )
    text = render(a_report(adversarial=block))
    assert "typo.mixed: not_applicable\ntyp" in text
    assert 1 == text.count("typo.mixed: no_variation\n")
    assert "same query twice: no figure (no_variation)\n" in text
    assert "no answer exists" not in text


def test_render_what_is_left_without_leaked_queries() -> None:
    """How many leaked, and the metrics of the rest; nothing where none did, or nobody looked."""
    seen = LeakPart(queries=2)
    leaked = RunLeakage(queries=4, share=0.08, between_splits=seen, from_documents=seen, compared=9)
    told = replace(leaked, metrics_without={"mrr": a_summary(mean=0.7)})
    text = render(a_report(leakage=told))
    assert "4 scored queries leaked (8.0%); without them:\nmetric" in text
    assert render(a_report(leakage=leaked)) == PLAIN
    assert "2 scored queries leaked; without" in render(
        a_report(leakage=replace(told, queries=2, share=None))
    )
