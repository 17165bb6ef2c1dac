"""The chances of each grade, from the log-probabilities of the token that names it."""

import math
import re
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any, Final

ENOUGH_MASS: Final = 0.5
"""Chance that the grades together must have; less says that the token is not the grade's."""
SENTINEL: Final = -9999.0
"""What servers write for "not among the most likely"."""
_ROUNDING: Final = 1e-6
_NAMED: Final = re.compile(r'"grade"\s*:\s*"?(?P<grade>[0-9]+)')
_BARE: Final = re.compile(r'"?(?P<grade>[0-9]+)')


def read_chances(
    logprobs: Any, *, text: str, grade: int, scale_max: int
) -> tuple[float, ...] | None:
    """Return the chance of each grade from 0 to `scale_max`, renormalised; None without good ones.

    `text` is the answer without thoughts and fence. Its tokens must spell it, and one token
    alone must be the grade. Grades that are not among the alternatives get no chance.
    """
    tokens = _list_tokens(logprobs)
    token = _find_token(tokens, text=text, grade=grade)
    alternatives = token.get("top_logprobs") if token else None
    if not isinstance(alternatives, list) or not alternatives:
        return None
    mass = _weigh(alternatives, scale_max=scale_max)
    total = math.fsum(mass)
    if not ENOUGH_MASS <= total <= 1 + 1e-3 or mass[grade] <= 0:
        return None
    return tuple(share / total for share in mass)


def _list_tokens(logprobs: Any) -> list[Mapping[str, Any]]:
    tokens = logprobs.get("content") if isinstance(logprobs, dict) else None
    if not isinstance(tokens, list):
        return []
    sound = all(isinstance(each, dict) and isinstance(each.get("token"), str) for each in tokens)
    return tokens if sound else []


def _find_token(
    tokens: Sequence[Mapping[str, Any]], *, text: str, grade: int
) -> Mapping[str, Any] | None:
    """Return the token that is the grade and nothing else."""
    spelt = "".join(token["token"] for token in tokens)
    start = spelt.rfind(text)
    named = list(_NAMED.finditer(text)) or list(filter(None, [_BARE.match(text)]))
    if start < 0 or len(named) != 1:
        return None
    place = start + named[0].start("grade")
    ends = accumulate(len(token["token"]) for token in tokens)
    token = next(token for token, end in zip(tokens, ends, strict=True) if end > place)
    return token if token["token"].strip() == str(grade) else None


def _weigh(alternatives: Sequence[Any], *, scale_max: int) -> list[float]:
    """Add up the chances by grade: " 2" and "2" are two tokens and one grade."""
    names = {str(grade): grade for grade in range(scale_max + 1)}
    mass = [0.0] * (scale_max + 1)
    for alternative in alternatives:
        token = alternative.get("token") if isinstance(alternative, dict) else None
        grade = names.get(token.strip()) if isinstance(token, str) else None
        if grade is not None:
            mass[grade] += _to_chance(alternative.get("logprob"))
    return mass


def _to_chance(logprob: Any) -> float:
    """Return the chance; 0 for a sentinel, and for what is no log-probability."""
    if isinstance(logprob, bool) or not isinstance(logprob, int | float):
        return 0.0
    if not SENTINEL < logprob <= _ROUNDING:
        return 0.0
    return math.exp(min(logprob, 0.0))
