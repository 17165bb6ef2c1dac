from worker.search.budget import SHARE, START, Budget


def test_repeats_are_bounded_by_requests() -> None:
    """However many requests fail, repeats stay a fifth of them and fifty more."""
    budget = Budget()
    repeats = 0
    for _ in range(1_000):
        budget.earn()
        repeats += budget.spend() + budget.spend()
    assert START + SHARE * 1_000 - 2 <= repeats <= START + SHARE * 1_000


def test_few_requests_may_all_be_repeated() -> None:
    """A small run has repeats enough for every request it sends."""
    budget = Budget()
    for _ in range(20):
        budget.earn()
        assert budget.spend()
        assert budget.spend()
