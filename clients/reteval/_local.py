"""Rankings without an endpoint: from a file, or from memory."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

from reteval._requests import Call, Part
from reteval.contract.rankings import Ranking, RankingsHead
from reteval.contract.runs import Run

UPLOAD_S: Final = 300.0
Rankings = str | os.PathLike[str] | Iterable[Ranking]


def score_rankings(head: RankingsHead | Mapping[str, Any], rankings: Rankings) -> Call[Run]:
    """Build the upload of rankings: a file (TREC run, ranx JSON, JSON lines), or rows.

    Raises:
        OSError: a file that cannot be read.
        ValueError: a head that breaks a rule of its struct.
    """
    checked = head if isinstance(head, RankingsHead) else msgspec.convert(head, RankingsHead)
    return Call(
        method="POST",
        path="/v1/rankings",
        expect=Run,
        parts=(
            Part(name="request", filename="request.json", content=msgspec.json.encode(checked)),
            Part(name="rankings", filename="rankings", content=_read(rankings)),
        ),
        keyed=True,
        extra_s=UPLOAD_S,
    )


def _read(rankings: Rankings) -> bytes:
    if isinstance(rankings, (str, os.PathLike)):
        return Path(rankings).read_bytes()
    return msgspec.json.Encoder().encode_lines(list(rankings))
