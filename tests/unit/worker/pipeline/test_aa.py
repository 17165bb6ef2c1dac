from benchmarks.aa import allowed, count_wrong, make_queries


def test_few_suites_call_a_kind_worse_where_nothing_is() -> None:
    """Random ties only: at most one suite in twenty, and two Monte Carlo standard errors."""
    suites = 40
    assert count_wrong(suites, make_queries(24)) <= allowed(suites) * suites
