from pathlib import Path

import msgspec

from reteval.cli.preview import render_preview
from reteval.contract.imports import ImportPreview
from reteval.contract.problems import ProblemItem
from tests.unit.reteval.cli.test_command import command
from tests.unit.reteval.documents import a_preview, answer


def test_preview_shows_what_is_refused_and_why() -> None:
    """Files with their formats, counts, each refusal with its place, first queries, the verdict."""
    text = "\n".join(render_preview(a_preview()))
    for part in (
        "a.csv  csv     queries and judgments  certain  utf-8        3",
        "rows      3 read, 2 accepted, 1 refused, 0 unrated; 0 repeated, 0 in conflict",
        "grades    1: 2, x: 1",
        "set       5 queries (4 scorable, 0 unjudged), 9 judgments",
        "refused   not_a_grade: 1",
        "  a.csv row 4: rating 'x' is none",
        "[warn] few_queries",
        "query     q1: red shoes",
        "it would not be stored as it is",
    ):
        assert part in text


def test_preview_shows_rules_that_the_whole_breaks() -> None:
    """Without a set there are no counts of it; problems of rules have their pointers."""
    problem = ProblemItem(pointer="/queries/0", message="no document", fix="Judge one.")
    broken = a_preview(problems=(problem,), stats=None, grades={}, queries=())
    text = "\n".join(render_preview(broken))
    assert "problem   /queries/0: no document" in text
    assert "set    " not in text


def test_preview_shows_a_few_of_many_like_each_other() -> None:
    """Three places for each cure, the number of the others, and the cure once; warnings first."""
    problems = tuple(
        ProblemItem(pointer=f"/queries/{n}", message="no document", fix="Judge one.")
        for n in range(9)
    )
    lines = list(render_preview(a_preview(problems=problems)))
    shown = [line for line in lines if line.startswith("problem ")]
    assert shown == [f"problem   /queries/{n}: no document" for n in range(3)]
    assert lines[lines.index(shown[-1]) + 1] == "       and 6 more like it"
    assert lines.count("       fix: Judge one.") == 1
    warned = next(n for n, line in enumerate(lines) if line.startswith("[warn]"))
    assert warned < lines.index("refused   not_a_grade: 1")


def test_dry_run_sends_options_and_stores_nothing(tmp_path: Path) -> None:
    """The command's options are those of the request; a set that would be refused exits with 1."""
    path = tmp_path / "a.csv"
    path.write_text("q,d,r\n")
    words = ["--columns", "query:q,docid:d,rating:r", "--negatives", "keep", "--on-error", "skip"]
    code, out, _, service = command(
        "upload", str(path), "--dry-run", *words, answers=[answer(a_preview())]
    )
    assert (code, "rows      3 read" in out) == (1, True)
    assert dict(service.requests[0].url.params) == {
        "columns": "query:q,docid:d,rating:r",
        "negatives": "keep",
        "on_error": "skip",
        "dry_run": "true",
    }


def test_dry_run_of_several_files_as_json(tmp_path: Path) -> None:
    """Topics and qrels, or files: parts of one request; with --json the document is printed."""
    path = tmp_path / "a"
    path.write_text("1\tx\n")
    fine = a_preview(storable=True)
    for words in (["--topics", str(path), "--qrels", str(path)], [str(path), str(path)]):
        code, out, _, service = command(
            "upload", *words, "--dry-run", "--json", answers=[answer(fine)]
        )
        assert (code, msgspec.json.decode(out, type=ImportPreview)) == (0, fine)
        assert b'name="file2"' in service.bodies[0]
