"""The one comment on a pull request: found again by a hidden mark, and written anew."""

import hashlib
from collections.abc import Iterator, Mapping
from typing import Any, Final

import httpx
import msgspec
from msgspec import Struct

from reteval.ci.environment import Environment

MAX_CHARS: Final = 65_536
"""Longer comments are refused."""
_PAGE: Final = 100
_PAGES: Final = 20


class CommentError(Exception):
    """There is no comment; the message says why."""


class Thread(Struct, frozen=True, kw_only=True):
    """Where the comments of a pull request are, and how one is replaced.

    `comments` lists and creates, `comment` with an id after it is one of them.
    """

    comments: str
    comment: str
    replace: str
    headers: dict[str, str]

    def __repr__(self) -> str:
        """Show where, never the token."""
        return f"Thread(comments={self.comments!r})"


class Note(Struct, frozen=True):
    """What we need to know of a comment."""

    id: int
    body: str | None = None


class Comment:
    """One comment of a thread, told from all others by its mark."""

    def __init__(self, http: httpx.Client, thread: Thread, key: str) -> None:
        self._http = http
        self._thread = thread
        digest = hashlib.sha256(key.encode()).hexdigest()
        self._mark = f"<!-- reteval {digest[:16]} -->\n"
        self._id: int | None = None

    @property
    def room(self) -> int:
        """How many characters it can hold."""
        return MAX_CHARS - len(self._mark)

    def write(self, body: str) -> None:
        """Write it, or write it anew.

        Raises:
            CommentError: it could not be; the pipeline goes on without.
        """
        content = {"body": self._mark + body}
        try:
            known = self._id or self._find()
            if known is None:
                made = self._send("POST", self._thread.comments, json=content)
                self._id = msgspec.json.decode(made, type=Note).id
                return
            self._id = known
            self._send(self._thread.replace, f"{self._thread.comment}{known}", json=content)
        except (httpx.HTTPError, httpx.InvalidURL, msgspec.MsgspecError) as exc:
            raise CommentError(f"no comment: {str(exc) or type(exc).__name__}") from exc

    def _find(self) -> int | None:
        for note in self._list():
            if (note.body or "").replace("\r\n", "\n").startswith(self._mark):
                return note.id
        return None

    def _list(self) -> Iterator[Note]:
        for page in range(1, _PAGES + 1):
            params = {"per_page": _PAGE, "page": page}
            listed = self._send("GET", self._thread.comments, params=params)
            found = msgspec.json.decode(listed, type=list[Note])
            yield from found
            if len(found) < _PAGE:
                return

    def _send(self, method: str, url: str, **arguments: Any) -> bytes:
        answer = self._http.request(method, url, headers=self._thread.headers, **arguments)
        if answer.status_code in (401, 403, 404):
            raise CommentError(
                f"no comment: the token may not comment here ({answer.status_code}), as is usual "
                "for a pull request from a fork"
            )
        answer.raise_for_status()
        return answer.content


def find_thread(environment: Environment, environ: Mapping[str, str]) -> Thread | None:
    """Return where to comment; None where there is no pull request that we know to comment on.

    Raises:
        CommentError: there is one, but no token.
    """
    if environment.ci not in _FINDERS or not environment.pull_request:
        return None
    variable, find = _FINDERS[environment.ci]
    token = environ.get(variable, "")
    if not token:
        raise CommentError(f"no comment: {variable} holds no token")
    return find(environment, environ, token)


def _find_github(environment: Environment, environ: Mapping[str, str], token: str) -> Thread:
    api = environ.get("GITHUB_API_URL", "https://api.github.com")
    issues = f"{api}/repos/{environment.repository}/issues"
    return Thread(
        comments=f"{issues}/{environment.pull_request}/comments",
        comment=f"{issues}/comments/",
        replace="PATCH",
        headers={"Authorization": f"Bearer {token}", "Accept": "application/vnd.github+json"},
    )


def _find_gitlab(environment: Environment, environ: Mapping[str, str], token: str) -> Thread:
    api, project = environ.get("CI_API_V4_URL", ""), environ.get("CI_MERGE_REQUEST_PROJECT_ID", "")
    notes = f"{api}/projects/{project}/merge_requests/{environment.pull_request}/notes"
    return Thread(
        comments=notes, comment=f"{notes}/", replace="PUT", headers={"PRIVATE-TOKEN": token}
    )


_FINDERS: Final = {
    "github": ("GITHUB_TOKEN", _find_github),
    "gitlab": ("GITLAB_TOKEN", _find_gitlab),
}
