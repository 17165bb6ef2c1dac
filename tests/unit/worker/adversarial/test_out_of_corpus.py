import pytest

from reteval.contract.kinds import OUT_OF_CORPUS_TIERS
from worker.adversarial.far_pack import FAR
from worker.adversarial.out_of_corpus import plan_tier
from worker.adversarial.vocabulary import Vocabulary

NOTHING_KNOWN = Vocabulary.build([], language="en")
PACK = [text for texts in FAR.values() for text in texts]


def test_the_pack_is_as_wide_as_promised() -> None:
    """A dozen domains of a dozen different queries, half of them questions, 3 to 9 words."""
    assert len(FAR) >= 12
    assert all(len(texts) >= 12 for texts in FAR.values())
    assert len(set(PACK)) == len(PACK)
    assert all(3 <= len(text.split()) <= 9 for text in PACK)
    for texts in FAR.values():
        assert sum(text.endswith("?") for text in texts) == len(texts) // 2


@pytest.mark.parametrize("tier", list(OUT_OF_CORPUS_TIERS))
def test_a_tier_is_seeded(tier: str) -> None:
    """The same seed gives the same queries, another seed others; ids are unique."""
    one = plan_tier(tier, seed=1, vocabulary=NOTHING_KNOWN)
    assert one == plan_tier(tier, seed=1, vocabulary=NOTHING_KNOWN)
    assert one != plan_tier(tier, seed=2, vocabulary=NOTHING_KNOWN)
    assert len(one.requests) == OUT_OF_CORPUS_TIERS[tier]
    assert len({request.query_id for request in one.requests}) == len(one.requests)
    assert {request.kind for request in one.requests} == {f"out_of_corpus.{tier}"}
    assert all(request.generated for request in one.requests)


def test_a_far_query_keeps_its_id_under_any_seed() -> None:
    """The id is the place in the pack, so that two runs name the same query alike."""
    for seed in range(3):
        for request in plan_tier("far", seed=seed, vocabulary=NOTHING_KNOWN).requests:
            assert PACK[int(request.query_id.removeprefix("far-")) - 1] == request.text


def test_far_queries_that_share_words_with_the_set_are_dropped_and_counted() -> None:
    """Two common stems are too many, whatever their endings; one is not."""
    kept = plan_tier("far", seed=0, vocabulary=Vocabulary.build(["soup"], language="en"))
    assert kept.dropped == 0
    known = Vocabulary.build(["lentils in soups", "onion"], language="en")
    planned = plan_tier("far", seed=0, vocabulary=known)
    assert planned.dropped == 1
    assert "lentil soup without onions" not in {request.text for request in planned.requests}


def test_a_set_about_everything_drops_the_whole_pack() -> None:
    """What cannot be called far is not sent."""
    planned = plan_tier("far", seed=0, vocabulary=Vocabulary.build(PACK, language="en"))
    assert planned.dropped == len(PACK) - len(planned.requests)
    assert len(planned.requests) < 10


def test_gibberish_is_no_language() -> None:
    """Two to four strings without a known word, consonants by far the most."""
    texts = [
        request.text
        for request in plan_tier("gibberish", seed=4, vocabulary=NOTHING_KNOWN).requests
    ]
    assert all(2 <= len(text.split()) <= 4 for text in texts)
    strings = [string for text in texts for string in text.split()]
    assert not any(map(NOTHING_KNOWN.is_word, strings))
    letters = "".join(strings)
    assert sum(letter in "aeiouy" for letter in letters) / len(letters) < 0.2


def test_a_string_the_set_knows_is_drawn_again() -> None:
    """A string that happens to be a word of the set is not gibberish there."""
    first = plan_tier("gibberish", seed=4, vocabulary=NOTHING_KNOWN).requests[0].text
    known = Vocabulary(frequency=dict.fromkeys(first.split(), 1))
    again = plan_tier("gibberish", seed=4, vocabulary=known).requests[0].text
    assert not set(first.split()) & set(again.split())


def test_an_unknown_tier_is_refused() -> None:
    """The message lists the tiers there are."""
    with pytest.raises(ValueError, match="far, gibberish"):
        plan_tier("near", seed=0, vocabulary=NOTHING_KNOWN)
