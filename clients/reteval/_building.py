"""What both clients offer about building test sets: question-answer pages, and logs."""

import os
from pathlib import Path
from typing import Final, TypedDict, Unpack

from reteval._async_sender import AsyncSender
from reteval._requests import JSON, Call
from reteval._sender import Sender
from reteval._uploads import BY_SUFFIX, CSV, UPLOAD_S
from reteval.contract.query_samples import QuerySample, SampleMethod
from reteval.contract.testsets import TestSet

TEXT: Final = "text/plain"
Source = str | os.PathLike[str]


class FaqHead(TypedDict, total=False):
    """What is said of the whole set."""

    name: str
    scale_max: int
    relevant_from: int
    language: str
    id_rule: str


class SampleOptions(TypedDict, total=False):
    """What is drawn from a log, and how."""

    method: SampleMethod | str
    size: int
    seed: int
    min_count: int
    once_per_user: bool


class Builder(Sender):
    """A sender that builds test sets of what there is."""

    def import_faq(self, source: Source, **head: Unpack[FaqHead]) -> TestSet:
        """Make a test set of a CSV or JSON-lines file of question, answer and document.

        Raises:
            OSError: the file cannot be read.
        """
        return self._exchange(post_faq(Path(source), head))

    def sample_queries(self, source: Source, **options: Unpack[SampleOptions]) -> QuerySample:
        """Draw queries from a log: a CSV or JSON-lines file, or a query a line.

        Raises:
            OSError: the file cannot be read.
        """
        return self._exchange(post_log(Path(source), options))


class AsyncBuilder(AsyncSender):
    """`Builder` for asyncio."""

    async def import_faq(self, source: Source, **head: Unpack[FaqHead]) -> TestSet:
        """Make a test set of questions and answers, as `Client.import_faq` does."""
        return await self._exchange(post_faq(Path(source), head))

    async def sample_queries(self, source: Source, **options: Unpack[SampleOptions]) -> QuerySample:
        """Draw queries from a log, as `Client.sample_queries` does."""
        return await self._exchange(post_log(Path(source), options))


def post_faq(path: Path, head: FaqHead) -> Call[TestSet]:
    """Upload questions and answers; the same content under the same name is the same set."""
    media = BY_SUFFIX.get(path.suffix.lower(), CSV)
    return Call(
        method="POST",
        path="/v1/faqs",
        expect=TestSet,
        params={name: str(value) for name, value in head.items()},
        headers={"accept": JSON, "content-type": media},
        file=path,
        repeatable=True,
        extra_s=UPLOAD_S,
    )


def post_log(path: Path, options: SampleOptions) -> Call[QuerySample]:
    """Send a log to be counted; nothing of it is kept, so that repeating is harmless."""
    media = BY_SUFFIX.get(path.suffix.lower(), TEXT)
    return Call(
        method="POST",
        path="/v1/query-samples",
        expect=QuerySample,
        params={name: str(value).lower() for name, value in options.items()},
        headers={"accept": JSON, "content-type": media},
        file=path,
        repeatable=True,
        extra_s=UPLOAD_S,
    )
