import pytest
from msgspec.structs import replace

from reteval.cli.report import render
from reteval.contract.adversarial import Drop
from reteval.contract.results import Latency, Partial, Slice
from reteval.contract.runs import RunStatus
from tests.unit.reteval.documents import (
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


def test_render_the_adversarial_block() -> None:
    """Kinds, the control and queries without an answer are three different things."""
    assert ADVERSARIAL in render(a_report(adversarial=an_adversarial_report()))


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
