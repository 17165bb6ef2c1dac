"""What scopes include."""

from itertools import combinations

import pytest

from reteval.contract.api_keys import Scope
from service.core.identity import LOCAL, NOBODY, widen


@pytest.mark.parametrize(
    ("given", "more"),
    [
        (Scope.TEST_SETS_WRITE, {Scope.TEST_SETS_READ}),
        (Scope.RUNS_WRITE, {Scope.RUNS_READ}),
        (Scope.TEST_SETS_READ, set()),
        (Scope.RUNS_READ, set()),
        (Scope.RESULTS_READ, set()),
        (Scope.KEYS_ADMIN, set()),
        (Scope.ADMIN, set(Scope)),
    ],
)
def test_scope_includes(given: Scope, more: set[Scope]) -> None:
    """Writing includes reading of the same, `admin` everything, and nothing else."""
    assert widen([given]) == {given} | more


def test_scopes_together_are_their_sum() -> None:
    """Two scopes open what each opens, and no more."""
    for one, other in combinations(Scope, 2):
        assert widen([one, other]) == widen([one]) | widen([other])


def test_nobody_may_nothing_and_local_everything() -> None:
    """Before a key is read nothing is allowed; without keys everything is."""
    assert not any(NOBODY.may(scope) for scope in Scope)
    assert all(LOCAL.may(scope) for scope in Scope)
