"""`reteval init`: what is written, asked, shown, and which command comes next."""

import io
import tomllib
from pathlib import Path

import httpx
import msgspec
import pytest

from reteval.cli.init import quote_toml
from reteval.cli.profiles import ProfileFile
from reteval.contract.readiness import Readiness, ReadinessStatus
from tests.unit.reteval.cli.places import Terminal, a_place
from tests.unit.reteval.cli.test_command import command
from tests.unit.reteval.documents import URL, a_preview, answer, problem

READY = Readiness(
    status=ReadinessStatus.READY, version="0.1.0", egress="public", findings=(), queues={}
)
FILES = {"reteval.toml", "gate.yaml", "queries.csv"}


def profile_of(folder: Path) -> dict[str, object]:
    """Read the profile that was written, as a later command does."""
    document = tomllib.loads((folder / "reteval.toml").read_text("utf-8"))
    file = msgspec.convert(document, ProfileFile)
    assert file.profile == "local"
    return msgspec.structs.asdict(file.profiles["local"])


def test_sample_is_written_and_previewed(tmp_path: Path) -> None:
    """Without anything said there is a profile, a gate and a sample to upload."""
    preview = a_preview(storable=True, refused=(), reasons={})
    code, out, err, service = command(
        "init", answers=[answer(READY), answer(preview)], place=a_place(folder=tmp_path)
    )
    assert code == 0
    assert out.startswith("wrote     reteval.toml\nwrote     gate.yaml\nwrote     queries.csv\n")
    assert "rows      3 read" in out
    assert err == "next: reteval upload queries.csv --name starter\n"
    assert {path.name for path in tmp_path.iterdir()} == FILES
    assert service.bodies[1] == (tmp_path / "queries.csv").read_bytes()
    assert dict(service.requests[1].url.params) == {"dry_run": "true", "name": "starter"}
    assert profile_of(tmp_path) == {
        "url": URL,
        "api_key": None,
        "api_key_env": None,
        "endpoint": "http://127.0.0.1:9000/search",
        "test_set": "starter",
        "metrics": ("ndcg@10", "mrr", "recall@5", "recall@10"),
    }


def test_own_queries_are_left_where_they_are(tmp_path: Path) -> None:
    """A file that was given names the test set; rows that are refused are shown, exit code 1."""
    (tmp_path / "my faq.csv").write_text("query,docid,rating\nx,1,1\n")
    words = ("init", "my faq.csv", "--endpoint", 'http://x/"\x7fé\U0001f600')
    code, out, err, _ = command(
        *words, answers=[answer(READY), answer(a_preview())], place=a_place(folder=tmp_path)
    )
    assert (code, err) == (1, "")
    assert "refused   not_a_grade: 1" in out
    assert not (tmp_path / "queries.csv").exists()
    profile = profile_of(tmp_path)
    assert (profile["test_set"], profile["endpoint"]) == ("my faq", 'http://x/"\x7fé\U0001f600')


@pytest.mark.parametrize(
    "failure",
    [
        httpx.ConnectError("refused"),
        httpx.Response(200, html="<p>something else"),
        problem(503, "not_ready"),
        problem(401, "unauthorized"),
    ],
)
def test_service_that_is_not_there_yet(tmp_path: Path, failure: httpx.Response | Exception) -> None:
    """The files are written all the same, and the doctor is next."""
    code, out, err, _ = command("init", answers=[failure], place=a_place(folder=tmp_path))
    assert (code, out.count("wrote")) == (0, 3)
    assert err.startswith("no preview yet: GET /readyz: ")
    assert err.endswith("\nnext: reteval doctor\n")


def test_json_has_all_of_it(tmp_path: Path) -> None:
    """One document: what was written, and the preview or null."""
    place = a_place(folder=tmp_path)
    code, out, err, _ = command(
        "init", "--json", answers=[answer(READY), answer(a_preview())], place=place
    )
    told = msgspec.json.decode(out)
    assert (code, err, {*told["written"]}) == (1, "", FILES)
    assert told["preview"]["storable"] is False


def test_nothing_is_written_over(tmp_path: Path) -> None:
    """One file in the way stops all of them, until --force."""
    (tmp_path / "gate.yaml").write_text("mine")
    place = a_place(folder=tmp_path)
    code, out, err, service = command("init", answers=[], place=place)
    assert (code, out, service.requests) == (2, "", [])
    assert err == "usage error: already there: gate.yaml; --force writes over what is there\n"
    assert [path.name for path in tmp_path.iterdir()] == ["gate.yaml"]
    answers = [answer(READY), answer(a_preview())]
    command("init", "--force", answers=answers, place=place)
    assert (tmp_path / "gate.yaml").read_text() != "mine"


def test_missing_queries(tmp_path: Path) -> None:
    """A file that is not there is named before anything is written."""
    code, _, err, _ = command("init", "x.csv", answers=[], place=a_place(folder=tmp_path))
    assert (code, [*tmp_path.iterdir()]) == (2, [])
    assert "x.csv is no file" in err


class Keyboard(Terminal):
    """Somebody who types."""


@pytest.mark.parametrize(
    ("typed", "words", "expected"),
    [
        ("\n\n\n", (), ("starter", "http://127.0.0.1:9000/search")),
        ("q.csv\nhttp://own/s\n\n", (), ("q", "http://own/s")),
        ("mine\n", ("q.csv", "--endpoint", "http://own/s"), ("mine", "http://own/s")),
        ("never read\n", ("--yes",), ("starter", "http://127.0.0.1:9000/search")),
    ],
)
def test_questions_are_for_what_was_left_out(
    tmp_path: Path, typed: str, words: tuple[str, ...], expected: tuple[str, str]
) -> None:
    """On a terminal each thing left out is asked for, an empty answer takes the default."""
    (tmp_path / "q.csv").write_text("query,docid\nx,1\n")
    keyboard = Keyboard(typed)
    command(
        "init",
        *words,
        answers=[httpx.ConnectError("refused")],
        stderr=Terminal(),
        place=a_place(folder=tmp_path, stdin=keyboard),
    )
    profile = profile_of(tmp_path)
    assert (profile["test_set"], profile["endpoint"]) == expected
    assert (keyboard.tell() == 0) is ("--yes" in words)


def test_no_question_into_a_file(tmp_path: Path) -> None:
    """With standard error redirected nobody would see a question."""
    place = a_place(folder=tmp_path, stdin=Keyboard("x\n"))
    code, _, err, _ = command(
        "init", answers=[httpx.ConnectError("refused")], stderr=io.StringIO(), place=place
    )
    assert (code, "address of" in err) == (0, False)


@pytest.mark.parametrize("text", ["", 'a"b\\c', "\x00\x1f\x7f\x85\u2028", "é\U0001f600", "a\nb"])
def test_quote_toml_reads_back(text: str) -> None:
    """Whatever was typed comes back as it was."""
    assert tomllib.loads(f"x = {quote_toml(text)}") == {"x": text}
