"""The files of `clients/ci` as they ship, run against a real service and a forge of our own."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from junitparser import Error, Failure, JUnitXml
from msgspec import Struct

from reteval import Client
from tests.endpoint import serve_answers
from tests.forge import TOKEN, Forge, serve_forge
from tests.pipelines import Ended, read_action, read_template, run_action, run_template

QUERIES = 24
GATE = """\
name: release
floors: [{metric: mrr, at_least: 0.3}]
drops: [{metric: mrr, max_drop: 0.05}]
"""
Place = Callable[[int], list[str]]


def best(number: int) -> list[str]:
    """Find each document first."""
    return [f"doc-{number}", f"noise-{number}"]


ANSWERS: dict[str, Place] = {
    "best": best,
    "worse": lambda number: best(number)[:: 1 if number % 2 else -1],
    "one lost": lambda number: best(number) if number else ["noise"],
    "other ids": lambda number: [f"https://docs.example/{number}"],
}


@pytest.fixture(scope="module")
def forge() -> Iterator[Forge]:
    """Serve pull request 7 for all tests."""
    with serve_forge() as opened:
        yield opened


@pytest.fixture(scope="module")
def endpoints() -> Iterator[dict[str, str]]:
    """Serve searches that are good and bad in known ways, and one that is broken."""

    def reply(text: str) -> tuple[int, Any]:
        name, number = text.rsplit(" ", 1)
        return 200, ANSWERS[name](int(number))

    with serve_answers(reply) as good, serve_answers(lambda _: (400, {"error": "no"})) as broken:
        addresses = dict.fromkeys(ANSWERS, good.url)
        yield {**addresses, "broken": broken.url}


@pytest.fixture(scope="module")
def described(endpoints: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a description of each endpoint, which says how it is to behave."""
    place = tmp_path_factory.mktemp("endpoints")
    for name, url in endpoints.items():
        body = {"query": f"{name} {{{{query}}}}", "top_k": "{{k}}"}
        (place / f"{name}.json").write_text(json.dumps({"url": url, "body": body}))
    return place


def workplace(place: Path, *, event: dict[str, Any] | None = None) -> Path:
    """Check out a project that has a gate and a test set."""
    (place / "gate.yaml").write_text(GATE)
    rows = "".join(f"{number},doc-{number},3\n" for number in range(QUERIES))
    (place / "queries.csv").write_text("query,docid,rating\n" + rows)
    (place / "event.json").write_text(json.dumps(event or {}))
    return place


def pull(head: str) -> dict[str, Any]:
    """Return the event of a pull request from a branch of the project itself, or of a fork."""
    fork = head.partition(":")[0] if ":" in head else "acme"
    return {
        "pull_request": {
            "number": 7,
            "head": {
                "sha": "c0ffee",
                "ref": head.rpartition(":")[2],
                "label": head if ":" in head else f"acme:{head}",
                "repo": {"full_name": f"{fork}/search"},
            },
            "base": {"repo": {"full_name": "acme/search"}},
        }
    }


class Project(Struct, frozen=True):
    """A project with a pipeline: the service it asks, its forge, its endpoints."""

    service_url: str
    forge: Forge
    described: Path

    def act(
        self, place: Path, answers: str, *, event: dict[str, Any] | None = None, **inputs: str
    ) -> Ended:
        """Run the action as a workflow of the project would."""
        given = {
            "url": self.service_url,
            "test-set": "in a pipeline",
            "upload": "queries.csv",
            "endpoint-file": str(self.described / f"{answers}.json"),
            "baseline-branch": "main",
            "junit": "reteval.xml",
            "token": TOKEN,
            "install": "false",
            "args": "--metrics mrr,ndcg@10",
            **{name.replace("_", "-"): text for name, text in inputs.items()},
        }
        return run_action(
            workplace(place, event=event),
            given,
            GITHUB_API_URL=self.forge.url,
            GITHUB_SERVER_URL="https://forge.example",
            GITHUB_REPOSITORY="acme/search",
            GITHUB_RUN_ID="99",
            GITHUB_WORKFLOW="ci",
            GITHUB_JOB="gate",
            GITHUB_SHA="beef",
            GITHUB_REF="refs/heads/main",
            GITHUB_REF_TYPE="branch",
            GITHUB_REF_NAME="main",
            GITHUB_EVENT_PATH=str(place / "event.json"),
        )


@pytest.fixture(scope="module")
def project(service_url: str, forge: Forge, described: Path) -> Project:
    """Return the project."""
    return Project(service_url, forge, described)


@pytest.fixture(scope="module")
def baseline(project: Project, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Run the action on a push to main, where nothing has run before."""
    ended = project.act(tmp_path_factory.mktemp("main"), "best")
    assert ended.code == 1, ended.log
    assert "version 1 has the branch 'main'; run the baseline with it first" in ended.log
    assert project.forge.written == []
    return ended.outputs["run"]


@pytest.mark.usefixtures("baseline")
@pytest.mark.parametrize(
    ("answers", "code", "verdict", "said"),
    [
        ("best", 0, "pass", "✅ release: pass"),
        ("worse", 1, "fail", "❌ release: fail"),
        ("broken", 3, "run_failed", "❗ release: run failed"),
        ("other ids", 4, "blocked", "⛔ release: blocked"),
        ("one lost", 5, "inconclusive", "❔ release: inconclusive"),
    ],
)
def test_action_tells_one_verdict_everywhere(
    project: Project, tmp_path: Path, answers: str, code: int, verdict: str, said: str
) -> None:
    """Exit code, outputs, summary, comment, annotations and JUnit of a run say the same."""
    conclusive = "true" if verdict == "inconclusive" else "false"
    ended = project.act(
        tmp_path, answers, event=pull("topic"), require_conclusive=conclusive, junit_queries="3"
    )
    assert ended.code == code, ended.log + ended.errors
    run_id = ended.outputs["run"]
    report = f"{project.service_url}/runs/{run_id}"
    assert ended.outputs == {
        "verdict": verdict,
        "exit-code": str(code),
        "run": run_id,
        "report": report,
    }
    (states,) = project.forge.written
    assert f"[Watch the run]({report})" in states[-2]
    for told in (ended.summary, states[-1]):
        assert said in told
        assert f"[Report]({report})" in told
        assert "<summary>Rules of the gate</summary>" in told
    marked = re.findall(r"^::(\w+) title=reteval", ended.log, re.MULTILINE)
    assert ("error" in marked) == (code not in (0, 5))
    parsed = JUnitXml.fromstring((tmp_path / "reteval.xml").read_text())
    broken = [one for suite in parsed for case in suite for one in case.result]
    assert any(isinstance(one, Failure | Error) for one in broken) == (code != 0)
    known = {one.name: one.value for suite in parsed for one in suite.properties()}
    assert (known["run"], known["verdict"]) == (run_id, verdict)
    assert known["test_set"].startswith("sha256:")
    if answers == "worse":
        look_closer(states[-1], parsed, ended.log)
        look_at_meta(project, run_id)


def look_at_meta(project: Project, run_id: str) -> None:
    """See that a run says which pipeline made it."""
    with Client(project.service_url) as client:
        assert client.get(run_id).meta == {
            "ci": "github",
            "commit": "c0ffee",
            "branch": "topic",
            "pull_request": "7",
            "repository": "acme/search",
            "url": "https://forge.example/acme/search/actions/runs/99",
        }


def look_closer(comment: str, parsed: JUnitXml, log: str) -> None:
    """See that a comment has what was won and lost, and JUnit the queries that were."""
    assert "| Metric | value (Δ) | wins | losses | n |" in comment
    assert "| mrr | 0.750 (-0.250) | 0 | 12 | 24 |" in comment
    assert "<summary>Fell most in ndcg@10</summary>" in comment
    assert re.search(r"^::error title=reteval,file=gate\.yaml::mrr .* 0\.05", log, re.MULTILINE)
    (queries,) = [suite for suite in parsed if suite.name == "release.queries"]
    assert (queries.tests, queries.failures) == (3, 0)  # found, if second
    assert all(case.time is not None and case.time > 0 for case in queries)
    assert "found: noise-" in str(next(iter(queries)).system_out)


def test_fork_gets_its_verdict_without_a_comment(
    project: Project, baseline: str, tmp_path: Path
) -> None:
    """A token that may not write costs a notice, and the main of a fork is not ours."""
    forge = project.forge
    before = [list(states) for states in forge.written]
    forge.closed = True
    try:
        ended = project.act(tmp_path, "worse", event=pull("mallory:main"))
    finally:
        forge.closed = False
    assert ended.code == 1
    (noted,) = re.findall(r"^::notice .*", ended.log, re.MULTILINE)
    assert "the token may not comment here (403)" in noted
    assert forge.written == before
    with Client(project.service_url) as client:
        assert client.get(ended.outputs["run"]).meta["branch"] == "mallory:main"
        assert client.latest(test_set="in a pipeline", branch="main").id == baseline


@pytest.mark.usefixtures("baseline")
def test_gitlab_job_does_the_same(project: Project, tmp_path: Path) -> None:
    """The lines of the template give the exit code, the files and the note of a merge request."""
    forge = project.forge
    before = len(forge.written)
    variables = {
        "RETEVAL_URL": project.service_url,
        "RETEVAL_TEST_SET": "in a pipeline",
        "RETEVAL_UPLOAD": "queries.csv",
        "RETEVAL_ENDPOINT_FILE": str(project.described / "worse.json"),
        "RETEVAL_BASELINE_BRANCH": "main",
        "RETEVAL_ARGS": "--metrics mrr,ndcg@10",
    }
    ended = run_template(
        workplace(tmp_path),
        variables,
        CI_API_V4_URL=forge.url,
        CI_MERGE_REQUEST_PROJECT_ID="5",
        CI_MERGE_REQUEST_IID="7",
        CI_MERGE_REQUEST_SOURCE_BRANCH_NAME="topic",
        CI_COMMIT_SHA="c0ffee",
        CI_JOB_NAME="gate",
        GITLAB_TOKEN=TOKEN,
    )
    assert ended.code == 1, ended.log + ended.errors
    assert "::" not in ended.log
    (note,) = forge.written[before:]
    told = (tmp_path / "reteval.md").read_text()
    assert "❌ release: fail" in told
    assert note[-1].endswith(told)
    assert JUnitXml.fromstring((tmp_path / "reteval.xml").read_text()).failures == 1


def test_files_are_what_the_systems_read() -> None:
    """No action of others, no input in the text of a script, artefacts that the script writes."""
    action = read_action()
    assert action["runs"]["using"] == "composite"
    for step in action["runs"]["steps"]:
        assert "uses" not in step
        assert step["shell"] == "bash"
        assert "${{" not in step["run"]
    job = read_template()
    written = " ".join(job["script"])
    for file in (*job["artifacts"]["paths"], job["artifacts"]["reports"]["junit"]):
        assert file in written
