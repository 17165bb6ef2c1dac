"""Header values of a run: its endpoint's and its model's, sealed as one."""

from service.store.sealing import join_headers, seal, split_headers, unseal

KEY = "ZmFrZS1mZXJuZXQta2V5LW9mLTMyLWJ5dGVzLWxvbmc="


def test_headers_of_two_targets_come_apart_again() -> None:
    """The same name may stand on both sides; neither gets the other's value."""
    endpoint, model = {"Authorization": "a", "X": "1"}, {"Authorization": "b"}
    sealed = seal(KEY, join_headers(endpoint, model))
    assert split_headers(unseal(KEY, sealed)) == (endpoint, model)
    assert split_headers(join_headers({}, {})) == ({}, {})
