"""The default protocol: hits read from an answer that nobody had to describe."""

from collections.abc import Sequence
from typing import Any, Final

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType, field

from reteval.contract.outcomes import FailureCode
from worker.search.answers import AnswerError, to_id, to_scores

LISTS: Final = ("results", "hits", "documents", "data")
IDS: Final = ("id", "_id", "doc_id")
SCORES: Final = ("score", "_score")
NO_LIST: Final = "the answer is no list of hits and has none as results, hits, documents or data"
_NO_ERROR: Final = (b"null", b"false", b'""', b"{}", b"[]", b"0")
_ERROR: Final = "the answer carries an `error`"

Found = tuple[list[str], list[float] | None]


class _Hit(Struct, gc=False):
    id: str | int | UnsetType = UNSET
    other_id: str | int | UnsetType = field(default=UNSET, name="_id")
    doc_id: str | int | UnsetType = UNSET
    score: float | str | UnsetType | None = UNSET
    other_score: float | str | UnsetType | None = field(default=UNSET, name="_score")


class _Envelope(Struct):
    results: Raw | UnsetType = UNSET
    hits: Raw | UnsetType = UNSET
    documents: Raw | UnsetType = UNSET
    data: Raw | UnsetType = UNSET
    error: Raw | UnsetType = UNSET


class _PlainHit(Struct, gc=False):
    id: str
    score: float


class _PlainEnvelope(Struct):
    results: list[_PlainHit]
    error: None = None


# The usual answer is tried first; whatever is not exactly of its types is read with more care.
_PLAIN: Final = msgspec.json.Decoder(_PlainEnvelope)
_ANSWER: Final = msgspec.json.Decoder(list[_Hit | str | int] | _Envelope)
_LIST: Final = msgspec.json.Decoder(list[_Hit | str | int])


def read_default(body: bytes) -> Found:
    """Read ids and scores.

    Raises:
        AnswerError: no list, an error envelope, or a hit without a proper id.
        msgspec.DecodeError: no JSON, or values of other types.
    """
    try:
        plain = _PLAIN.decode(body).results
    except (msgspec.ValidationError, UnicodeDecodeError):
        return _read_carefully(body)
    return [hit.id for hit in plain], [hit.score for hit in plain] or None


def _read_carefully(body: bytes) -> Found:
    answer = _ANSWER.decode(body)
    hits = _open_envelope(answer) if isinstance(answer, _Envelope) else answer
    ids = [to_id(_id_of(hit), rank) for rank, hit in enumerate(hits)]
    return ids, to_scores([_score_of(hit) for hit in hits])


def find_list(answer: Any) -> Any:
    """Return the list of hits of a decoded answer; None without one.

    Raises:
        AnswerError: an error envelope.
    """
    if isinstance(answer, dict):
        if answer.get("error"):
            raise AnswerError(FailureCode.SCHEMA, _ERROR)
        return next((answer[name] for name in LISTS if isinstance(answer.get(name), list)), None)
    return answer


def find_id(hit: Any) -> Any:
    """Return the id of a decoded hit, UNSET without one."""
    if isinstance(hit, dict):
        return next((hit[name] for name in IDS if name in hit), UNSET)
    return hit


def find_score(hit: Any) -> Any:
    """Return the score of a decoded hit, UNSET without one."""
    if isinstance(hit, dict):
        return next((hit[name] for name in SCORES if name in hit), UNSET)
    return UNSET


TEXT_KEY: Final = b'"text"'
"""Without it, no hit of an answer in the default protocol has a text."""


def find_text(hit: Any) -> Any:
    """Return the text of a decoded hit, None without one."""
    return hit.get("text") if isinstance(hit, dict) else None


def _id_of(hit: _Hit | str | int) -> str | int | UnsetType:
    if not isinstance(hit, _Hit):
        return hit
    if hit.id is not UNSET:
        return hit.id
    return hit.other_id if hit.other_id is not UNSET else hit.doc_id


def _score_of(hit: _Hit | str | int) -> float | str | UnsetType | None:
    if not isinstance(hit, _Hit):
        return UNSET
    return hit.score if hit.score is not UNSET else hit.other_score


def _open_envelope(envelope: _Envelope) -> Sequence[_Hit | str | int]:
    if envelope.error is not UNSET and bytes(envelope.error) not in _NO_ERROR:
        raise AnswerError(FailureCode.SCHEMA, _ERROR)
    for name in LISTS:
        raw = getattr(envelope, name)
        if raw is not UNSET and bytes(raw).startswith(b"["):
            return _LIST.decode(raw)
    raise AnswerError(FailureCode.SCHEMA, NO_LIST)
