import math

import pytest

from reteval.contract.query_samples import SampleMethod, Stratum
from service.core.building.frequencies import Asked
from service.core.building.sampling import draw, stratify

ZIPF = [Asked(f"query {rank}", max(1, 400 // rank)) for rank in range(1, 61)]
TOTAL = sum(one.count for one in ZIPF)
SEEDS = 1_500
SIZE = 12
WORTH = [math.sin(place) ** 2 for place in range(len(ZIPF))]
"""Some metric of each query."""


def test_strata_are_thirds_of_all_searches() -> None:
    """Few head queries, many tail queries, the same number of searches but for one query."""
    strata = stratify(ZIPF)
    searches = {
        stratum: sum(one.count for one, found in zip(ZIPF, strata, strict=True) if found is stratum)
        for stratum in Stratum
    }
    assert strata == sorted(strata, key=tuple(Stratum).index)
    assert all(abs(count - TOTAL / 3) <= ZIPF[0].count for count in searches.values())
    assert strata.count(Stratum.HEAD) < strata.count(Stratum.TORSO) < strata.count(Stratum.TAIL)


@pytest.mark.parametrize("method", SampleMethod)
def test_sample_depends_on_seed_and_texts_alone(method: SampleMethod) -> None:
    """The same seed gives the same queries, each once, in order; another seed gives others."""
    drawn = draw(ZIPF, method, size=SIZE, seed=7)
    places = [one.place for one in drawn]
    assert drawn == draw(ZIPF, method, size=SIZE, seed=7)
    assert places == sorted(set(places))
    assert len(places) == SIZE
    other = [one.place for one in draw(ZIPF, method, size=SIZE, seed=8)]
    assert (other == places) is (method is SampleMethod.TOP)


@pytest.mark.parametrize("method", SampleMethod)
def test_small_log_is_taken_whole(method: SampleMethod) -> None:
    """Where there are no more queries than wanted, each is drawn with certainty."""
    drawn = draw(ZIPF, method, size=60, seed=1)
    assert [one.probability for one in drawn] == [1.0] * 60


@pytest.mark.parametrize(
    "method",
    [SampleMethod.HEAD_TORSO_TAIL, SampleMethod.PROPORTIONAL, SampleMethod.RANDOM],
)
def test_queries_are_drawn_as_often_as_said(method: SampleMethod) -> None:
    """Over many seeds each query's share of samples is its probability, within 4.5 sigma.

    Four in a thousand more for Pareto sampling, whose probabilities are close and not exact.
    """
    times = [0] * len(ZIPF)
    chance: dict[int, float] = {}
    for seed in range(SEEDS):
        for one in draw(ZIPF, method, size=SIZE, seed=seed):
            times[one.place] += 1
            chance[one.place] = one.probability
    for place, said in chance.items():
        slack = 4.5 * math.sqrt(said * (1 - said) / SEEDS) + 0.004
        assert abs(times[place] / SEEDS - said) <= slack
    assert math.isclose(sum(times), SEEDS * SIZE)


@pytest.mark.parametrize(
    "method",
    [SampleMethod.HEAD_TORSO_TAIL, SampleMethod.PROPORTIONAL, SampleMethod.RANDOM],
)
def test_weighted_mean_is_unbiased(method: SampleMethod) -> None:
    """Weighted by what each query stands for, a sample's total is that of the whole log."""
    truth = sum(one.count * worth for one, worth in zip(ZIPF, WORTH, strict=True)) / TOTAL
    estimates = [
        sum(
            ZIPF[one.place].count * WORTH[one.place] / one.probability / TOTAL
            for one in draw(ZIPF, method, size=SIZE, seed=seed)
        )
        for seed in range(SEEDS)
    ]
    mean = math.fsum(estimates) / SEEDS
    spread = math.sqrt(math.fsum((one - mean) ** 2 for one in estimates) / SEEDS)
    assert abs(mean - truth) <= 4.5 * spread / math.sqrt(SEEDS) + 0.002


def test_proportional_sample_takes_what_is_certain() -> None:
    """A query with more than its share is always drawn; the others share what is left."""
    asked = [Asked("all ask this", 1_000), *(Asked(f"rare {n}", 1) for n in range(10))]
    drawn = draw(asked, SampleMethod.PROPORTIONAL, size=3, seed=1)
    assert (drawn[0].place, [one.probability for one in drawn]) == (0, [1.0, 0.2, 0.2])
    assert sum(asked[one.place].count / one.probability for one in drawn) == 1_010


def test_small_stratum_leaves_its_places_to_the_others() -> None:
    """A head of one query gives one; torso and tail give the rest."""
    asked = [Asked("head", 100), *(Asked(f"other {n:02}", 2) for n in range(100))]
    drawn = draw(asked, SampleMethod.HEAD_TORSO_TAIL, size=31, seed=3)
    strata = stratify(asked)
    found = [strata[one.place] for one in drawn]
    assert [found.count(stratum) for stratum in Stratum] == [1, 15, 15]


def test_grown_log_changes_the_sample_little() -> None:
    """With a new query in the log, all but one of those drawn at random are the same."""
    before = {ZIPF[one.place].text for one in draw(ZIPF, SampleMethod.RANDOM, size=SIZE, seed=5)}
    grown = [*ZIPF, Asked("something new", 1)]
    after = {grown[one.place].text for one in draw(grown, SampleMethod.RANDOM, size=SIZE, seed=5)}
    assert len(before & after) >= SIZE - 1
