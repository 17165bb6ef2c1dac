"""Made-up searches: documents with ids of one kind, and answers that find some of them."""

import random
from collections.abc import Callable

from worker.diagnosis.ids.lists import IdLists

_WORDS = (
    "reset",
    "password",
    "refund",
    "invoice",
    "login",
    "export",
    "team",
    "token",
    "api",
    "sync",
)

Respell = Callable[[str], str]


def seeded(seed: int | str) -> random.Random:
    """Return a generator of test data."""
    return random.Random(seed)  # noqa: S311 - test data, not a secret


def name_documents(kind: str, rng: random.Random, n: int) -> list[str]:
    """Return the ids of `n` documents."""
    word = rng.choice
    makers: dict[str, Callable[[int], str]] = {
        "number": str,
        "padded": lambda i: f"{i:05d}",
        "doc": lambda i: f"doc-{i}",
        "slug": lambda i: f"{word(_WORDS)}-{word(_WORDS)}-{i}",
        "path": lambda i: f"guides/{word(_WORDS)}/{word(_WORDS)}_{i}.md",
        "url": lambda i: f"https://docs.example.com/{word(_WORDS)}/{i}",
        "uuid": lambda _: _uuid(rng),
        "accent": lambda i: f"café-{word(_WORDS)}-{i}",
        "mixed": lambda i: f"{word(_WORDS).title()}{word(_WORDS).title()}{i}",
    }
    return [makers[kind](i) for i in range(1, n + 1)]


def _uuid(rng: random.Random) -> str:
    plain = f"{rng.getrandbits(128):032x}"
    return "-".join((plain[:8], plain[8:12], plain[12:16], plain[16:20], plain[20:]))


def make_world(
    kind: str, rng: random.Random, *, queries: int = 40, depth: int = 10, documents: int = 600
) -> IdLists:
    """Return a search that finds the first of three relevant documents in 7 answers of 10."""
    names = name_documents(kind, rng, documents)
    judged, returned = [], []
    for _ in range(queries):
        relevant = rng.sample(names, 3)
        answer = rng.sample(names, depth)
        for document, chance in zip(relevant, (0.7, 0.4, 0.1), strict=True):
            if rng.random() < chance:
                answer.insert(rng.randrange(depth), document)
        judged.append(relevant)
        returned.append(list(dict.fromkeys(answer))[:depth])
    return IdLists(query_ids=[f"q{i}" for i in range(queries)], judged=judged, returned=returned)


def respell(lists: IdLists, *, judged: Respell = str, returned: Respell = str) -> IdLists:
    """Return the same search with its ids spelled otherwise."""
    return IdLists(
        query_ids=lists.query_ids,
        judged=[[judged(text) for text in ids] for ids in lists.judged],
        returned=[[returned(text) for text in ids] for ids in lists.returned],
    )
