from reteval.contract.kinds import KINDS
from reteval.contract.testsets import Judgment, Query
from worker.adversarial.planning import Cell, Setting, admit, make_variant
from worker.adversarial.variant import NotApplicable, Variant
from worker.adversarial.vocabulary import Vocabulary

QUERY = Query(id="q1", query="reset the forgotten account password", relevant=[Judgment("d1", 1)])
SETTING = Setting(
    seed=7, vocabulary=Vocabulary.build([QUERY.query], language="en"), taken=frozenset()
)


def test_replicates_are_drawn_apart() -> None:
    """Replicates of one query differ, and each can be made again alone."""
    cells = [Cell(KINDS["typo.mixed"], 1, replicate) for replicate in range(3)]
    made = [make_variant(QUERY, cell, SETTING) for cell in cells]
    assert len({variant.text for variant in made if isinstance(variant, Variant)}) == 3
    assert [make_variant(QUERY, cell, SETTING) for cell in reversed(cells)] == made[::-1]


def test_the_control_may_equal_its_query() -> None:
    """Only the control repeats a text that the set already has."""
    setting = Setting(seed=7, vocabulary=SETTING.vocabulary, taken=frozenset({QUERY.query}))
    made = make_variant(QUERY, Cell(KINDS["control.repeat"], 1), setting)
    assert made == Variant(text=QUERY.query)


def test_a_variant_that_says_the_same_is_refused() -> None:
    """Case, spacing and Unicode form make no other query; a query of the set is sent anyway."""
    taken = frozenset({"delete account"})
    assert admit(Variant(text="RESET  it"), "reset it", taken) == NotApplicable("unchanged")
    assert admit(Variant(text="Delete account"), "reset it", taken) == NotApplicable(
        "equals_other_query"
    )
    assert admit(Variant(text="rest it"), "reset it", taken) == Variant(text="rest it")


def test_a_variant_without_text_is_refused() -> None:
    """A query that is a mark alone has nothing left without it."""
    cells = [Cell(KINDS["whitespace_punct"], 1, replicate) for replicate in range(30)]
    made = [make_variant(Query(id="q", query="?"), cell, SETTING) for cell in cells]
    assert NotApplicable("nothing_left") in made
    assert {variant.text for variant in made if isinstance(variant, Variant)} == {" ?", "? "}


def test_a_kind_that_tests_normalisation_is_held_to_the_letter() -> None:
    """Its variants fold to the query; only one that is the very text is refused."""
    loud, quiet = Query(id="q", query="RESET"), Query(id="q", query="reset")
    cell = Cell(KINDS["case.upper"], 1)
    assert make_variant(quiet, cell, SETTING) == Variant(text="RESET", ops=("upper 0",))
    assert make_variant(loud, cell, SETTING) == NotApplicable("no_small_letter")
