from functools import cache

from hypothesis import given, settings
from hypothesis import strategies as st

from reteval.contract.kinds import KINDS, ON_REQUEST, PRESETS
from reteval.contract.testsets import Query
from tests.unit.worker.adversarial.subjects import vary
from worker.adversarial.planning import REPEATING_FAMILY, Cell, Setting, make_variant
from worker.adversarial.registry import GENERATORS
from worker.adversarial.variant import NotApplicable
from worker.adversarial.vocabulary import Vocabulary
from worker.adversarial.words import fold

LANGUAGES = ("en", "fr", "es", "ru", "it", "")
SEARCHES = st.from_regex(
    r"(?:[a-zA-Z\u00e9\u00df]{2,9}[ ,-]|[\u0430-\u044f]{4,9} |\u6771\u4eac"
    r"|20[0-9]{2}-0[1-9]-1[0-9] |[0-9]{1,6} ){1,6}[?!]?",
    fullmatch=True,
)
ANY = st.text(alphabet=st.characters(), max_size=60)


@cache
def vocabulary_of(tag: str) -> Vocabulary:
    """Return a language's vocabulary, read when a test first asks: collecting needs none."""
    return Vocabulary.build(
        ["reset the forgotten password in Rome", "walk by the Tiber today"],
        language=tag,
        misspellings={"password": ("pasword",)},
    )


def test_every_kind_has_a_generator_and_no_more() -> None:
    """The contract's table and the registry have the same keys."""
    assert GENERATORS.keys() == KINDS.keys()


def test_presets_ask_only_for_severities_that_exist() -> None:
    """A preset names known kinds at severities they have, each with a variant at least."""
    for preset in PRESETS.values():
        for name, severities in preset.kinds.items():
            assert set(severities) <= set(KINDS[name].severities)
    for kind in KINDS.values():
        assert all(kind.count(severity) >= 1 for severity in kind.severities)


def test_the_full_preset_has_every_kind_but_those_on_request() -> None:
    """The wrong keyboard is for audiences that have two."""
    assert KINDS.keys() - PRESETS["full"].kinds.keys() == ON_REQUEST
    assert {"keyboard_layout", "paraphrase.model"} == ON_REQUEST


def test_every_generator_names_its_kind() -> None:
    """The first words of its documentation are the kind's name."""
    for name, generate in GENERATORS.items():
        assert (generate.__doc__ or "").startswith(f"`{name}`: ")


@settings(max_examples=150)
@given(
    query=ANY | SEARCHES,
    seed=st.integers(0, 2**32),
    language=st.sampled_from(LANGUAGES),
    replicate=st.integers(0, 2),
)
def test_any_text_gives_a_variant_that_says_something_else_or_a_reason(
    query: str, seed: int, language: str, replicate: int
) -> None:
    """No exception, twice the same, sendable, and not the query again after normalisation.

    But for the control, and for kinds that test just what normalisation removes.
    """
    setting = Setting(seed=seed, vocabulary=vocabulary_of(language), taken=frozenset())
    for kind in KINDS.values():
        for severity in kind.severities:
            cell = Cell(kind, severity, replicate)
            made = make_variant(Query(id="q", query=query), cell, setting)
            assert made == make_variant(Query(id="q", query=query), cell, setting)
            if isinstance(made, NotApplicable):
                assert made.reason
                continue
            made.text.encode()
            if kind.family == REPEATING_FAMILY:
                assert made.text == query
            elif kind.invariant:
                assert made.text != query
            else:
                assert fold(made.text) != fold(query)


@given(query=st.text(alphabet=st.characters(categories=["Cs", "Ll", "Zs"]), max_size=20))
def test_lone_surrogates_raise_nothing(query: str) -> None:
    """They reach no run, but a generator must not be what finds them."""
    for name in KINDS:
        vary(name, query)


@given(query=SEARCHES, seed=st.integers(0, 2**32))
def test_what_normalisation_removes_is_all_that_some_kinds_change(query: str, seed: int) -> None:
    """Wide letters, capitals and marks of their own fold back to the query."""
    for name in ("unicode.fullwidth", "unicode.nfd", "case.lower", "case.alternate", "case.title"):
        made = vary(name, query, seed=seed)
        if not isinstance(made, NotApplicable):
            assert fold(made.text) == fold(query)
