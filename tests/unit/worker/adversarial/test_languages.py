import re

import pytest

from worker.adversarial.keyboard import LAYOUTS
from worker.adversarial.languages.catalogue import LANGUAGES, find_language
from worker.adversarial.languages.language import Language
from worker.adversarial.words import match_case, speaks, tokens


@pytest.mark.parametrize(
    ("tag", "code"), [("", "en"), ("EN", "en"), ("de-AT", "de"), ("fr_CA", "fr"), ("it", "it")]
)
def test_a_tag_names_a_language(tag: str, code: str) -> None:
    """Regions do not matter, and no tag is English."""
    assert find_language(tag).code == code


def test_of_an_unlisted_language_nothing_is_known() -> None:
    """Neither words nor rules are borrowed from another."""
    unknown = find_language("it")
    assert unknown == Language(code="it")


@pytest.mark.parametrize("code", list(LANGUAGES))
def test_rules_are_complete(code: str) -> None:
    """Keyboards exist, patterns compile, and every replacement fits its pattern."""
    language = LANGUAGES[code]
    assert {language.layout, language.wrong_layout} <= LAYOUTS.keys()
    assert language.layout != language.wrong_layout
    for pattern, replacement in (*language.sounds, *language.inflections):
        assert replacement.count("\\") <= 2 * re.compile(pattern).groups
    assert language.openers <= language.function_words | language.openers
    assert {len(rows) for rows in LAYOUTS.values()} == {3}


@pytest.mark.parametrize(
    ("text", "script", "spoken"),
    [
        ("reset it", "latin", True),
        ("\u043f\u0430\u0440\u043e\u043b\u044c", "cyrillic", True),
        ("\u043f\u0430\u0440\u043e\u043b\u044c", "latin", False),
        ("\u043f\u0430\u0440 reset", "latin", True),
        ("\u6771\u4eac reset password", "latin", False),
        ("123", "latin", False),
        ("reset", "", False),
    ],
)
def test_a_text_is_of_a_script(text: str, script: str, spoken: bool) -> None:  # noqa: FBT001
    """Half of the letters at least, and none of a script without spaces."""
    assert speaks(text, script) is spoken


def test_tokens_are_chunks_without_the_marks_around_them() -> None:
    """Marks inside stay, and so does a combining accent; marks alone are no token."""
    query = '"What\'s (e-mail) ... cafe\u0301?" C++'
    assert [token.text for token in tokens(query)] == ["What's", "e-mail", "cafe\u0301", "C"]
    assert all(query[token.start : token.end] == token.text for token in tokens(query))


@pytest.mark.parametrize(
    ("model", "text"),
    [("word", "new"), ("Word", "New"), ("WORD", "NEW"), ("I", "New"), ("", "new")],
)
def test_case_is_taken_from_a_model(model: str, text: str) -> None:
    """All, first or none; one letter says nothing about the rest."""
    assert match_case("new", model) == text
