from collections.abc import Iterable
from typing import Any

import pytest

from reteval.contract import limits
from reteval.contract.query_samples import MAX_LOG_TEXTS, Drop, SecretKind
from service.core.building.frequencies import Asked, Frequencies
from service.core.building.rows import Row
from service.errors import TooLargeError


def rows(cells: Iterable[Any]) -> list[Row]:
    """Rows of cells, or of texts alone."""
    return [
        Row(number, {"query": one} if isinstance(one, str) else one)
        for number, one in enumerate(cells, start=1)
    ]


def count(*cells: Any, least: int = 1, **options: Any) -> tuple[list[Asked], Frequencies]:
    """Count what was asked."""
    frequencies = Frequencies(**options)
    frequencies.take(rows(cells))
    return frequencies.settle(least=least), frequencies


def test_spellings_are_joined_under_the_commonest() -> None:
    """Case, width, punctuation and blanks make no other query; symbols do."""
    asked, found = count("Reset  Password?", "reset password", "reset password", "c++", "C", "???")
    assert asked == [
        Asked("reset password", 3),
        Asked("???", 1),
        Asked("C", 1),
        Asked("c++", 1),
    ]
    assert (found.lines, found.dropped.total()) == (6, 0)


def test_secrets_are_taken_out_before_queries_are_joined() -> None:
    """Two mails with two addresses are one query, and each address is counted."""
    asked, found = count("who is a@b.example", "who is c@d.example", "a@b.example")
    assert asked == [Asked("who is [email]", 2)]
    assert found.redacted == {SecretKind.EMAIL: 3}
    assert found.dropped[Drop.ONLY_SECRETS] == 1


def test_counts_are_added_up() -> None:
    """A column `count` says how many searches a row stands for; others are ignored."""
    asked, found = count(
        {"user_query": "a", "count": " 3 ", "timestamp": "x"},
        {"q": "a", "frequency": 2},
        {"query": "b", "count": "0"},
        {"query": "b", "count": "many"},
        {"query": "b", "count": "9" * 13},
        {"query": 7},
        {"text": "b"},
        None,
    )
    assert (asked, found.dropped) == ([Asked("a", 5)], {Drop.UNREADABLE: 6, Drop.RARE: 0})


def test_lines_without_a_query_are_counted_by_reason() -> None:
    """Empty and endless lines are left out and told."""
    _, found = count(" \u200b ", "x" * (limits.MAX_QUERY_BYTES + 1), "fine")
    assert (found.dropped[Drop.EMPTY], found.dropped[Drop.TOO_LONG]) == (1, 1)


def test_rare_queries_can_be_left_out() -> None:
    """What few asked may tell who they are: `least` leaves it out, counted in searches."""
    asked, found = count("a", "a", "b", "c", least=2)
    assert (asked, found.dropped[Drop.RARE]) == ([Asked("a", 2)], 2)


def test_user_who_repeats_counts_once_where_asked_for() -> None:
    """One user pressing reload is one search; lines without a user all count."""
    cells = [{"query": text, "user": user} for text, user in (("A", 1), ("a", 1), ("a", 2))]
    cells += [{"query": "a", "user_id": "-"}, {"query": "a", "user_id": "-"}, {"query": "a"}]
    asked, found = count(*cells, once_per_user=True)
    assert (asked[0].count, found.dropped[Drop.REPEATED_BY_USER]) == (5, 1)
    assert count(*cells)[0][0].count == 6


@pytest.mark.parametrize("options", [{}, {"once_per_user": True}])
def test_log_with_too_many_texts_is_refused(options: dict[str, bool]) -> None:
    """Memory is bounded by the number of different lines, and of users with queries."""
    frequencies = Frequencies(**options)
    text = {"query": "same"} if options else {}
    with pytest.raises(TooLargeError, match="shorter stretch"):
        frequencies.take(
            Row(n, {"query": str(n), "user": n, **text}) for n in range(MAX_LOG_TEXTS + 1)
        )
