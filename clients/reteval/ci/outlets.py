"""Where a pipeline is told: log, job summary, comment, JUnit file, outputs of the step."""

import secrets
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import httpx

from reteval.ci.annotations import annotate, notice
from reteval.ci.comment import Comment, CommentError, find_thread
from reteval.ci.environment import Environment
from reteval.ci.evaluation import Evaluation
from reteval.ci.junit import write_junit
from reteval.ci.markdown import write
from reteval.ci.summary import MAX_BYTES, add_summary
from reteval.contract.gates import GateFormat
from reteval.contract.texts import show_printable

GITHUB: Final = "github"
_COMMENT_S: Final = 10.0


class Log:
    """Lines for people, and for a pipeline that reads some of them as commands."""

    def __init__(self, write: Callable[[str], object], environment: Environment) -> None:
        self._write = write
        self._reads_commands = environment.ci == GITHUB

    def note(self, message: str) -> None:
        """Say something without weight."""
        self._write(f"{notice(message) if self._reads_commands else message}\n")

    def tell(self, evaluation: Evaluation, *, file: str = "") -> None:
        """Write the verdict as text; nothing in it is a command. Then mark what is wrong."""
        with self._quoted():
            self._write(_text_of(evaluation))
        if self._reads_commands:
            self._write("".join(f"{line}\n" for line in annotate(evaluation, file=file)))

    @contextmanager
    def _quoted(self) -> Iterator[None]:
        if not self._reads_commands:
            yield
            return
        # Nobody who names a query or a label can know the word that ends the quotation.
        word = secrets.token_hex(16)
        self._write(f"::stop-commands::{word}\n")
        yield
        self._write(f"::{word}::\n")


class PullRequest:
    """The comment of a pull request; where there can be none, the log says so once."""

    def __init__(self, comment: Comment | None, log: Log) -> None:
        self._comment = comment
        self._log = log

    @property
    def room(self) -> int:
        """How many characters a comment can hold."""
        return self._comment.room if self._comment else 0

    def write(self, body: str) -> None:
        """Write the comment anew, if there is one."""
        if self._comment is None:
            return
        try:
            self._comment.write(body)
        except CommentError as exc:
            self._log.note(str(exc))
            self._comment = None


@contextmanager
def open_pull_request(
    environment: Environment, environ: Mapping[str, str], log: Log, *, key: str
) -> Iterator[PullRequest]:
    """Open the pull request that the pipeline is about; without one, nothing is written."""
    with httpx.Client(timeout=_COMMENT_S) as http:
        try:
            thread = find_thread(environment, environ)
        except CommentError as exc:
            log.note(str(exc))
            thread = None
        known = Comment(http, thread, f"{environment.step}/{key}") if thread else None
        yield PullRequest(known, log)


def fill_files(
    evaluation: Evaluation,
    environment: Environment,
    environ: Mapping[str, str],
    *,
    summary: Path | None = None,
    junit: Path | None = None,
    rows: int = 0,
) -> None:
    """Write the files that were asked for, and those that the pipeline reads.

    Raises:
        OSError: one of them cannot be written.
    """
    told = [Path(environ[name]) for name in ("GITHUB_STEP_SUMMARY",) if environ.get(name)]
    for path in (*told, *([summary] if summary else [])):
        add_summary(path, write(evaluation, environment, room=MAX_BYTES))
    if junit is not None:
        junit.write_bytes(write_junit(evaluation, rows=rows))
    if environ.get("GITHUB_OUTPUT"):
        _add_outputs(Path(environ["GITHUB_OUTPUT"]), evaluation)


def _add_outputs(path: Path, evaluation: Evaluation) -> None:
    values = {
        "verdict": evaluation.outcome.replace(" ", "_"),
        "exit-code": str(evaluation.exit_code),
        "run": evaluation.run,
        "report": evaluation.page,
    }
    with path.open("a", encoding="utf-8") as file:
        file.writelines(f"{name}={value}\n" for name, value in values.items())


def _text_of(evaluation: Evaluation) -> str:
    if evaluation.verdict is None:
        lines = [f"error: no verdict: {evaluation.trouble}"]
    else:
        lines = [evaluation.forms[GateFormat.TEXT].rstrip("\n")]
    if evaluation.page:
        lines.append(f"report    {evaluation.page}")
    shown = [show_printable(line) for text in lines for line in text.splitlines()]
    return "\n".join(shown) + "\n"
