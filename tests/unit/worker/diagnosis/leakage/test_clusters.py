"""What hangs together."""

from worker.diagnosis.leakage.clusters import number_clusters


def test_pairs_make_clusters() -> None:
    """The largest is the first, whatever the order of the pairs; a repeat of itself is one."""
    numbers = number_clusters([(1, 2), (7, 7), (4, 5), (3, 2), (5, 4), (9, 3)])
    assert numbers == {1: 1, 2: 1, 3: 1, 9: 1, 4: 2, 5: 2, 7: 3}
    assert number_clusters([]) == {}
