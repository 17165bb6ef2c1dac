from html.parser import HTMLParser

import msgspec
import pytest

from reteval.contract.endpoints import Endpoint
from reteval.contract.results import ScoredTestSet
from reteval.contract.runs import RunStatus
from reteval.contract.shown import Shown
from reteval.views.html import MOST_ROWS, render
from tests.unit.reteval.decisions import (
    a_comparison,
    a_comparison_report,
    a_gate_run,
    a_metric,
    a_pending_comparison,
    a_rule,
    a_side,
    a_verdict,
)
from tests.unit.reteval.documents import FEW, PINNED, a_report, a_run, a_summary, a_test_set

HOSTILE = """<script>alert(1)</script>'"><img src=x onerror=alert(2)>&amp;"""
TAGS = {"div", "b", "br", "table", "tr", "th", "td", "ul", "li", "p", "code"}
replace = msgspec.structs.replace
NAMED = replace(PINNED, name=HOSTILE)
FOUND = replace(FEW, message=HOSTILE, fix=HOSTILE)
EVIL: list[Shown] = [
    a_run(
        label=HOSTILE,
        test_set=NAMED,
        error=HOSTILE,
        endpoint=Endpoint(url=f"http://x/{HOSTILE}"),
    ),
    a_test_set(name=HOSTILE, warnings=(FOUND,)),
    a_report(
        label=HOSTILE,
        test_set=ScoredTestSet(id="t", name=HOSTILE, version=1, hash="h"),
        metrics={HOSTILE: a_summary()},
        diagnostics=(FOUND,),
    ),
    a_report(metrics=None, reason=HOSTILE),
    a_comparison(
        report=a_comparison_report(
            baseline=a_side("run_0", HOSTILE),
            candidate=a_side("run_1", HOSTILE),
            primary=HOSTILE,
            sentence=HOSTILE,
            metrics={HOSTILE: a_metric()},
            warnings=(HOSTILE,),
        )
    ),
    a_comparison(status=RunStatus.FAILED, report=None, error=HOSTILE),
    a_verdict(
        name=HOSTILE,
        sentence=HOSTILE,
        run=a_gate_run(label=HOSTILE),
        rules=(a_rule(rule=HOSTILE, message=HOSTILE),),
    ),
]


class Reader(HTMLParser):
    """Reads HTML as a notebook does: its tags with attributes, and its text."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""
        self.depth = 0
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep a tag."""
        self.tags.add(tag)
        self.attributes += attrs
        self.depth += tag != "br"

    def handle_endtag(self, tag: str) -> None:
        """Close a tag."""
        assert tag in self.tags
        self.depth -= 1

    def handle_data(self, data: str) -> None:
        """Keep text."""
        self.text += data


@pytest.mark.parametrize("shown", EVIL, ids=lambda shown: type(shown).__name__)
def test_what_users_typed_is_text(shown: Shown) -> None:
    """A hostile name in every field stands there as it was typed, and makes no tag of its own."""
    read = Reader(shown._repr_html_())
    assert read.tags <= TAGS
    assert (read.attributes, read.depth) == ([], 0)
    assert HOSTILE in read.text


def test_report_shows_its_numbers_and_findings() -> None:
    """Metrics with intervals, requests, and each finding with its fix."""
    read = Reader(a_report()._repr_html_())
    for text in ("recall@5", "0.810", "0.740 .. 0.880 (95 %)", "50 planned: 49 ok", FEW.fix):
        assert text in read.text


def test_comparison_shows_signed_differences() -> None:
    """The verdict is the title; a comparison under way says so."""
    read = Reader(a_comparison()._repr_html_())
    assert read.text.startswith("no change (recall@5)")
    assert "-0.010" in read.text
    assert "running" in Reader(a_pending_comparison()._repr_html_()).text


def test_verdict_is_told_by_signs() -> None:
    """Signs and words, no colours."""
    text = Reader(a_verdict()._repr_html_()).text
    assert text.startswith("\u2717 gate: fail")
    assert "\u2713 pass" in text


def test_long_tables_are_cut_and_say_so() -> None:
    """A notebook stays small; the data frame has the rest."""
    report = a_report(metrics={f"m{n}": a_summary() for n in range(MOST_ROWS + 2)})
    html = report._repr_html_()
    assert html.count("<tr>") == MOST_ROWS + 1
    assert "2 more: <code>to_frame()</code>" in html


def test_what_has_no_html_is_refused() -> None:
    """Only structs that are shown have any."""
    with pytest.raises(TypeError, match="int has no HTML"):
        render(1)
