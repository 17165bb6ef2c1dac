import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reteval.contract.kinds import OUT_OF_CORPUS_REPEATED, OUT_OF_CORPUS_TIERS
from reteval.contract.testsets import Query
from worker.adversarial.draws import Draws
from worker.adversarial.far_pack import FAR
from worker.adversarial.foreign_pack import FOREIGN
from worker.adversarial.out_of_corpus import plan_tier
from worker.adversarial.out_of_corpus_near import invent
from worker.adversarial.out_of_corpus_scripts import find_scripts
from worker.adversarial.out_of_corpus_tier import repeat_some
from worker.adversarial.vocabulary import Vocabulary, english_words

NOTHING_KNOWN = Vocabulary.build([], language="en")
GOLDEN_NEAR = [
    "reset the glealkesp of my pump",
    "Why does the lamp lurpud?",
    "order spare skeantrinkuk",
]
PACK = [text for texts in FAR.values() for text in texts]


def ask(*texts: str) -> list[Query]:
    """Return queries of these texts."""
    return [Query(id=f"q{place}", query=text) for place, text in enumerate(texts)]


MANY = ask(*(f"reset the filter number {place} of my pump" for place in range(80)))


def test_the_pack_is_as_wide_as_promised() -> None:
    """A dozen domains of a dozen different queries, half of them questions, 3 to 9 words."""
    assert len(FAR) >= 12
    assert all(len(texts) >= 12 for texts in FAR.values())
    assert len(set(PACK)) == len(PACK)
    assert all(3 <= len(text.split()) <= 9 for text in PACK)
    for texts in FAR.values():
        assert sum(text.endswith("?") for text in texts) == len(texts) // 2


@pytest.mark.parametrize("tier", list(OUT_OF_CORPUS_TIERS))
def test_a_tier_repeats_and_its_ids_are_unique(tier: str) -> None:
    """The same seed gives the same queries; each tier is as large as the contract says."""
    one = plan_tier(tier, seed=1, vocabulary=NOTHING_KNOWN, queries=MANY)
    assert one == plan_tier(tier, seed=1, vocabulary=NOTHING_KNOWN, queries=MANY)
    assert len(one.requests) == OUT_OF_CORPUS_TIERS[tier]
    assert len({request.query_id for request in one.requests}) == len(one.requests)
    assert {request.kind for request in one.requests} == {f"out_of_corpus.{tier}"}
    assert all(request.generated for request in one.requests)


@pytest.mark.parametrize("tier", ["far", "near", "gibberish"])
def test_a_drawn_tier_follows_the_seed(tier: str) -> None:
    """Another seed gives others."""
    one = plan_tier(tier, seed=1, vocabulary=NOTHING_KNOWN, queries=MANY)
    assert one != plan_tier(tier, seed=2, vocabulary=NOTHING_KNOWN, queries=MANY)


def test_a_far_query_keeps_its_id_under_any_seed() -> None:
    """The id is the place in the pack, so that two runs name the same query alike."""
    for seed in range(3):
        for request in plan_tier("far", seed=seed, vocabulary=NOTHING_KNOWN).requests:
            assert PACK[int(request.query_id.removeprefix("far-")) - 1] == request.text


def test_far_queries_are_as_long_as_the_sets() -> None:
    """By picking: a set of short queries gets the shortest ones, a mixed one some of each."""
    short = plan_tier("far", seed=0, vocabulary=NOTHING_KNOWN, queries=ask(*["a b c"] * 5))
    long = plan_tier("far", seed=0, vocabulary=NOTHING_KNOWN, queries=ask(*["a b c d e f g"] * 5))
    lengths = [[len(request.text.split()) for request in tier.requests] for tier in (short, long)]
    assert max(lengths[0]) <= min(lengths[1])
    mixed = plan_tier(
        "far", seed=0, vocabulary=NOTHING_KNOWN, queries=ask("a b c d", "a b c d e f g")
    )
    counts = [len(request.text.split()) for request in mixed.requests]
    assert {4, 7} <= set(counts)


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


def test_a_near_query_asks_about_something_that_does_not_exist() -> None:
    """Only the rarest content word is replaced, in its case, and the edit is told."""
    queries = ask("reset the Velocity filter", "reset the filter", "filter pump")
    vocabulary = Vocabulary.build((query.query for query in queries), language="en")
    planned = plan_tier("near", seed=5, vocabulary=vocabulary, queries=queries)
    (made,) = [each for each in planned.requests if each.original == queries[0].query]
    before, after = made.original.split(), made.text.split()
    assert [before[0], before[1], before[3]] == [after[0], after[1], after[3]]
    assert after[2].istitle()
    assert made.ops == (f"invent 10: Velocity -> {after[2]}",)
    assert not vocabulary.is_word(after[2])


def test_near_queries_stay_what_they_are_while_the_suite_does() -> None:
    """The invented words of a seed are part of the suite's version."""
    queries = ask("reset the filter of my pump", "Why does the lamp blink?", "order spare valves")
    vocabulary = Vocabulary.build((query.query for query in queries), language="en")
    planned = plan_tier("near", seed=7, vocabulary=vocabulary, queries=queries)
    assert [request.text for request in planned.requests] == GOLDEN_NEAR


def test_a_query_without_a_content_word_has_no_near_one() -> None:
    """Then the tier is smaller; ids are numbered without gaps."""
    planned = plan_tier(
        "near", seed=5, vocabulary=NOTHING_KNOWN, queries=ask("of the", "LIGHT valve", "東京")
    )
    (made,) = planned.requests
    assert made.query_id == "near-001"
    assert "LIGHT" in made.text or made.text.split()[0].isupper()


@given(st.integers(0, 2**64))
@settings(max_examples=50)
def test_an_invented_word_can_be_spoken_and_is_new(seed: int) -> None:
    """Letters only, with vowels, no listed word, and equal for an equal seed."""
    word = invent(Draws(seed), english_words())
    assert word == invent(Draws(seed), english_words())
    assert word.isascii()
    assert word.isalpha()
    assert set(word) & set("aeiou")
    assert word not in english_words()


def test_a_word_that_exists_is_invented_again() -> None:
    """Whatever is known is never the answer."""
    first = invent(Draws(3), frozenset())
    assert invent(Draws(3), frozenset({first})) != first


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


def test_foreign_sentences_are_in_the_script_they_stand_under() -> None:
    """Every letter; the same number a script, none twice, and enough without any one script."""
    for script, texts in FOREIGN.items():
        assert find_scripts(texts) == {script}
    sizes = {len(texts) for texts in FOREIGN.values()}
    assert len(sizes) == 1
    assert len({text for texts in FOREIGN.values() for text in texts}) == sum(
        map(len, FOREIGN.values())
    )
    assert sum(map(len, FOREIGN.values())) - 2 * max(sizes) >= OUT_OF_CORPUS_TIERS["other_language"]


def test_scripts_of_the_set_are_not_foreign_to_it() -> None:
    """A set in Russian and English is asked in neither, and the sentences dropped are counted."""
    planned = plan_tier(
        "other_language", seed=0, vocabulary=NOTHING_KNOWN, queries=ask("пароль забыт", "reset")
    )
    assert find_scripts(request.text for request in planned.requests).isdisjoint(
        {"LATIN", "CYRILLIC"}
    )
    assert planned.dropped == 12
    assert all(unicodedata.is_normalized("NFC", each.text) for each in planned.requests)


def test_some_of_a_tier_are_sent_twice() -> None:
    """The same text under the same id, as another replicate."""
    plan = plan_tier("gibberish", seed=4, vocabulary=NOTHING_KNOWN)
    twice = repeat_some(plan).requests[len(plan.requests) :]
    assert len(twice) == OUT_OF_CORPUS_REPEATED
    assert [(each.query_id, each.text) for each in twice] == [
        (each.query_id, each.text) for each in plan.requests[:OUT_OF_CORPUS_REPEATED]
    ]
    assert {each.replicate for each in twice} == {1}


def test_an_unknown_tier_is_refused() -> None:
    """The message lists the tiers there are."""
    with pytest.raises(ValueError, match="far, near, gibberish"):
        plan_tier("nearby", seed=0, vocabulary=NOTHING_KNOWN)
