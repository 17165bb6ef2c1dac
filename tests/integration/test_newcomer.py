"""The newcomer's path on a running service: every hint is carried out as it is printed."""

import io
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from benchmarks.newcomer import Done, LostError, walk
from examples import endpoint
from reteval.cli import main
from reteval.cli.place import Place
from tests.endpoint import serve

BAD_IDS = """\
query,docid,rating
login code,DOC-LOGIN-CODE,3
helmet,DOC-HELMET,3
flat tyre,DOC-FLAT-TYRE,2
"""


class Page(BaseHTTPRequestHandler):
    """Shows a page for people, whatever it is asked."""

    def do_GET(self) -> None:
        """Answer the page."""
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<html><title>Sign in</title>")

    do_POST = do_GET  # noqa: N815 - http.server's name

    def log_message(self, *_args: object) -> None:
        """Stay silent."""


@pytest.fixture(scope="module")
def search_url() -> Iterator[str]:
    """Run the example search service."""
    with serve(endpoint.start(0, endpoint.DOCUMENTS)) as search:
        yield search.url


def carry_out(words: list[str], folder: Path, **environ: str) -> Done:
    """Carry out a command line of `reteval` in a folder; both streams in one."""
    assert words[0] == "reteval"
    screen = io.StringIO()
    place = Place(environ=environ, folder=folder, home=folder, stdin=io.StringIO())
    code = main(words[1:], stdout=screen, stderr=screen, place=place)
    return Done(code, screen.getvalue())


def test_hints_lead_from_init_to_the_gate(
    service_url: str, search_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Init, upload, two runs, their comparison and the gate: six commands, one known beforehand."""
    monkeypatch.chdir(tmp_path)
    first = f"reteval init --endpoint {search_url}"
    steps = [
        *walk(first, lambda words: carry_out(words, tmp_path, RETEVAL_URL=service_url)),
    ]
    commands = [step.line.split()[1] for step in steps]
    assert commands == ["init", "upload", "run", "run", "compare", "gate"]
    assert "recall@5" in steps[2].done.written
    assert "no change (ndcg@10)" in steps[4].done.written
    assert "starter: PASS" in steps[5].done.written


def test_way_that_leads_nowhere_is_told() -> None:
    """A command that fails, a hint that is missing and hints in a circle are each an error."""
    cases = (
        (Done(1, "error: no"), "ended with 1"),
        (Done(0, "done\n"), "nothing follows"),
        (Done(0, "next: reteval init\n"), "step 13"),
    )
    for done, said in cases:
        with pytest.raises(LostError, match=said):
            list(walk("reteval init", lambda _, done=done: done))


def test_doctor_sees_ids_that_never_match(
    service_url: str, search_url: str, tmp_path: Path
) -> None:
    """The worker's own diagnosis comes back as a finding with the patch that mends it."""
    (tmp_path / "bad.csv").write_text(BAD_IDS)
    upload = ["reteval", "upload", str(tmp_path / "bad.csv"), "--name", "bad-ids"]
    assert carry_out(upload, tmp_path, RETEVAL_URL=service_url).code == 0
    words = ["reteval", "doctor", "bad-ids", search_url]
    done = carry_out(words, tmp_path, RETEVAL_URL=service_url)
    assert done.code == 1
    assert "problem   ids: no answer holds an id that is judged" in done.written
    assert 'Patch of the run: {"endpoint":{"id_rule":' in done.written


def test_doctor_sees_a_page_for_people(service_url: str, tmp_path: Path) -> None:
    """An endpoint that answers HTML is told from one that is down."""
    with serve(ThreadingHTTPServer(("127.0.0.1", 0), Page)) as page:
        words = ["reteval", "doctor", f"http://127.0.0.1:{page.server_port}/"]
        done = carry_out(words, tmp_path, RETEVAL_URL=service_url)
    down = carry_out(words, tmp_path, RETEVAL_URL=service_url)
    assert (done.code, down.code) == (1, 1)
    assert (
        "problem   endpoint: 1 request: HTTP 200 with a web page titled 'Sign in'" in done.written
    )
    assert "problem   endpoint: 1 request: connect" in down.written


def test_doctor_finds_the_page_of_another_server(tmp_path: Path) -> None:
    """Something else at the address is no reteval service."""
    with serve(ThreadingHTTPServer(("127.0.0.1", 0), Page)) as page:
        url = f"http://127.0.0.1:{page.server_port}"
        done = carry_out(["reteval", "doctor"], tmp_path, RETEVAL_URL=url)
    assert done.code == 1
    assert "is no reteval service" in done.written
