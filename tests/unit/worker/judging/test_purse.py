"""What a judge may spend: refused before, never noticed after."""

from reteval.contract.judges import Caps, Prices, Spent
from worker.judging.purse import Purse, find_cost, find_exceeded


def test_what_is_under_way_counts() -> None:
    """Two calls of 40 set aside leave no room for a third below 100, until one came to less."""
    purse = Purse(Caps(max_tokens=100), Spent(), pairs=0)
    assert purse.admit(30, 10)
    assert purse.admit(30, 10)
    purse.settle((30, 10), (5, 1))
    assert purse.admit(30, 10)
    assert not purse.admit(30, 10)
    assert purse.exhausted
    assert not purse.admit(1, 0)
    assert (purse.spent.calls, purse.spent.prompt_tokens) == (1, 5)


def test_what_earlier_jobs_spent_counts() -> None:
    """Caps are of the judge, not of one job; known answers cost nothing."""
    caps = Caps(max_cost=1.0, prices=Prices(prompt=1.0, completion=2.0))
    purse = Purse(caps, Spent(prompt_tokens=900_000), pairs=0)
    assert not purse.admit(0, 60_000)
    purse = Purse(caps, Spent(prompt_tokens=900_000), pairs=0)
    assert purse.admit(0, 50_000)
    purse.save()
    assert (purse.spent.cached, purse.spent.calls) == (1, 0)


def test_pairs_are_counted() -> None:
    """Those that were judged before are a part of `max_pairs`."""
    purse = Purse(Caps(max_pairs=3), Spent(), pairs=2)
    assert purse.admit_pair()
    assert not purse.admit_pair()
    assert purse.exhausted


def test_no_cap_is_no_bound() -> None:
    """Without caps everything is admitted, and costs nothing that is not priced."""
    assert find_exceeded(Caps(), 10**12, 10**12) == ()
    assert find_cost(Caps(), 10**12, 10**12) == 0
    both = Caps(max_tokens=1, max_cost=0.1, prices=Prices(prompt=1.0))
    assert find_exceeded(both, 10**6, 0) == ("max_tokens", "max_cost")
