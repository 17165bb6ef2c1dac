"""What a pipeline says of itself: the commit, the branch, the pull request, its own address."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import Struct, structs

_PULL_REF: Final = re.compile(r"refs/pull/(\d+)/")
_TOLD: Final = ("ci", "commit", "branch", "pull_request", "repository", "url")


class Environment(Struct, frozen=True, kw_only=True):
    """Where a command runs; a field is empty where the pipeline does not say it.

    `branch` of a pull request from a fork has the fork's name before it, so that nobody's branch
    `main` is taken for ours. `step` tells a job of the pipeline from its others.
    """

    ci: str = ""
    commit: str = ""
    branch: str = ""
    pull_request: str = ""
    repository: str = ""
    url: str = ""
    step: str = ""

    def meta(self) -> dict[str, str]:
        """Return what a run is marked with."""
        said = structs.asdict(self)
        return {name: said[name] for name in _TOLD if said[name]}


def read_environment(environ: Mapping[str, str]) -> Environment:
    """Tell the pipeline by its variables; outside of one nothing is known."""
    for variable, reader in _READERS.items():
        if environ.get(variable):
            return reader(environ)
    return Environment()


def _read_github(environ: Mapping[str, str]) -> Environment:
    event = _read_event(environ.get("GITHUB_EVENT_PATH", ""))
    pull = _table(event, "pull_request")
    head = _table(pull, "head")
    ref = _PULL_REF.match(environ.get("GITHUB_REF", ""))
    branch = _pull_branch(pull) if pull else ""
    if not pull and environ.get("GITHUB_REF_TYPE") == "branch" and ref is None:
        branch = environ.get("GITHUB_REF_NAME", "")
    repository = environ.get("GITHUB_REPOSITORY", "")
    server = environ.get("GITHUB_SERVER_URL", "")
    run = environ.get("GITHUB_RUN_ID", "")
    return Environment(
        ci="github",
        commit=str(head.get("sha") or environ.get("GITHUB_SHA", "")),
        branch=branch,
        pull_request=str(pull.get("number") or (ref[1] if ref else "")),
        repository=repository,
        url=f"{server}/{repository}/actions/runs/{run}" if server and run else "",
        step="/".join(environ.get(name, "") for name in ("GITHUB_WORKFLOW", "GITHUB_JOB")),
    )


def _pull_branch(pull: dict[str, Any]) -> str:
    head, base = _table(pull, "head"), _table(pull, "base")
    ours = _table(base, "repo").get("full_name")
    name = head["ref"] if _table(head, "repo").get("full_name") == ours else head["label"]
    return str(name)


def _read_gitlab(environ: Mapping[str, str]) -> Environment:
    def said(name: str) -> str:
        return environ.get(name, "")

    branch = said("CI_COMMIT_BRANCH")
    if said("CI_MERGE_REQUEST_IID"):
        fork, ours = (
            said("CI_MERGE_REQUEST_SOURCE_PROJECT_PATH"),
            said("CI_MERGE_REQUEST_PROJECT_PATH"),
        )
        branch = _of_fork(said("CI_MERGE_REQUEST_SOURCE_BRANCH_NAME"), "" if fork == ours else fork)
    return Environment(
        ci="gitlab",
        commit=said("CI_MERGE_REQUEST_SOURCE_BRANCH_SHA") or said("CI_COMMIT_SHA"),
        branch=branch,
        pull_request=said("CI_MERGE_REQUEST_IID"),
        repository=said("CI_PROJECT_PATH"),
        url=said("CI_JOB_URL"),
        step=said("CI_JOB_NAME"),
    )


def _read_jenkins(environ: Mapping[str, str]) -> Environment:
    branch = environ.get("CHANGE_BRANCH") or environ.get("BRANCH_NAME", "")
    return Environment(
        ci="jenkins",
        commit=environ.get("GIT_COMMIT", ""),
        branch=_of_fork(branch, environ.get("CHANGE_FORK", "")),
        pull_request=environ.get("CHANGE_ID", ""),
        url=environ.get("BUILD_URL", ""),
        step=environ.get("JOB_NAME", ""),
    )


def _read_generic(environ: Mapping[str, str]) -> Environment:
    """Read what a pipeline of another kind was told to say."""
    return Environment(
        ci=environ.get("RETEVAL_CI", ""),
        commit=environ.get("RETEVAL_CI_COMMIT", ""),
        branch=environ.get("RETEVAL_CI_BRANCH", ""),
        pull_request=environ.get("RETEVAL_CI_PULL_REQUEST", ""),
        repository=environ.get("RETEVAL_CI_REPOSITORY", ""),
        url=environ.get("RETEVAL_CI_URL", ""),
        step=environ.get("RETEVAL_CI_STEP", ""),
    )


_READERS: Final[dict[str, Callable[[Mapping[str, str]], Environment]]] = {
    "RETEVAL_CI": _read_generic,
    "GITHUB_ACTIONS": _read_github,
    "GITLAB_CI": _read_gitlab,
    "JENKINS_URL": _read_jenkins,
}
"""By the variable that each of them sets."""


def _of_fork(branch: str, fork: str) -> str:
    return f"{fork}:{branch}" if fork else branch


def _read_event(path: str) -> dict[str, Any]:
    """Return the event that started a workflow; what cannot be read says nothing."""
    try:
        return msgspec.json.decode(Path(path).read_bytes(), type=dict[str, Any])
    except (OSError, ValueError):
        return {}


def _table(of: dict[str, Any], name: str) -> dict[str, Any]:
    found = of.get(name)
    return found if isinstance(found, dict) else {}
