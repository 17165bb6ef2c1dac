"""From the body of an answer to ids and scores, or to the reason why it has none.

A hit without an id spoils the whole answer: leaving the hit out would shift every rank behind it.
"""

import math
import re
from collections.abc import Sequence
from typing import Any, Final

import msgspec
from msgspec import Struct

from reteval.contract.endpoints import Endpoint, Success, TimeUnit
from reteval.contract.id_rules import IdRule, apply_ops
from reteval.contract.outcomes import FailureCode
from worker.search.answers import Answer, AnswerError, to_id, to_scores
from worker.search.expressions import Find, compile_expression
from worker.search.protocol import (
    NO_LIST,
    TEXT_KEY,
    Found,
    find_id,
    find_list,
    find_score,
    find_text,
    read_default,
)
from worker.search.rollup import Rollup

_MAX_CONTAINERS: Final = 200_000
"""Objects and lists in an answer that is decoded freely; beyond it, decoding stalls the worker."""
_NOT_FINITE: Final = re.compile(rb"[:\[,]\s*-?(?:NaN|Infinity)\b")
_EXPRESSIONS: Final = ("hits", "id", "score", "ids", "scores", "total", "took", "error")
_MS: Final = {TimeUnit.MILLISECONDS: 1.0, TimeUnit.SECONDS: 1_000.0}


class Page(Struct, frozen=True):
    """One answer as it was read: all its hits, what it says of itself, and its cursor."""

    ids: list[str]
    scores: list[float] | None
    total: int | None = None
    took_ms: float | None = None
    cursor: Any = None


class Mapping(Struct, frozen=True, kw_only=True):
    """How to read an endpoint's answers; compiled expressions where some are declared."""

    hits: Find | None = None
    id: Find | None = None
    score: Find | None = None
    ids: Find | None = None
    scores: Find | None = None
    total: Find | None = None
    took: Find | None = None
    took_ms: float = 1.0
    error: Find | None = None
    success: tuple[Find, Success] | None = None
    cursor: Find | None = None
    text: Find | None = None
    rollup: Rollup | None = None
    id_rule: IdRule = ()
    plain: bool = True

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
        found = {name: compile_expression(name, getattr(endpoint, name)) for name in _EXPRESSIONS}
        success = endpoint.success
        path = compile_expression("success", success.path) if success else None
        paging = endpoint.paging
        cursor = compile_expression("paging.next", paging.next) if paging else None
        rollup = Rollup.compile(endpoint)
        by_hit = rollup is not None and rollup.document is not None
        return cls(
            **found,
            took_ms=_MS[endpoint.took_unit],
            success=(path, success) if path is not None and success else None,
            cursor=cursor,
            text=compile_expression("text", endpoint.text),
            rollup=rollup,
            id_rule=endpoint.id_rule,
            plain=not by_hit and not any((*found.values(), path, cursor)),
        )

    def read(self, body: bytes, depth: int) -> Answer:
        """Read an answer that is all there is.

        Raises:
            AnswerError: as `read_page`.
        """
        return self.finish([self.read_page(body)], depth)

    def read_page(self, body: bytes) -> Page:
        """Read one answer.

        Raises:
            AnswerError: `invalid_json`, `schema` (no list, a hit without id, an id that is
                neither text nor integer, an error envelope) or `invalid_response` (a number out
                of range, nesting).
        """
        try:
            page = Page(*read_default(body)) if self.plain else self._read_declared(body)
        except msgspec.DecodeError as exc:
            raise _explain(exc, body) from exc
        except RecursionError as exc:
            raise AnswerError(FailureCode.INVALID_RESPONSE, "the JSON is nested too deep") from exc
        if "" in page.ids:
            raise AnswerError(FailureCode.SCHEMA, f"hit {page.ids.index('')} has an empty id")
        return page

    def read_texts(self, body: bytes, most: int) -> list[str | None] | None:
        """Return the texts of the first hits of an answer that was read; None without any."""
        if self.ids is not None or (self.text is None and TEXT_KEY not in body):
            return None
        try:
            hits = self._find_hits(_decode_freely(body))
            find = self.text or find_text
            texts = [find(hit) for hit in hits[:most]]
        except (AnswerError, msgspec.DecodeError):
            return None
        told = [text if isinstance(text, str) else None for text in texts]
        return told if any(told) else None

    def pair_texts(self, bodies: Sequence[bytes]) -> dict[str, str]:
        """Return the texts of the documents in answers that were read, by their ids there.

        Of a document in parts the first text counts. One without a text is left out.
        """
        texts: dict[str, str] = {}
        try:
            for body in bodies if self.ids is None else ():
                for rank, hit in enumerate(self._find_hits(_decode_freely(body))):
                    text = (self.text or find_text)(hit)
                    if isinstance(text, str) and text:
                        texts.setdefault(self._name(hit, rank), text)
        except (AnswerError, msgspec.DecodeError):  # too much for being decoded freely
            return {}
        return texts

    def finish(self, pages: Sequence[Page], depth: int) -> Answer:
        """Join the pages of an answer, roll parts up into documents, and cut at the depth."""
        page = pages[0] if len(pages) == 1 else _join(pages)
        ids, scores = page.ids, page.scores
        if self.id_rule:
            ids = [apply_ops(self.id_rule, found) for found in ids]
        hits = None
        if self.rollup is not None:
            hits = len(ids)
            ids, scores = self.rollup.collapse(ids, scores)
        returned = len(ids)
        if returned > depth:
            ids, scores = ids[:depth], None if scores is None else scores[:depth]
        return Answer(ids, scores, returned, hits, page.total, page.took_ms)

    def _read_declared(self, body: bytes) -> Page:
        answer = _decode_freely(body)
        self._check(answer)
        if self.ids is not None:
            ids, scores = _read_arrays(self.ids, self.scores, answer)
        else:
            ids, scores = self._read_hits(answer)
        took = _number(self.took, answer)
        total = _number(self.total, answer)
        return Page(
            ids,
            scores,
            None if total is None else int(total),
            None if took is None else took * self.took_ms,
            None if self.cursor is None else self.cursor(answer),
        )

    def _find_hits(self, answer: Any) -> list[Any]:
        hits = find_list(answer) if self.hits is None else self.hits(answer)
        if not isinstance(hits, list):
            wanted = NO_LIST if self.hits is None else "`hits` finds no list in the answer"
            raise AnswerError(FailureCode.SCHEMA, wanted)
        return hits

    def _check(self, answer: Any) -> None:
        if self.error is not None:
            said = self.error(answer)
            if said:
                text = said if isinstance(said, str) else msgspec.json.encode(said).decode()
                raise AnswerError(FailureCode.SCHEMA, f"the endpoint reports an error: {text}")
        if self.success is not None:
            find, success = self.success
            found = find(answer)
            if found != success.equals or isinstance(found, bool) != isinstance(
                success.equals, bool
            ):
                raise AnswerError(
                    FailureCode.SCHEMA,
                    f"`success`: {success.path!r} is {found!r}, not {success.equals!r}",
                )

    def _read_hits(self, answer: Any) -> Found:
        hits = self._find_hits(answer)
        find_its_id, find_its_score = self._id_of, self.score or find_score
        ids = [to_id(find_its_id(hit), rank) for rank, hit in enumerate(hits)]
        return ids, to_scores([find_its_score(hit) for hit in hits])

    @property
    def _id_of(self) -> Find:
        if self.rollup is not None and self.rollup.document is not None:
            return self.rollup.document
        return self.id or find_id

    def _name(self, hit: Any, rank: int) -> str:
        """Return the id of a hit's document, as `finish` does."""
        found = apply_ops(self.id_rule, to_id(self._id_of(hit), rank))
        return found if self.rollup is None else self.rollup.name(found)


def _read_arrays(find_ids: Find, find_scores: Find | None, answer: Any) -> Found:
    found = find_ids(answer)
    if not isinstance(found, list):
        raise AnswerError(FailureCode.SCHEMA, "`ids` finds no list in the answer")
    ids = [to_id(value, rank) for rank, value in enumerate(found)]
    if find_scores is None:
        return ids, None
    scores = find_scores(answer)
    if not isinstance(scores, list) or len(scores) != len(ids):
        raise AnswerError(FailureCode.SCHEMA, "`scores` finds no list as long as `ids`")
    return ids, to_scores(scores)


def _join(pages: Sequence[Page]) -> Page:
    """Join the pages of one answer; times add up, the first page tells the total."""
    tooks = [page.took_ms for page in pages if page.took_ms is not None]
    scores: list[float] = []
    complete = all(page.scores is not None for page in pages if page.ids)
    for page in pages:
        scores += page.scores or ()
    return Page(
        [found for page in pages for found in page.ids],
        scores if complete and scores else None,
        pages[0].total,
        sum(tooks) if tooks else None,
    )


def _number(find: Find | None, answer: Any) -> float | None:
    """Return a number the endpoint tells of itself; one that is none is not worth a failure."""
    found = None if find is None else find(answer)
    if isinstance(found, bool) or not isinstance(found, int | float):
        return None
    return float(found) if math.isfinite(found) and found >= 0 else None


def _decode_freely(body: bytes) -> Any:
    if body.count(b"[") + body.count(b"{") > _MAX_CONTAINERS:
        raise AnswerError(
            FailureCode.INVALID_RESPONSE, f"more than {_MAX_CONTAINERS} objects and lists"
        )
    return msgspec.json.decode(body)


def _explain(exc: msgspec.DecodeError, body: bytes) -> AnswerError:
    text = str(exc)
    if isinstance(exc, msgspec.ValidationError):
        huge = "out of range" in text
        code = FailureCode.INVALID_RESPONSE if huge else FailureCode.SCHEMA
        return AnswerError(code, text)
    if _NOT_FINITE.search(body):
        return AnswerError(FailureCode.INVALID_RESPONSE, "NaN and Infinity are not JSON")
    return AnswerError(FailureCode.INVALID_JSON, "the answer is empty" if not body else text)
