"""`reteval leakage`: what is sent, what is printed, what the shell is told."""

import json
from pathlib import Path

import pytest

from reteval.cli.leakage import report_lines
from reteval.contract.diagnostics import Diagnostic, DiagnosticCode, Severity
from reteval.contract.leakage import (
    AgainstOverlap,
    DocumentOverlap,
    LeakageReport,
    LeakCount,
    LeakedPair,
    LeakedPairPage,
    LeakPlace,
    MetricWithout,
    PairSide,
    SourceLeaks,
    SplitOverlap,
)
from reteval.contract.leaks import LeakKind
from reteval.contract.runs import RunStatus
from tests.unit.reteval.cli.test_command import command
from tests.unit.reteval.documents import answer
from tests.unit.reteval.test_leakage import PAIR, a_check, a_leakage_report

ONE = LeakCount(pairs=3, queries=2, share=0.2)


def full_report() -> LeakageReport:
    """Build a report that has everything."""
    return a_leakage_report(
        queries=10,
        leaked=3,
        share=0.3,
        within={LeakKind.EXACT: ONE},
        splits=(
            SplitOverlap(
                splits=("holdout", "tune"),
                queries=(1, 2),
                shares=(0.25, 0.5),
                pairs=2,
                kinds={LeakKind.EXACT: 2},
            ),
        ),
        against=AgainstOverlap(texts=7, queries=2, share=0.2, kinds={LeakKind.NEAR: ONE}),
        documents=DocumentOverlap(
            compared=9, exempt=1, queries=2, share=0.22, kinds={LeakKind.VERBATIM: ONE}
        ),
        sources={"": SourceLeaks(queries=4, leaked=1, lifted=0, share=0.25)},
        metrics={
            "mrr": MetricWithout(
                n=10, mean=0.5, n_without=7, mean_without=0.41234, mean_leaked=None
            )
        },
        diagnostics=(
            Diagnostic(
                code=DiagnosticCode.LEAKED_QUERIES,
                severity=Severity.WARN,
                message="Three leaked.",
                fix="Take them out.",
            ),
        ),
        cut=True,
    )


def test_report_shows_everything_once() -> None:
    """Shares, places, kinds, sources, metrics, and what it means, in reading order."""
    assert report_lines(full_report()) == [
        "leaked    3 of 10 queries (30.0%); there is more than was looked for",
        "within    exact: 3 pairs, 2 queries (20.0%)",
        "between   2 pairs: 1 of holdout (25.0%), 2 of tune (50.0%)",
        "against   2 queries in 7 texts",
        "          near: 3 pairs, 2 queries (20.0%)",
        "documents 2 of 9 queries that could be compared",
        "          verbatim: 3 pairs, 2 queries (20.0%)",
        "source    -: 1 of 4 leaked (25.0%), 0 from documents",
        "metric    all  without leaked  leaked",
        "mrr     0.500           0.412       -",
        "[warn] leaked_queries: Three leaked.",
        "       fix: Take them out.",
    ]


def test_leakage_sends_files_and_names(tmp_path: Path) -> None:
    """A text a line, or JSON; documents as JSON lines; a byte order mark and blanks are nothing."""
    texts = tmp_path / "texts.txt"
    texts.write_text('\ufeffone text\n\n{"query": "two"}\n{"text": "three"}\n{broken\n', "utf-8")
    corpus = tmp_path / "corpus.ndjson"
    corpus.write_text('{"_id": 7, "text": "seven", "title": "x"}\n{"id": "8", "text": "eight"}\n')
    argv = ["leakage", "docs", "--against", str(texts), "--run", "run_1", "--corpus", str(corpus)]
    code, out, _, service = command(*argv, answers=[answer(a_check())])
    assert code == 0
    assert out == (
        "leaked    0 of 2 queries (0.0%)\ndocuments 0 of 0 queries that could be compared\n"
    )
    assert json.loads(service.requests[0].content) == {
        "test_set": "docs",
        "against": {"texts": ["one text", "two", "three", "{broken"]},
        "run": "run_1",
        "corpus": [{"id": 7, "text": "seven"}, {"id": "8", "text": "eight"}],
    }


def test_leakage_names_another_set() -> None:
    """In place of a file."""
    argv = ["leakage", "docs", "--against-set", "train"]
    _, _, _, service = command(*argv, answers=[answer(a_check())])
    assert json.loads(service.requests[0].content) == {
        "test_set": "docs",
        "against": {"test_set": "train"},
    }


def test_pairs_of_a_kind_are_printed() -> None:
    """Both sides with their ids; the similarity where there is one."""
    document = LeakedPair(
        kind=LeakKind.LIFTED,
        place=LeakPlace.DOCUMENT,
        query=PAIR.query,
        other=PairSide(id="d1", text="reset …"),
    )
    page = LeakedPairPage(items=(PAIR, document))
    argv = ["leakage", "docs", "--pairs", "near"]
    _, out, _, service = command(*argv, answers=[answer(a_check()), answer(page)])
    assert out.splitlines()[-2:] == [
        "near 0.75 against: [q1] reset my password  ~  [1] reset password",
        "lifted document: [q1] reset my password  ~  [d1] reset …",
    ]
    assert service.requests[1].url.params["kind"] == "near"


def test_a_failed_check_is_told() -> None:
    """Its reason, and an exit code of its own; as JSON the document alone."""
    failed = a_check(status=RunStatus.FAILED, report=None, error="parent_deleted")
    code, out, _, _ = command("leakage", "docs", answers=[answer(failed)])
    assert (code, out) == (3, "lk_1 failed: parent_deleted\n")
    code, out, _, _ = command("leakage", "docs", "--json", answers=[answer(failed)])
    assert (code, json.loads(out)["error"]) == (3, "parent_deleted")


@pytest.mark.parametrize(
    ("option", "line", "told"),
    [
        ("--against", '{"q": "x"}', "needs `query` or `text`"),
        ("--corpus", '{"id": "x"}', "needs JSON with `id`"),
        ("--corpus", '{"text": "x"}', "needs JSON with `id`"),
        ("--corpus", "plain", "needs JSON with `id`"),
    ],
)
def test_files_of_something_else_are_wrong_usage(
    tmp_path: Path, option: str, line: str, told: str
) -> None:
    """Nothing is sent, and the message says what a line needs."""
    path = tmp_path / "file"
    path.write_text(line)
    code, _, err, service = command("leakage", "docs", option, str(path), answers=[])
    assert code == 2
    assert told in err
    assert not service.requests
