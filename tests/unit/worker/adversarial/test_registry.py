from hypothesis import given
from hypothesis import strategies as st

from reteval.contract.kinds import KINDS, PRESETS
from worker.adversarial.draws import Draws
from worker.adversarial.registry import GENERATORS
from worker.adversarial.variant import NotApplicable
from worker.adversarial.vocabulary import Vocabulary

VOCABULARY = Vocabulary.build(["reset the forgotten password"], language="en")


def test_every_kind_has_a_generator_and_no_more() -> None:
    """The contract's table and the registry have the same keys."""
    assert GENERATORS.keys() == KINDS.keys()


def test_presets_ask_only_for_severities_that_exist() -> None:
    """A preset names known kinds at severities they have."""
    for preset in PRESETS.values():
        for name, severities in preset.kinds.items():
            assert set(severities) <= set(KINDS[name].severities)


@given(query=st.text(alphabet=st.characters(), max_size=80), seed=st.integers(0, 2**32))
def test_no_generator_raises_or_breaks_unicode(query: str, seed: int) -> None:
    """Any text gives a variant that can be sent, twice the same, or a reason."""
    for name, generate in GENERATORS.items():
        for severity in KINDS[name].severities:
            made = generate(query, severity, Draws(seed), VOCABULARY)
            again = generate(query, severity, Draws(seed), VOCABULARY)
            assert made == again
            if isinstance(made, NotApplicable):
                assert made.reason
            elif query.isprintable():
                made.text.encode()
