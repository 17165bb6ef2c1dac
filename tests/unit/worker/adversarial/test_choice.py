import pytest

from reteval.contract.kinds import KINDS, OUT_OF_CORPUS_TIERS, PRESETS
from reteval.contract.runs import AdversarialRequest
from worker.adversarial.choice import choose


def cells(request: AdversarialRequest) -> list[tuple[str, int]]:
    """Kinds and severities chosen, by name."""
    return [(kind.name, severity) for kind, severity in choose(request).kinds]


@pytest.mark.parametrize("preset", list(PRESETS))
def test_a_preset_alone_is_taken_whole(preset: str) -> None:
    """Its kinds, severities, sample, and both tiers."""
    choice = choose(AdversarialRequest(preset=preset))
    wanted = PRESETS[preset]
    assert [(kind.name, severity) for kind, severity in choice.kinds] == [
        (name, severity) for name, severities in wanted.kinds.items() for severity in severities
    ]
    assert choice.sample == wanted.sample
    assert choice.tiers == tuple(OUT_OF_CORPUS_TIERS)


def test_kinds_replace_the_presets_choice() -> None:
    """Only what is named is run, each once, and severities stay the preset's."""
    request = AdversarialRequest(kinds=["typo.mixed", "typo.mixed", "out_of_corpus.far"], sample=3)
    choice = choose(request)
    assert cells(request) == [("typo.mixed", 1), ("typo.mixed", 2)]
    assert choice.tiers == ("far",)
    assert choice.sample == 3


def test_severities_choose_where_a_kind_has_them() -> None:
    """A kind with one severity keeps it."""
    request = AdversarialRequest(severities=[3, 2])
    assert cells(request) == [
        ("control.repeat", 1),
        ("typo.mixed", 2),
        ("typo.mixed", 3),
        ("short.k2", 1),
    ]


@pytest.mark.parametrize(
    ("request_", "named"),
    [
        (AdversarialRequest(suite="1999.1"), "1999.1"),
        (AdversarialRequest(preset="huge"), "huge"),
        (AdversarialRequest(kinds=["typo.mixed", "typo.none"]), "typo.none"),
    ],
)
def test_unknown_names_are_refused(request_: AdversarialRequest, named: str) -> None:
    """The message quotes the name and lists or gives what is known."""
    with pytest.raises(ValueError, match=named):
        choose(request_)


def test_the_current_suite_may_be_named() -> None:
    """Asking for the suite that is made here changes nothing."""
    assert cells(AdversarialRequest(suite="2026.0")) == cells(AdversarialRequest())
    assert set(KINDS) == {name for name, _ in cells(AdversarialRequest())}
