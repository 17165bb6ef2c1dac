"""From the body of an answer to ids and scores, or to the reason why it has none.

A hit without an id spoils the whole answer: leaving the hit out would shift every rank behind it.
"""

import math
import re
from collections.abc import Callable, Sequence
from typing import Any, Final, cast

import jmespath
import msgspec
from jmespath.exceptions import JMESPathError
from msgspec import UNSET, Raw, Struct, UnsetType, field

from reteval.contract.outcomes import FailureCode
from reteval.contract.runs import Endpoint

_MAX_CONTAINERS: Final = 200_000
"""Objects and lists in an answer that is decoded freely; beyond it, decoding stalls the worker."""
_LISTS: Final = ("results", "hits", "documents", "data")
_IDS: Final = ("id", "_id", "doc_id")
_SCORES: Final = ("score", "_score")
_NO_ERROR: Final = (b"null", b"false", b'""', b"{}", b"[]", b"0")
_ERROR: Final = "the answer carries an `error`"
_NO_LIST: Final = "the answer is no list of hits and has none as results, hits, documents or data"
_NOT_FINITE: Final = re.compile(rb"[:\[,]\s*-?(?:NaN|Infinity)\b")

Search = Callable[[Any], Any]


class AnswerError(Exception):
    """An answer that cannot be used; the text quotes none of it but places and types."""

    def __init__(self, code: FailureCode, detail: str) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail


class Answer(Struct, frozen=True):
    """Ids in the order delivered, cut at the depth; `returned` counts them before the cut.

    `scores` is None unless every hit carried one.
    """

    ids: list[str]
    scores: list[float] | None
    returned: int


class _Hit(Struct, gc=False):
    id: str | int | UnsetType = UNSET
    other_id: str | int | UnsetType = field(default=UNSET, name="_id")
    doc_id: str | int | UnsetType = UNSET
    score: float | UnsetType | None = UNSET
    other_score: float | UnsetType | None = field(default=UNSET, name="_score")


class _Envelope(Struct):
    results: Raw | UnsetType = UNSET
    hits: Raw | UnsetType = UNSET
    documents: Raw | UnsetType = UNSET
    data: Raw | UnsetType = UNSET
    error: Raw | UnsetType = UNSET


# The usual answer is recognised by the types of its parts and read without a look at each hit.
_HITS: Final = {_Hit}
_TEXTS: Final = {str}
_FLOATS: Final = {float}
_ANSWER: Final = msgspec.json.Decoder(list[_Hit | str | int] | _Envelope)
_LIST: Final = msgspec.json.Decoder(list[_Hit | str | int])


class Mapping(Struct, frozen=True, kw_only=True):
    """How to read an endpoint's answers; compiled expressions where some are declared."""

    hits: Search | None = None
    id: Search | None = None
    score: Search | None = None
    ids: Search | None = None
    scores: Search | None = None

    @classmethod
    def compile(cls, endpoint: Endpoint) -> "Mapping":
        """Compile an endpoint's expressions.

        Raises:
            ValueError: an expression that is no JMESPath, or two ways to find the ids.
        """
        if endpoint.ids is not None and (endpoint.hits or endpoint.id or endpoint.score):
            raise ValueError("`ids` reads parallel arrays: leave out `hits`, `id` and `score`")
        if endpoint.scores is not None and endpoint.ids is None:
            raise ValueError("`scores` reads a parallel array: declare `ids` beside it")
        _compile("text", endpoint.text)
        names = ("hits", "id", "score", "ids", "scores")
        return cls(**{name: _compile(name, getattr(endpoint, name)) for name in names})

    def read(self, body: bytes, depth: int) -> Answer:
        """Read one answer.

        Raises:
            AnswerError: `invalid_json`, `schema` (no list, a hit without id, an id that is
                neither text nor integer) or `invalid_response` (a number out of range, nesting).
        """
        try:
            if self.ids is not None:
                ids, scores = _read_arrays(self.ids, self.scores, _decode_freely(body))
            elif self.hits is self.id is self.score is None:
                ids, scores = _read_default(body)
            else:
                ids, scores = self._read_hits(_decode_freely(body))
        except msgspec.DecodeError as exc:
            raise _explain(exc, body) from exc
        except RecursionError as exc:
            raise AnswerError(FailureCode.INVALID_RESPONSE, "the JSON is nested too deep") from exc
        if "" in ids:
            raise AnswerError(FailureCode.SCHEMA, f"hit {ids.index('')} has an empty id")
        cut = None if scores is None else scores[:depth]
        return Answer(ids[:depth], cut, len(ids))

    def _read_hits(self, answer: Any) -> tuple[list[str], list[float] | None]:
        hits = _find_list(answer) if self.hits is None else _evaluate(self.hits, answer, "hits")
        if not isinstance(hits, list):
            wanted = _NO_LIST if self.hits is None else "`hits` finds no list in the answer"
            raise AnswerError(FailureCode.SCHEMA, wanted)
        ids, scores = [], []
        for rank, hit in enumerate(hits):
            found = _default_id(hit) if self.id is None else _evaluate(self.id, hit, "id")
            ids.append(_to_id(found, rank))
            scores.append(
                _default_score(hit) if self.score is None else _evaluate(self.score, hit, "score")
            )
        return ids, _to_scores(scores)


def _read_arrays(
    find_ids: Search, find_scores: Search | None, answer: Any
) -> tuple[list[str], list[float] | None]:
    found = _evaluate(find_ids, answer, "ids")
    if not isinstance(found, list):
        raise AnswerError(FailureCode.SCHEMA, "`ids` finds no list in the answer")
    ids = [_to_id(value, rank) for rank, value in enumerate(found)]
    if find_scores is None:
        return ids, None
    scores = _evaluate(find_scores, answer, "scores")
    if not isinstance(scores, list) or len(scores) != len(ids):
        raise AnswerError(FailureCode.SCHEMA, "`scores` finds no list as long as `ids`")
    return ids, _to_scores(scores)


def _compile(name: str, expression: str | None) -> Search | None:
    if expression is None:
        return None
    try:
        search: Search = jmespath.compile(expression).search
    except (JMESPathError, RecursionError) as exc:
        raise ValueError(f"`{name}`: {expression!r} is no JMESPath expression") from exc
    return search


def _evaluate(search: Search, value: Any, name: str) -> Any:
    try:
        return search(value)
    except JMESPathError as exc:
        raise AnswerError(FailureCode.SCHEMA, f"`{name}` does not fit the answer") from exc


def _read_default(body: bytes) -> tuple[list[str], list[float] | None]:
    answer = _ANSWER.decode(body)
    hits = _open_envelope(answer) if isinstance(answer, _Envelope) else answer
    if set(map(type, hits)) == _HITS:
        plain_ids = [hit.id for hit in hits if isinstance(hit, _Hit)]
        plain_scores = [hit.score for hit in hits if isinstance(hit, _Hit)]
        if set(map(type, plain_ids)) == _TEXTS and set(map(type, plain_scores)) == _FLOATS:
            return cast("list[str]", plain_ids), cast("list[float]", plain_scores)
    ids = [_to_id(_found_id(hit), rank) for rank, hit in enumerate(hits)]
    return ids, _to_scores([_found_score(hit) for hit in hits])


def _found_id(hit: _Hit | str | int) -> str | int | UnsetType:
    if not isinstance(hit, _Hit):
        return hit
    if hit.id is not UNSET:
        return hit.id
    return hit.other_id if hit.other_id is not UNSET else hit.doc_id


def _found_score(hit: _Hit | str | int) -> float | UnsetType | None:
    if not isinstance(hit, _Hit):
        return UNSET
    return hit.score if hit.score is not UNSET else hit.other_score


def _open_envelope(envelope: _Envelope) -> Sequence[_Hit | str | int]:
    if envelope.error is not UNSET and bytes(envelope.error) not in _NO_ERROR:
        raise AnswerError(FailureCode.SCHEMA, _ERROR)
    for name in _LISTS:
        raw = getattr(envelope, name)
        if raw is not UNSET and bytes(raw).startswith(b"["):
            return _LIST.decode(raw)
    raise AnswerError(FailureCode.SCHEMA, _NO_LIST)


def _decode_freely(body: bytes) -> Any:
    if body.count(b"[") + body.count(b"{") > _MAX_CONTAINERS:
        raise AnswerError(
            FailureCode.INVALID_RESPONSE, f"more than {_MAX_CONTAINERS} objects and lists"
        )
    return msgspec.json.decode(body)


def _find_list(answer: Any) -> Any:
    if isinstance(answer, dict):
        if answer.get("error"):
            raise AnswerError(FailureCode.SCHEMA, _ERROR)
        return next((answer[name] for name in _LISTS if isinstance(answer.get(name), list)), None)
    return answer


def _default_id(hit: Any) -> Any:
    if isinstance(hit, dict):
        return next((hit[name] for name in _IDS if name in hit), UNSET)
    return hit


def _default_score(hit: Any) -> Any:
    if isinstance(hit, dict):
        return next((hit[name] for name in _SCORES if name in hit), UNSET)
    return UNSET


def _to_id(value: object, rank: int) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    what = "no id" if value is UNSET or value is None else f"an id of type {type(value).__name__}"
    raise AnswerError(
        FailureCode.SCHEMA, f"hit {rank} has {what}; every hit needs one, text or integer"
    )


def _to_scores(values: Sequence[Any]) -> list[float] | None:
    """Return the scores if every hit has one; None for none at all or for gaps."""
    if not values or any(value is UNSET or value is None for value in values):
        return None
    return [_to_score(value, rank) for rank, value in enumerate(values)]


def _to_score(value: object, rank: int) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise AnswerError(FailureCode.SCHEMA, f"the score of hit {rank} is no number")
    try:
        score = float(value)
    except OverflowError:
        score = math.inf
    if not math.isfinite(score):
        raise AnswerError(FailureCode.INVALID_RESPONSE, f"the score of hit {rank} is not finite")
    return score


def _explain(exc: msgspec.DecodeError, body: bytes) -> AnswerError:
    text = str(exc)
    if isinstance(exc, msgspec.ValidationError):
        huge = "out of range" in text
        code = FailureCode.INVALID_RESPONSE if huge else FailureCode.SCHEMA
        return AnswerError(code, text)
    if _NOT_FINITE.search(body):
        return AnswerError(FailureCode.INVALID_RESPONSE, "NaN and Infinity are not JSON")
    return AnswerError(FailureCode.INVALID_JSON, "the answer is empty" if not body else text)
