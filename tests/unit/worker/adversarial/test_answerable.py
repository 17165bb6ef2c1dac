"""Whether a text talks about what a query asks for."""

import pytest

from worker.adversarial.answerable import measure_overlap


@pytest.mark.parametrize(
    ("query", "texts", "language", "share"),
    [
        ("how to peel onions", ["Peeling an onion is easy."], "en", 1.0),
        ("how to peel onions quickly", ["Onion rings.", "Peel it."], "", 1 / 3),
        ("lentil soup recipe", ["moss", "SOUP of lentils"], "en", 2 / 3),
        ("lentil soup recipe", [], "en", 0.0),
        ("Straßenbahnen fahren", ["Die Straßenbahn fährt, wir fahren."], "de", 1.0),
        ("of the and", ["of the and"], "en", None),
        ("東京の天気", ["東京の天気"], "ja", None),
    ],
)
def test_share_of_stems_in_one_text(
    query: str, texts: list[str], language: str, share: float | None
) -> None:
    """The best single text counts, by stems of the set's language; no content word, no share."""
    assert measure_overlap(query, texts, language=language) == share


def test_stems_of_two_texts_do_not_add_up() -> None:
    """Half the words here and half there is no text about the query."""
    assert measure_overlap("lentil soup", ["lentil", "soup"], language="en") == 0.5
