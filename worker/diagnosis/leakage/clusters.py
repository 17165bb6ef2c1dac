"""Wordings that hang together, pair by pair."""

from collections import Counter
from collections.abc import Iterable


def number_clusters(pairs: Iterable[tuple[int, int]]) -> dict[int, int]:
    """Number the clusters of what occurs in pairs, largest first, from 1."""
    above: dict[int, int] = {}

    def find(one: int) -> int:
        above.setdefault(one, one)
        while above[one] != one:
            above[one] = above[above[one]]
            one = above[one]
        return one

    for left, right in pairs:
        above[find(right)] = find(left)
    roots = {one: find(one) for one in list(above)}
    sizes = Counter(roots.values())
    order = sorted(sizes, key=lambda root: (-sizes[root], root))
    numbers = {root: number for number, root in enumerate(order, start=1)}
    return {one: numbers[root] for one, root in roots.items()}
