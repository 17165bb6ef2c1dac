"""Kinds that change which words a query has, their order or their form."""

from collections.abc import Iterator
from typing import Final

from reteval.contract.kind import Kind, Labels

_RAREST: Final = "rarest_in_set"


def list_wording_kinds() -> Iterator[Kind]:
    """Yield the kinds in the order of the catalogue."""
    yield from _list_phrasings()
    yield from _list_forms()
    yield from _list_shorter()
    yield from _list_longer()
    yield from _list_changing()
    yield Kind(
        name="paraphrase.model",
        family="paraphrase",
        about="The query as a model that you name says it; unverified, only when asked for.",
        replicates=3,
    )


def _list_phrasings() -> Iterator[Kind]:
    yield Kind(
        name="naturality.stopwords", family="naturality", about="The grammatical words left out."
    )
    yield Kind(
        name="naturality.question",
        family="naturality",
        about="Keywords made a question, or a question made keywords.",
    )
    yield Kind(
        name="order.swap",
        family="order",
        about="Two words swapped.",
        target="random_word_pair",
        replicates=2,
    )
    yield Kind(
        name="order.shuffle", family="order", about="All words in another order.", replicates=2
    )


def _list_forms() -> Iterator[Kind]:
    yield Kind(
        name="inflection",
        family="inflection",
        about="Singular for plural and the reverse: one content word, or every one.",
        target="random_content_word",
        severities=(1, 3),
        replicates=2,
        thinned={3: 1},
    )
    yield Kind(
        name="variant_spelling",
        family="spelling",
        about="Another accepted spelling: colour and color, don't and do not, & and and.",
    )
    yield Kind(
        name="number_format",
        family="numbers",
        about="A number or date in another form: 10,000 and 10000, 5 km and 5 kilometres.",
    )


def _list_shorter() -> Iterator[Kind]:
    for count, words in ((1, "word"), (2, "two words"), (3, "three words")):
        yield Kind(
            name=f"short.k{count}",
            family="length",
            about=f"Only the content {words} rarest in the test set.",
            labels=Labels.REDUCING,
            target=_RAREST,
        )
    yield Kind(
        name="short.prefix",
        family="length",
        about="As typed so far: cut after three letters of the second content word.",
        labels=Labels.REDUCING,
        target="first_words",
    )
    yield Kind(
        name="drop.content",
        family="length",
        about="One content word of three or more left out.",
        labels=Labels.REDUCING,
        target="random_content_word",
        replicates=3,
    )


def _list_longer() -> Iterator[Kind]:
    yield Kind(name="verbose.polite", family="verbosity", about="A courteous frame.")
    yield Kind(
        name="verbose.context",
        family="verbosity",
        about="Two sentences about the asker's life before the query.",
    )
    yield Kind(
        name="noise.append",
        family="noise",
        about="10, 50 or 200 unrelated words behind the query.",
        severities=(1, 2, 3),
    )
    yield Kind(
        name="length.preamble",
        family="length",
        about="600 or 2,000 words of neutral text, then the query.",
        severities=(1, 2),
    )
    yield Kind(name="length.repeat", family="length", about="The query twenty times over.")


def _list_changing() -> Iterator[Kind]:
    for name, about, target in (
        ("negation", "The same without one of its topics: the page should move.", "content_word"),
        ("entity_swap", "A name replaced by another name of the test set.", "name"),
        ("number_change", "Another year or amount.", "number"),
    ):
        yield Kind(
            name=name,
            family="meaning",
            about=about,
            labels=Labels.CHANGING,
            target=f"random_{target}",
        )
