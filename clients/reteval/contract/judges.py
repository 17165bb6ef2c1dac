"""Judges: a model, how it is asked about a pair, what that may cost and what it came to."""

from typing import Annotated, Any, Final

from msgspec import Meta, Struct, field

from reteval.contract import limits
from reteval.contract.endpoints import Scalar
from reteval.contract.judge_prompts import JudgePrompt
from reteval.contract.pools import SNAPSHOT_CHARS
from reteval.contract.runs import Limits
from reteval.contract.testsets import Name

MAX_VOTES: Final = 5


class Prices(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a million tokens cost, in any currency."""

    prompt: Annotated[float, Meta(ge=0)] = 0.0
    completion: Annotated[float, Meta(ge=0)] = 0.0


class Caps(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a judge may come to at most; before a call that could go beyond, judging stops."""

    max_pairs: Annotated[int, Meta(ge=1)] | None = None
    max_tokens: Annotated[int, Meta(ge=1)] | None = None
    max_cost: Annotated[float, Meta(gt=0)] | None = None
    prices: Prices = Prices()


class JudgeModel(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A model behind a chat endpoint as OpenAI's: `base_url` as it is, then `/chat/completions`.

    `key` is sent as `Authorization: Bearer …`; neither it nor a header's value is ever returned.
    `params` are added to the URL, `options` to the body; an option that is null takes a default
    of ours out, such as `max_tokens` where a model wants `max_completion_tokens`.
    """

    base_url: Annotated[str, Meta(min_length=1, max_length=limits.MAX_URL_CHARS)]
    name: Name
    key: Annotated[str, Meta(max_length=limits.MAX_HEADER_BYTES)] = ""
    headers: dict[str, str] = field(default_factory=dict)
    params: dict[str, Scalar] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)
    limits: Limits = Limits(concurrency=8, timeout_s=60.0)


class JudgeRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Who judges a pool, how it is asked, and what it may cost.

    `prompt` is an id from `GET /v1/judge-prompts`, or a prompt of your own. `votes` asks so many
    times for each pair; `logprobs` asks once, for a bare digit whose chances are read. Pairs that
    are known are judged with `known`, to compare. Of a document, `max_chars` are shown: its
    beginning and its end. `model_family` names the kind of model, such as `gpt`, to warn of
    endpoints that declare the same. Pairs that this judge has judged are not asked about again;
    those that failed are.
    """

    model: JudgeModel
    prompt: str | JudgePrompt = "graded"
    votes: Annotated[int, Meta(ge=1, le=MAX_VOTES)] = 1
    logprobs: bool = False
    known: bool = False
    caps: Caps = Caps()
    max_chars: Annotated[int, Meta(ge=200, le=SNAPSHOT_CHARS)] = 6_000
    model_family: Annotated[str, Meta(max_length=limits.MAX_NAME_BYTES)] = ""


class TryRequest(JudgeRequest, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One pair to try a judge on; without ids, the first that has a text."""

    query_id: str = ""
    doc_id: str = ""


class Spent(Struct, frozen=True, kw_only=True):
    """What judging has come to. `cached` answers were known from before and cost nothing."""

    calls: int = 0
    cached: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float = 0.0


class JudgeProgress(Struct, frozen=True, kw_only=True):
    """How far a judge is: of `pairs` it is to judge, some have a grade, some failed, by code."""

    pairs: int = 0
    judged: int = 0
    failed: int = 0
    failures: dict[str, int] = field(default_factory=dict)
    spent: Spent = Spent()


class Judge(Struct, frozen=True, kw_only=True):
    """A judge of a judging: how it was asked, by the hash of its prompt, and how far it is.

    `rater` names it in votes: a digest of the model, its place, the prompt and all that can
    change an answer.
    """

    rater: str
    request: JudgeRequest
    prompt_id: str
    prompt_version: int
    prompt_hash: str
    progress: JudgeProgress = JudgeProgress()


class JudgeEstimate(Struct, frozen=True, kw_only=True):
    """What judging would come to: pairs left, answers known from before, and calls for the rest.

    Tokens of prompts are counted as a quarter of their characters; those of answers are the most
    that is allowed.
    """

    pairs: int
    cached: int
    calls: int
    prompt_tokens: int
    completion_tokens: int
    cost: float
    exceeds: tuple[str, ...] = ()


class Trial(Struct, frozen=True, kw_only=True):
    """One pair put to a judge: what was sent, what came back, and what was read in it."""

    query_id: str
    doc_id: str
    sent: str
    http_status: int | None
    answer: str
    grade: int | None
    probs: tuple[float, ...] | None
    explanation: str
    error: str
    detail: str
    response_format: str
