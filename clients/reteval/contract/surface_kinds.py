"""Kinds that leave the words alone and change how they are written."""

from collections.abc import Iterator
from typing import Final

from reteval.contract.kind import Kind

_WORDS: Final = "random_content_word"


def _one_or_all(name: str, family: str, about: str, *, invariant: bool = False) -> Kind:
    """Return a kind that hits one content word (severity 1) or every one of them (3)."""
    return Kind(
        name=name,
        family=family,
        about=about,
        target=_WORDS,
        severities=(1, 3),
        replicates=2,
        thinned={3: 1},
        invariant=invariant,
    )


def _slip(name: str, about: str) -> Kind:
    """Return a slip of the keys in one, two or every content word (severity 1, 2, 3)."""
    return Kind(
        name=f"typo.{name}",
        family="character",
        about=about,
        target=_WORDS,
        severities=(1, 2, 3),
        replicates=3,
        thinned={3: 1},
    )


def _invariant(name: str, family: str, about: str) -> Kind:
    return Kind(name=name, family=family, about=about, invariant=True)


def list_surface_kinds() -> Iterator[Kind]:
    """Yield the kinds in the order of the catalogue."""
    yield Kind(
        name="control.repeat",
        family="control",
        about="The clean query sent again: the endpoint's own noise.",
    )
    yield from _list_misspellings()
    yield from _list_encodings()
    yield from _list_layouts()


def _list_misspellings() -> Iterator[Kind]:
    yield _slip("delete", "One inner letter left out.")
    yield _slip("insert", "A key beside the one that was meant, pressed as well.")
    yield _slip("substitute_adjacent", "A key beside the one that was meant, pressed instead.")
    yield _slip("substitute_random", "One letter replaced by any other.")
    yield _slip("transpose", "Two neighbouring inner letters swapped.")
    yield _slip("double", "One letter written twice, or a double letter once.")
    yield _slip("mixed", "Misspellings in the proportions people make them.")
    yield Kind(
        name="typo.real_word",
        family="character",
        about="A slip that happens to be another word, such as form for from.",
        target=_WORDS,
        replicates=3,
    )
    for name, about in (
        ("attested", "Misspellings that people were seen to write (needs the codespell package)."),
        ("phonetic", "A word spelled as it sounds."),
    ):
        yield Kind(
            name=f"misspelling.{name}",
            family="misspelling",
            about=about,
            target=_WORDS,
            severities=(1, 2),
            replicates=2,
        )
    yield Kind(
        name="ocr",
        family="recognition",
        about="Letters misread by their shape: 5, 10 or 30 % of those that can be.",
        severities=(1, 2, 3),
    )


def _list_encodings() -> Iterator[Kind]:
    yield _one_or_all("homoglyph", "unicode", "A letter replaced by one that looks the same.")
    yield _one_or_all(
        "invisible", "unicode", "A character without width inside a word.", invariant=True
    )
    yield _invariant("unicode.nfd", "unicode", "Accents written as marks of their own (NFD).")
    yield _invariant("unicode.fullwidth", "unicode", "Letters and digits in their wide form.")
    yield _invariant("unicode.typographic", "unicode", "Curly quotes, real dashes, joined letters.")
    yield Kind(name="diacritics.strip", family="unicode", about="Accents left out.")
    yield _one_or_all("diacritics.add", "unicode", "An accent where none belongs.")


def _list_layouts() -> Iterator[Kind]:
    yield _invariant("case.upper", "case", "Everything in capitals.")
    yield _invariant("case.lower", "case", "Everything in small letters.")
    yield _invariant("case.title", "case", "A capital at the start of each word.")
    yield _invariant("case.alternate", "case", "Small letters and capitals in turn.")
    yield Kind(name="case.turkish", family="case", about="Capitals as Turkish makes them.")
    yield Kind(
        name="whitespace_punct",
        family="whitespace",
        about="A final mark, a space more, a tab, a hyphen for a space.",
        invariant=True,
    )
    yield Kind(
        name="keyboard_layout",
        family="keyboard",
        about="The whole query typed on the wrong keyboard layout; only when asked for.",
    )
    yield Kind(
        name="segment.split",
        family="segmentation",
        about="A space inside a word.",
        target=_WORDS,
        severities=(1, 2),
        replicates=2,
    )
    yield Kind(
        name="segment.merge",
        family="segmentation",
        about="The space between two words left out.",
        target="random_word_pair",
        severities=(1, 2),
        replicates=2,
    )
