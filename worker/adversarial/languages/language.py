"""The shape of what is known of a language."""

from msgspec import Struct


class Language(Struct, frozen=True, kw_only=True):
    """Lists and rules of one language; empty ones mean that a kind cannot be made in it.

    Rules are pairs of a regular expression and its replacement, matched against a folded word.
    Frames hold `{query}` and, where they leave something out, `{word}`.

    `layout` and `wrong_layout` name keyboards. `kept` are function words that carry direction or
    negation. `openers` start a question. `asides` are sentences that ask for nothing and
    `neutral` words of everyday life. `sounds` are ways to write what is heard, `inflections`
    lead from singular to plural or back, `plurals` from a listed word to one that the list leaves
    out as regular. `spellings` pair two accepted spellings and `respellings`
    do so inside words. `long_date` has `{day}`, `{month}` and `{year}`; `thousands` is the mark
    between groups of three digits. `stemmer` is the name of its Snowball algorithm.
    """

    code: str
    script: str = ""
    stemmer: str = ""
    layout: str = "qwerty"
    wrong_layout: str = ""
    function_words: frozenset[str] = frozenset()
    kept: frozenset[str] = frozenset()
    openers: frozenset[str] = frozenset()
    questions: tuple[str, ...] = ()
    polite: str = ""
    negations: tuple[str, ...] = ()
    asides: tuple[str, ...] = ()
    neutral: tuple[str, ...] = ()
    sounds: tuple[tuple[str, str], ...] = ()
    inflections: tuple[tuple[str, str], ...] = ()
    plurals: tuple[tuple[str, str], ...] = ()
    spellings: tuple[tuple[str, str], ...] = ()
    respellings: tuple[tuple[str, str], ...] = ()
    months: tuple[str, ...] = ()
    long_date: str = ""
    thousands: str = ""
    units: tuple[tuple[str, str], ...] = ()
    nouns_capitalised: bool = False
