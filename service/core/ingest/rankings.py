"""Rankings in the forms people have: a TREC run, ranx JSON, or JSON lines; told by content."""

import io
import math
import re
from collections.abc import Iterator
from typing import Final

import msgspec

from reteval.contract.limits import MAX_ID_BYTES, MAX_IMPORT_BYTES
from reteval.contract.problems import ProblemItem
from reteval.contract.rankings import Ranking
from service.core.ingest.formats.files import File
from service.core.ingest.formats.packed import unpack
from service.core.ingest.text import read_lines
from service.errors import InvalidError, MalformedJsonError

MAX_ERRORS: Final = 20
_TREC_FIELDS: Final = 6
_RANX: Final = msgspec.json.Decoder(dict[str, dict[str, int | float]])
_INTEGER: Final = re.compile(r"[+-]?[0-9]{1,300}")
_LINE: Final = msgspec.json.Decoder(Ranking)

Scores = dict[str, int | float]
"""By document; whole numbers stay whole, since those above 2^53 are all one to a float."""


def read_rankings(body: bytes) -> Iterator[Ranking]:
    """Yield one ranking a query, whatever the format, also of one gzip or zip file.

    TREC runs and ranx JSON are ordered as trec_eval does: by score, ties by document id, both
    falling; their rank column is ignored. Whole numbers are compared to the last digit, also where
    floating point has none left. JSON lines keep the order they are written in.

    Raises:
        MalformedTextError, MalformedJsonError: the body cannot be read as its format.
        InvalidError: a line or query breaks a rule; each is named.
    """
    body = _unpacked(body)
    start = body.lstrip()[:1]
    if start != b"{":
        return _read_trec(body)
    first_line = body.lstrip().partition(b"\n")[0]
    return _read_lines(body) if b'"query_id"' in first_line else _read_ranx(body)


def _unpacked(body: bytes) -> bytes:
    files = unpack([File("rankings", lambda: io.BytesIO(body))])
    if len(files) != 1:
        item = _at(1, f"the archive holds {len(files)} files", "Send one file of rankings.")
        raise InvalidError("The rankings break a rule.", errors=[item])
    return files[0].read(MAX_IMPORT_BYTES)


def _read_lines(body: bytes) -> Iterator[Ranking]:
    items: list[ProblemItem] = []
    seen: dict[str, int] = {}
    rankings: list[Ranking] = []
    for row, line in enumerate(body.splitlines(), 1):
        if not line.strip():
            continue
        try:
            ranking = _LINE.decode(line)
        except msgspec.ValidationError as exc:
            items.append(_at(row, str(exc), "Send query_id, ids and, if there are any, scores."))
        except (msgspec.DecodeError, RecursionError) as exc:
            items.append(_at(row, f"the line is not JSON: {exc}", "Send one object a line."))
        else:
            items += _check(ranking, row, seen)
            rankings.append(ranking)
        if len(items) >= MAX_ERRORS:
            break
    _refuse(items)
    yield from rankings


def _read_trec(body: bytes) -> Iterator[Ranking]:
    items: list[ProblemItem] = []
    found: dict[str, Scores] = {}
    for row, line in read_lines(body, "run"):
        fields = line.split()
        if not fields or fields[0].startswith("#"):
            continue
        problem = _read_trec_line(fields, found)
        if problem:
            items.append(_at(row, problem, "Write query, Q0, document, rank, score and tag."))
        if len(items) >= MAX_ERRORS:
            break
    _refuse(items)
    yield from _order(found)


def _read_trec_line(fields: list[str], found: dict[str, Scores]) -> str:
    if len(fields) != _TREC_FIELDS:
        return f"{len(fields)} fields instead of {_TREC_FIELDS}"
    query_id, _, doc, _, score, _ = fields
    try:
        value = int(score) if _INTEGER.fullmatch(score) else float(score)
    except ValueError:
        return f"the score {score!r} is no number"
    if not math.isfinite(value):
        return f"the score {score!r} is not finite"
    ranking = found.setdefault(query_id, {})
    if doc in ranking:
        return f"document {doc!r} stands twice in query {query_id!r}"
    ranking[doc] = value
    return ""


def _read_ranx(body: bytes) -> Iterator[Ranking]:
    try:
        found = _RANX.decode(body)
    except (msgspec.DecodeError, RecursionError) as exc:
        if isinstance(exc, msgspec.ValidationError):
            item = ProblemItem(
                pointer="", message=str(exc), fix='Send {"query": {"document": score}}.'
            )
            raise InvalidError("The rankings break a rule.", errors=[item]) from exc
        raise MalformedJsonError(f"The rankings are not JSON: {exc}.") from exc
    yield from _order(found)


def _order(found: dict[str, Scores]) -> Iterator[Ranking]:
    for query_id, scores in found.items():
        ranked = sorted(scores.items(), key=_trec_order, reverse=True)
        yield Ranking(
            query_id=query_id,
            ids=[doc for doc, _ in ranked],
            scores=[float(score) for _, score in ranked],
        )


def _check(ranking: Ranking, row: int, seen: dict[str, int]) -> list[ProblemItem]:
    items = []
    if ranking.query_id in seen:
        before = seen[ranking.query_id]
        items.append(
            _at(row, f"query {ranking.query_id!r} stands in row {before}, too", "Send it once.")
        )
    seen.setdefault(ranking.query_id, row)
    if ranking.scores is not None and len(ranking.scores) != len(ranking.ids):
        items.append(_at(row, "ids and scores differ in length", "Send one score a document."))
    if ranking.error and ranking.ids:
        items.append(_at(row, "an error and documents", "Send the one or the other."))
    if any(len(str(doc).encode()) > MAX_ID_BYTES for doc in ranking.ids):
        items.append(_at(row, f"an id is longer than {MAX_ID_BYTES} bytes", "Shorten it."))
    return items


def _at(row: int, message: str, fix: str) -> ProblemItem:
    return ProblemItem(pointer="", row=row, message=message, fix=fix)


def _refuse(items: list[ProblemItem]) -> None:
    if items:
        raise InvalidError("The rankings break a rule.", errors=items[:MAX_ERRORS])


def _trec_order(pair: tuple[str, int | float]) -> tuple[int | float, bytes]:
    doc, score = pair
    return score, doc.encode()
