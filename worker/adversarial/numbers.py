"""Kinds about numbers and dates: another form of the same, or another amount.

Numbers are among the perturbations of CheckList (Ribeiro et al., ACL 2020).
"""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Final

from worker.adversarial.draws import Draws
from worker.adversarial.edits import Edit, apply_edits
from worker.adversarial.languages.en import ENGLISH
from worker.adversarial.languages.language import Language
from worker.adversarial.variant import Made, NotApplicable, Subject

_ALONE_BEFORE: Final = r"(?<![\w.,:/\u2010-\u2015-])"
_ALONE_AFTER: Final = r"(?![\w:/-]|[.,]\d)"
_ISO_DATE: Final = re.compile(rf"{_ALONE_BEFORE}(\d{{4}})-(\d\d)-(\d\d){_ALONE_AFTER}", re.ASCII)
_SHORT_DATE: Final = re.compile(
    rf"{_ALONE_BEFORE}(\d{{1,2}})([/.])(\d{{1,2}})\2(\d{{4}}){_ALONE_AFTER}", re.ASCII
)
_PLAIN: Final = re.compile(rf"{_ALONE_BEFORE}[1-9]\d{{0,8}}{_ALONE_AFTER}", re.ASCII)
_MONTHS: Final = 12
_MAX_DAY: Final = 31
_FIRST_YEAR, _LAST_YEAR = 1900, 2099
_MIN_GROUPED: Final = 5
"""Digits from which a number is written in groups; shorter ones may be years."""
_TEN: Final = 10
_THOUSAND: Final = 1_000
_SMALLEST_SHORT, _LARGEST_SHORT = 10_000, 1_000_000
_SMALL: Final = (
    *("oh", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen"),
    *("eighteen", "nineteen"),
)
_SPOKEN: Final = ("eighteen", "nineteen", "twenty")
_WORD_GOES_ON: Final = re.compile(r"-?[a-z]")
_TENS: Final = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")


def reformat(subject: Subject) -> Made:
    """`number_format`: one number or date in another form; an ambiguous date is left alone."""
    language = subject.vocabulary.language
    if not language.months:
        return NotApplicable("language")
    edits = [edit for find in _FORMS for edit in find(subject.text, language)]
    whole = [edit for edit in edits if not any(_is_inside(edit, other) for other in edits)]
    if not whole:
        return NotApplicable("no_number_to_rewrite")
    return apply_edits(subject.text, [subject.draws.pick(whole)])


def change_number(subject: Subject) -> Made:
    """`number_change`: another year near by, or another amount; the ranking ought to move."""
    found = list(_PLAIN.finditer(subject.text))
    if not found:
        return NotApplicable("no_number")
    match = subject.draws.pick(found)
    other = str(_change(int(match.group()), subject.draws))
    return apply_edits(subject.text, [Edit("number", match.start(), match.group(), other)])


def _change(number: int, draws: Draws) -> int:
    step = 1 + draws.index(9)
    if _FIRST_YEAR <= number <= _LAST_YEAR:
        return number - step if draws.chance(0.5) else number + step
    return number * 10 if draws.chance(0.5) else number + step


def _is_inside(edit: Edit, other: Edit) -> bool:
    """Whether an edit is of a part of what the other replaces: the year of a date stays in it."""
    end, other_end = edit.start + len(edit.before), other.start + len(other.before)
    return other.start <= edit.start and end <= other_end and len(edit.before) < len(other.before)


def _find_dates(text: str, language: Language) -> Iterator[Edit]:
    for match in _ISO_DATE.finditer(text):
        year, month, day = map(int, match.groups())
        yield from _write_date(match, day, month, year, language)
    for match in _SHORT_DATE.finditer(text):
        one, other, year = int(match[1]), int(match[3]), int(match[4])
        if max(one, other) > _MONTHS:
            yield from _write_date(match, max(one, other), min(one, other), year, language)


def _write_date(
    match: re.Match[str], day: int, month: int, year: int, language: Language
) -> Iterator[Edit]:
    if not (1 <= month <= _MONTHS and 1 <= day <= _MAX_DAY):
        return
    long = language.long_date.format(day=day, month=language.months[month - 1], year=year)
    yield Edit("date", match.start(), match.group(), long)


def _find_long_dates(text: str, language: Language) -> Iterator[Edit]:
    months = [month.lower() for month in language.months]
    for match in _long_date_pattern(language.months).finditer(text):
        month = 1 + months.index(match[2].lower())
        if 1 <= int(match[1]) <= _MAX_DAY:
            iso = f"{match[3]}-{month:02}-{int(match[1]):02}"
            yield Edit("date", match.start(), match.group(), iso)


@cache
def _long_date_pattern(months: tuple[str, ...]) -> re.Pattern[str]:
    names = "|".join(months)
    return re.compile(
        rf"\b([0-9]{{1,2}})\.?(?: de)? ({names})(?: de)? ([0-9]{{4}})\b", re.IGNORECASE
    )


def _find_groups(text: str, language: Language) -> Iterator[Edit]:
    mark = re.escape(language.thousands)
    for match in _PLAIN.finditer(text):
        if len(match.group()) >= _MIN_GROUPED:
            grouped = f"{int(match.group()):,}".replace(",", language.thousands)
            yield Edit("group", match.start(), match.group(), grouped)
    for match in re.finditer(rf"{_ALONE_BEFORE}[1-9]\d{{0,2}}(?:{mark}\d{{3}})+(?![\w.,])", text):
        plain = match.group().replace(language.thousands, "")
        yield Edit("ungroup", match.start(), match.group(), plain)


def _find_units(text: str, language: Language) -> Iterator[Edit]:
    for short, long in language.units:
        for match in re.finditer(rf"(?<=\d)( ?){short}\b", text):
            yield Edit("unit", match.start(), match.group(), f" {long}")
        for match in re.finditer(rf"(?<=\d )({long})\b", text, re.IGNORECASE):
            yield Edit("unit", match.start(), match.group(), short)


def _find_english(text: str, language: Language) -> Iterator[Edit]:
    """Find what only English has here: 10k for 10000, and years read out."""
    if language.code != ENGLISH.code:
        return
    for match in _PLAIN.finditer(text):
        number = int(match.group())
        if number % _THOUSAND == 0 and _SMALLEST_SHORT <= number < _LARGEST_SHORT:
            yield Edit("thousands", match.start(), match.group(), f"{number // _THOUSAND}k")
        if number in _years():
            yield Edit("words", match.start(), match.group(), _years()[number])
    lower = text.lower()
    if not any(part in lower for part in _SPOKEN):
        return
    for year, words in _years().items():
        at = lower.find(words)
        if at >= 0 and not _WORD_GOES_ON.match(lower, at + len(words)):
            yield Edit("digits", at, text[at : at + len(words)], str(year))


@cache
def _years() -> Mapping[int, str]:
    """Years as they are read out: 1984 is nineteen eighty-four; round hundreds are left out."""
    return {
        year: f"{_say(year // 100)} {'oh ' * (year % 100 < _TEN)}{_say(year % 100)}"
        for year in (*range(1800, 2000), *range(2010, 2100))
        if year % 100
    }


def _say(number: int) -> str:
    if number < len(_SMALL):
        return _SMALL[number]
    tens, ones = divmod(number, _TEN)
    return _TENS[tens - 2] + (f"-{_SMALL[ones]}" if ones else "")


_FORMS: Final[tuple[Callable[[str, Language], Iterator[Edit]], ...]] = (
    _find_dates,
    _find_long_dates,
    _find_groups,
    _find_units,
    _find_english,
)
