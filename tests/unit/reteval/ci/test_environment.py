"""What is read from the variables of pipelines, and whose branch is whose."""

import json
from pathlib import Path
from typing import Any

import pytest

from reteval.ci.environment import Environment, read_environment

GITHUB = {
    "GITHUB_ACTIONS": "true",
    "GITHUB_SHA": "merge",
    "GITHUB_REPOSITORY": "acme/search",
    "GITHUB_WORKFLOW": "ci",
    "GITHUB_JOB": "gate",
}
MERGE_REQUEST = {
    "GITLAB_CI": "true",
    "CI_MERGE_REQUEST_IID": "7",
    "CI_MERGE_REQUEST_PROJECT_PATH": "acme/search",
    "CI_MERGE_REQUEST_SOURCE_BRANCH_NAME": "main",
    "CI_COMMIT_SHA": "merge",
}


def event(tmp_path: Path, document: Any) -> dict[str, str]:
    """Write the event of a workflow."""
    path = tmp_path / "event.json"
    path.write_text(document if isinstance(document, str) else json.dumps(document))
    return {"GITHUB_EVENT_PATH": str(path)}


def pull(head_repository: Any) -> dict[str, Any]:
    """Return a pull request from the branch `main` of a repository."""
    head = {"sha": "head", "ref": "main", "label": "mallory:main", "repo": head_repository}
    base = {"repo": {"full_name": "acme/search"}}
    return {"pull_request": {"number": 7, "head": head, "base": base}}


@pytest.mark.parametrize(
    ("repository", "branch"),
    [
        ({"full_name": "acme/search"}, "main"),
        ({"full_name": "mallory/search"}, "mallory:main"),
        (None, "mallory:main"),
    ],
)
def test_main_of_a_fork_is_not_ours(tmp_path: Path, repository: Any, branch: str) -> None:
    """A pull request has its head's commit; from a fork, even a deleted one, the fork's name."""
    found = read_environment(GITHUB | event(tmp_path, pull(repository)))
    assert (found.commit, found.branch, found.pull_request) == ("head", branch, "7")
    assert found.step == "ci/gate"


@pytest.mark.parametrize("document", ["{", "[]", {"pull_request": None}, {}])
def test_pull_request_without_its_event_has_no_branch(tmp_path: Path, document: Any) -> None:
    """Where nobody can tell whose branch it is, none is said; its number is in the reference."""
    said = {"GITHUB_REF": "refs/pull/8/merge", "GITHUB_REF_TYPE": "branch"}
    found = read_environment(
        GITHUB | said | {"GITHUB_REF_NAME": "8/merge"} | event(tmp_path, document)
    )
    assert (found.branch, found.pull_request, found.commit) == ("", "8", "merge")


@pytest.mark.parametrize(("kind", "branch"), [("branch", "main"), ("tag", "")])
def test_push_has_its_branch_and_the_address_of_its_run(kind: str, branch: str) -> None:
    """A tag is no branch."""
    said = {"GITHUB_REF_TYPE": kind, "GITHUB_REF_NAME": "main", "GITHUB_REF": "refs/heads/main"}
    place = {"GITHUB_SERVER_URL": "https://forge.example", "GITHUB_RUN_ID": "9"}
    found = read_environment(GITHUB | said | place)
    assert (found.branch, found.pull_request) == (branch, "")
    assert found.url == "https://forge.example/acme/search/actions/runs/9"


@pytest.mark.parametrize(
    ("fork", "branch"), [("acme/search", "main"), ("mallory/search", "mallory/search:main")]
)
def test_merge_request_of_gitlab(fork: str, branch: str) -> None:
    """Its source branch, with the project before it where that is a fork."""
    found = read_environment(MERGE_REQUEST | {"CI_MERGE_REQUEST_SOURCE_PROJECT_PATH": fork})
    assert (found.branch, found.pull_request, found.commit) == (branch, "7", "merge")


def test_push_of_gitlab() -> None:
    """Outside of a merge request it is the branch that was pushed."""
    said = {"GITLAB_CI": "true", "CI_COMMIT_BRANCH": "main", "CI_JOB_URL": "https://x.example/1"}
    found = read_environment(said)
    assert found.meta() == {"ci": "gitlab", "branch": "main", "url": "https://x.example/1"}


def test_other_systems() -> None:
    """Jenkins says it in its own words, others in ours; outside of a pipeline nothing is known."""
    jenkins = {"JENKINS_URL": "x", "CHANGE_BRANCH": "main", "CHANGE_FORK": "mallory"}
    assert read_environment(jenkins).branch == "mallory:main"
    assert read_environment({"JENKINS_URL": "x", "BRANCH_NAME": "main"}).branch == "main"
    own = {"RETEVAL_CI": "forgejo", "RETEVAL_CI_COMMIT": "c", "RETEVAL_CI_BRANCH": "main"}
    assert read_environment(own).meta() == {"ci": "forgejo", "commit": "c", "branch": "main"}
    assert read_environment({}) == Environment()
    assert Environment().meta() == {}
