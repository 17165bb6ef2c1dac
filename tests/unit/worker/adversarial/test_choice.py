import pytest
from msgspec import structs

from reteval.contract.choice import choose, suite_fingerprint
from reteval.contract.endpoints import Endpoint
from reteval.contract.hostile import HOSTILE_GROUPS
from reteval.contract.kinds import OUT_OF_CORPUS_REPEATED, OUT_OF_CORPUS_TIERS, PRESETS, SUITE
from reteval.contract.runs import AdversarialRequest


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
    assert cells(request) == [("typo.mixed", 1), ("typo.mixed", 2), ("typo.mixed", 3)]
    assert choice.tiers == ("far",)
    assert choice.sample == 3


def test_severities_choose_where_a_kind_has_them() -> None:
    """A kind with one severity keeps it."""
    request = AdversarialRequest(preset="quick", severities=[3, 2])
    assert cells(request) == [
        ("control.repeat", 1),
        ("typo.mixed", 2),
        ("typo.mixed", 3),
        ("whitespace_punct", 1),
        ("inflection", 3),
        ("naturality.stopwords", 1),
        ("short.k3", 1),
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
    assert cells(AdversarialRequest(suite=SUITE)) == cells(AdversarialRequest())


def test_the_default_suite_is_24_variants_of_200_queries() -> None:
    """Of which the estimate of a run is made: 4,800 calls beside those out of corpus."""
    choice = choose(AdversarialRequest())
    odd = HOSTILE_GROUPS["hostile"]
    far = sum(queries + OUT_OF_CORPUS_REPEATED for queries in OUT_OF_CORPUS_TIERS.values())
    assert choice.count_calls(842) == 200 * 24 + far + odd
    assert choice.count_calls(10) == 10 * 24 + far + odd


def test_calls_count_what_a_severity_is_thinned_to() -> None:
    """Three of one typo, three of two, one of all; nothing else is asked for."""
    choice = choose(AdversarialRequest(kinds=["typo.mixed", "out_of_corpus.far"], sample=5))
    assert choice.count_calls(100) == 5 * (3 + 3 + 1) + OUT_OF_CORPUS_TIERS["far"]


def test_equal_fingerprints_mean_comparable_variants() -> None:
    """Suite, seed and severities decide; the sample and the order of the kinds do not."""
    one = AdversarialRequest(kinds=["typo.mixed", "short.k1"], seed=7)
    same = AdversarialRequest(kinds=["short.k1", "typo.mixed"], seed=7, sample=9, suite=SUITE)
    others = [
        AdversarialRequest(kinds=["typo.mixed", "short.k1"], seed=8),
        AdversarialRequest(kinds=["typo.mixed", "short.k1"], seed=7, severities=[1]),
        AdversarialRequest(kinds=["typo.mixed", "short.k1", "out_of_corpus.far"], seed=7),
    ]
    assert suite_fingerprint(one) == suite_fingerprint(same)
    assert suite_fingerprint(one).startswith(f"{SUITE}/7/")
    assert len({suite_fingerprint(request) for request in (one, *others)}) == 4


def test_model_adds_its_kind_to_a_preset_and_to_the_fingerprint() -> None:
    """Whoever describes a model asks for it; another prompt is another experiment."""
    model = Endpoint(url="http://model/", body={"prompt": "{{query}}"}, headers={"Key": "a"})
    request = AdversarialRequest(preset="quick", model=model)
    choice = choose(request)
    assert choice.has("paraphrase.model")
    assert choice.has("typo.mixed")
    assert (choice.count_model_calls(1_000), choice.count_model_calls(7)) == (50, 7)
    assert choose(AdversarialRequest()).count_model_calls(7) == 0
    other_key = structs.replace(model, headers={"Key": "b"}, saved="ep_1")
    other_prompt = structs.replace(model, body={"prompt": "again: {{query}}"})
    prints = [
        suite_fingerprint(structs.replace(request, model=each))
        for each in (model, other_key, other_prompt)
    ]
    assert prints[0] == prints[1] != prints[2]
