from pathlib import Path

import msgspec

from reteval.contract.query_samples import QuerySample
from tests.unit.reteval.cli.test_keeping import command
from tests.unit.reteval.documents import a_test_set, answer
from tests.unit.reteval.test_building import SAMPLE

LINE = '{"query":"reset password","tags":["head"],"source":"log"}\n'


def test_faq_tells_what_was_made(tmp_path: Path) -> None:
    """Counts and warnings are printed; with --json, the set."""
    path = tmp_path / "faq.csv"
    path.write_text("question,url\n")
    made = a_test_set()
    words = ("build", "faq", str(path), "--name", "docs", "--language", "en")
    code, out, _, service = command(*words, answers=[answer(made)])
    assert (code, out.splitlines()[0]) == (
        0,
        "ts_1 docs version 2: 5 questions, 9 documents that answer them",
    )
    assert "few_queries" in out
    assert dict(service.requests[0].url.params) == {"name": "docs", "language": "en"}
    out = command(*words, "--json", answers=[answer(made)])[1]
    assert msgspec.json.decode(out)["id"] == "ts_1"


def test_sample_is_printed_and_counts_are_told(tmp_path: Path) -> None:
    """Queries go to standard output as JSON lines, counts to standard error."""
    path = tmp_path / "log.txt"
    path.write_text("reset password\n")
    words = ("build", "logs", str(path), "--size", "1", "--seed", "7", "--once-per-user")
    code, out, err, service = command(*words, answers=[answer(SAMPLE)])
    assert (code, out) == (0, LINE)
    assert err.splitlines() == [
        "1,005 lines: 1,000 searches of 40 queries",
        "dropped: 5 empty",
        "redacted: 2 email",
        "stratum  queries  searches  drawn",
        "head          40     1,000      1",
    ]
    assert dict(service.requests[0].url.params) == {
        "size": "1",
        "seed": "7",
        "once_per_user": "true",
    }


def test_sample_goes_to_a_file(tmp_path: Path) -> None:
    """The file can be uploaded; what was not dropped or redacted is not told."""
    path, made = tmp_path / "log.txt", tmp_path / "drafts.jsonl"
    path.write_text("a\n")
    plain = msgspec.structs.replace(SAMPLE, dropped={}, redacted={})
    words = ("build", "logs", str(path), "--output", str(made))
    code, out, err, _ = command(*words, answers=[answer(plain)])
    assert (code, out, made.read_text()) == (0, "", LINE)
    assert "dropped" not in err
    out = command("build", "logs", str(path), "--json", answers=[answer(plain)])[1]
    assert msgspec.json.decode(out, type=QuerySample) == plain
