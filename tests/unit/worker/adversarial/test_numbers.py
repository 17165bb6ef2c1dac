from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.worker.adversarial.subjects import of_language, reason_of, text_of, texts_of


@pytest.mark.parametrize(
    ("language", "query", "texts"),
    [
        ("en", "due 2024-03-01", {"due 1 March 2024"}),
        ("en", "due 21/03/2024", {"due 21 March 2024"}),
        ("en", "due 03/21/2024", {"due 21 March 2024"}),
        ("en", "due 21 March 2024", {"due 2024-03-21"}),
        ("en", "25000 lines", {"25,000 lines", "25k lines"}),
        ("en", "12,345 lines", {"12345 lines"}),
        ("en", "5 km run", {"5 kilometres run"}),
        ("en", "5km run", {"5 kilometres run"}),
        ("en", "5 kilometres run", {"5 km run"}),
        ("en", "orwell 1984", {"orwell nineteen eighty-four"}),
        ("en", "in 1905", {"in nineteen oh five"}),
        ("en", "in Nineteen Eighty-Four", {"in 1984"}),
        ("de", "am 21.03.2024", {"am 21. M\u00e4rz 2024"}),
        ("de", "am 1. Mai 2024", {"am 2024-05-01"}),
        ("de", "10.000 Euro", {"10000 Euro"}),
        ("fr", "10000 clients", {"10\u202f000 clients"}),
        ("es", "el 1 de mayo de 2024", {"el 2024-05-01"}),
        (
            "ru",
            "5 \u043a\u043c",
            {"5 \u043a\u0438\u043b\u043e\u043c\u0435\u0442\u0440\u043e\u0432"},
        ),
    ],
)
def test_a_number_has_other_forms(language: str, query: str, texts: set[str]) -> None:
    """Each form of the language, and no other."""
    assert texts_of("number_format", query, known=of_language(language)) == texts


@pytest.mark.parametrize(
    "query", ["03/04/2024", "2024-13-01", "v1.25000", "ISO9001", "7 lamps", "99/99/2024", "12,34"]
)
def test_what_is_ambiguous_or_no_number_is_left_alone(query: str) -> None:
    """Day and month may be either, or nothing there stands alone."""
    assert reason_of("number_format", query) == "no_number_to_rewrite"


def test_number_forms_need_a_language() -> None:
    """Names of months and marks between digits are its own."""
    assert reason_of("number_format", "25000", known=of_language("it")) == "language"


@given(day=st.dates(min_value=date(1900, 1, 1), max_value=date(2099, 12, 31)))
def test_dates_come_back(day: date) -> None:
    """Written out and read again it is the same day; its year alone is never rewritten."""
    words = text_of("number_format", f"report of {day.isoformat()}")
    assert text_of("number_format", words) == f"report of {day.isoformat()}"


@given(number=st.integers(10_000, 999_999_999))
def test_groups_come_back(number: int) -> None:
    """Grouped and ungrouped it is the same number, in every language."""
    for language in ("de", "es", "fr", "ru"):
        known = of_language(language)
        grouped = text_of("number_format", f"{number}", known=known)
        assert text_of("number_format", grouped, known=known) == str(number)


def test_another_year_is_near_and_another_amount_is_not_the_same() -> None:
    """A year moves by nine at most; an amount grows."""
    years = {int(text.split()[-1]) for text in texts_of("number_change", "report of 2019")}
    assert years == set(range(2010, 2029)) - {2019}
    amounts = {int(text.split()[0]) for text in texts_of("number_change", "5 lamps")}
    assert amounts == {50, *range(6, 15)}
    assert reason_of("number_change", "report 2024-03-21 v2 3.5") == "no_number"
