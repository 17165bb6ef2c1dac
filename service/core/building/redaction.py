"""Takes secrets and personal data out of queries: patterns with checks, in favour of privacy.

What is left in its place is the kind in brackets, so that the query still reads as one.
"""

import re
from collections import Counter
from collections.abc import Callable
from typing import Final

from reteval.contract.query_samples import SecretKind

_SIGN: Final = re.compile(r"[:=@\uff20]|%40|bearer", re.IGNORECASE)
"""Without one of these a text holds no address, and no secret that is called one."""
_LONG: Final = re.compile(r"\S{16}")
"""The shortest token."""
_MANY_DIGITS: Final = re.compile(r"\d(?:\D*\d){6}")
"""The shortest number that is looked at."""
_TOKEN: Final = re.compile(
    r"(?:sk|pk|rk|gh[pousr]|github_pat|glpat|xox[abprs]|reteval)[-_][\w-]{13,}"
    r"|\bA[KS]IA[0-9A-Z]{16}\b"
    r"|\bAIza[\w-]{30,}"
    r"|\beyJ[\w-]{11,}(?:\.[\w-]+){1,2}"
    r"|\b[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}\b"
    r"|\b[0-9A-Fa-f]{32,}\b"
    r"|(?<![\w+/.-])(?=[\w+/-]*[a-z])(?=[\w+/-]*[A-Z])(?=(?:[\w+/-]*?\d){3})\w[\w+/-]{19,}=*",
    re.ASCII,
)
_LABELLED: Final = re.compile(
    r"(\b(?:passwor[dt]|passwd|pwd|pin|secret|token|api[-_ ]?key|authorization)\s*[:=]\s*"
    r"(?:bearer\s+)?|\bbearer\s+(?=\S{16}))\S+",
    re.IGNORECASE,
)
_EMAIL: Final = re.compile(
    r"(?<![\w.!#$&'*+/=?^`{|}~-])[\w.!#$&'*+/=?^`{|}~-]++(?:@|\uff20|%40)"
    r"[\w-]+(?:[.\uff0e][\w-]+)*[.\uff0e][^\W\d_]{2,}"
)
_IBAN: Final = re.compile(
    r"(?<![^\W_])[A-Z]{2}\d{2}(?:[ -]?[A-Z0-9]){11,30}", re.IGNORECASE | re.ASCII
)
_NUMBER: Final = re.compile(r"[+(]{0,2}\d(?:[\s()._\-/\u2010-\u2015]{0,3}\d){6,}")
_DATE: Final = re.compile(r"\d{4}[-/.]\d{2}[-/.]\d{2}(?:\s\d{1,2})?")
_QUAD: Final = re.compile(r"\d{1,5}(?:\.\d{1,5}){3}")
"""An address of a machine, or a version: asked for often, and nobody's number."""
_SEPARATED: Final = re.compile(r"\D")
_CARD_DIGITS: Final = range(13, 20)
_PHONE_DIGITS: Final = range(7, 16)
_MOST_DIGITS: Final = 8
"""Digits that a number may have and stay: years, versions, codes of errors, house numbers."""
_LEAST_IBAN: Final = 15

Found = SecretKind | None


def redact(text: str) -> tuple[str, Counter[SecretKind]]:
    """Return a text without its secrets, and how many of each kind there were."""
    counts: Counter[SecretKind] = Counter()

    def replace(kind: SecretKind) -> str:
        counts[kind] += 1
        return f"[{kind}]"

    if _SIGN.search(text):
        text = _LABELLED.sub(lambda match: match[1] + replace(SecretKind.TOKEN), text)
        text = _EMAIL.sub(lambda _: replace(SecretKind.EMAIL), text)
    if _LONG.search(text):
        text = _TOKEN.sub(lambda _: replace(SecretKind.TOKEN), text)
    if _MANY_DIGITS.search(text):
        text = _IBAN.sub(lambda match: _cut_iban(match, replace), text)
        text = _NUMBER.sub(lambda match: _cut_number(match[0], replace), text)
    return text, counts


def _cut_iban(match: re.Match[str], replace: Callable[[SecretKind], str]) -> str:
    """Replace the longest beginning that is an account number; words may follow it."""
    whole, start = match.string, match.start()
    for end in range(match.end(), start + _LEAST_IBAN - 1, -1):
        ends_word = whole[end - 1].isalnum() and not whole[end : end + 1].isalnum()
        if ends_word and _is_iban(whole[start:end]):
            return replace(SecretKind.IBAN) + whole[end : match.end()]
    return match[0]


def _is_iban(text: str) -> bool:
    plain = re.sub("[ -]", "", text).upper()
    moved = plain[4:] + plain[:4]
    return (
        len(plain) >= _LEAST_IBAN and int("".join(str(int(char, 36)) for char in moved)) % 97 == 1
    )


def _cut_number(text: str, replace: Callable[[SecretKind], str]) -> str:
    kind = classify_number(text)
    return text if kind is None else replace(kind)


def classify_number(text: str) -> Found:
    """Tell what a run of digits with separators is; None for what may stay."""
    digits = _SEPARATED.sub("", text)
    if len(digits) in _CARD_DIGITS and _passes_luhn(digits):
        return SecretKind.CARD
    if _DATE.fullmatch(text) or _QUAD.fullmatch(text):
        return None
    if text[0] in "+(" or digits.startswith("00"):
        return SecretKind.PHONE if len(digits) in _PHONE_DIGITS else SecretKind.DIGITS
    if len(digits) <= _MOST_DIGITS:
        return None
    separated = len(digits) < len(text)
    return SecretKind.PHONE if separated and len(digits) in _PHONE_DIGITS else SecretKind.DIGITS


def _passes_luhn(digits: str) -> bool:
    doubled = (int(digit) * 2 for digit in digits[-2::-2])
    total = sum(map(int, digits[-1::-2])) + sum(number // 10 + number % 10 for number in doubled)
    return total % 10 == 0
