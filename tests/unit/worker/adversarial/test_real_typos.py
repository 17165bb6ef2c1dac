"""Our misspellings beside the 60 of DL-Typo, which people made, and beside uniform random edits.

DL-Typo takes 15 typos of each operator by design, so its shares of operators say nothing about
people; where a word is hit does.
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from msgspec import Struct
from scipy import stats

from reteval.contract.kinds import KINDS
from reteval.contract.testsets import Query
from worker.adversarial.draws import Draws
from worker.adversarial.misspelling import read_attested
from worker.adversarial.planning import Cell, Setting, make_variant
from worker.adversarial.variant import Variant
from worker.adversarial.vocabulary import Vocabulary
from worker.adversarial.words import content_words

SEEDS: Final = 40
LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"
SHAPES: Final = {(1, 0): "delete", (0, 1): "insert", (1, 1): "substitute", (2, 2): "transpose"}


class Slip(Struct, frozen=True):
    """An edit of one word: what was done, at which letter of how many, and if it (un)doubles."""

    operator: str
    at: int
    letters: int
    doubles: bool


@pytest.fixture
def pairs(shared_data: Path) -> list[tuple[str, str]]:
    """Return the clean queries with what people typed."""
    folder = shared_data / "dl-typo"
    if not folder.is_dir():
        pytest.skip("DL-Typo is not on this machine (../shared/data/dl-typo)")
    clean, typed = (read(folder / name) for name in ("query.tsv", "query.typo.tsv"))
    return [(text, typed[name]) for name, text in clean.items()]


def read(path: Path) -> dict[str, str]:
    """Read texts by query id."""
    rows = (line.partition("\t") for line in path.read_text("utf-8").splitlines())
    return {name: text.strip() for name, _, text in rows}


def find_slip(clean: str, typed: str) -> Slip | None:
    """Return the edit of the one word that differs; None where another number does."""
    differ = [
        pair for pair in zip(clean.split(" "), typed.split(" "), strict=False) if len(set(pair)) > 1
    ]
    if len(differ) != 1:
        return None
    word, other = differ[0]
    at = 0
    while at < min(len(word), len(other)) and word[at] == other[at]:
        at += 1
    end = 0
    while end < min(len(word), len(other)) - at and word[-1 - end] == other[-1 - end]:
        end += 1
    out, put = word[at : len(word) - end], other[at : len(other) - end]
    letter = out or put
    doubles = len(out) + len(put) == 1 and letter in (
        word[max(at - 1, 0) : at],
        word[at + len(out) : at + len(out) + 1],
    )
    return Slip(SHAPES.get((len(out), len(put)), "other"), at, len(word), doubles)


def slips_of(kind: str, queries: list[str]) -> Iterator[Slip]:
    """Yield what a kind does to the queries."""
    vocabulary = Vocabulary.build(queries, language="en", misspellings=read_attested())
    for seed in range(SEEDS):
        setting = Setting(seed=seed, vocabulary=vocabulary, taken=frozenset())
        for text in queries:
            made = make_variant(Query(id=text, query=text), Cell(KINDS[kind], 1), setting)
            if isinstance(made, Variant) and (slip := find_slip(text, made.text)):
                yield slip


def slip_anywhere(queries: list[str]) -> Iterator[Slip]:
    """Yield edits by any operator, at any letter, to any letter, of any content word."""
    for seed in range(SEEDS):
        draws = Draws(seed)
        for text in queries:
            words = content_words(text)
            if not words:
                continue
            word = draws.pick(words)
            operator = draws.pick(list(SHAPES.values()))
            places = len(word.text) + (operator == "insert") - (operator == "transpose")
            at = word.start + draws.index(places)
            put = draws.pick(LETTERS) if operator in {"insert", "substitute"} else ""
            if operator == "transpose":
                put = text[at + 1] + text[at]
            taken = {"insert": 0, "transpose": 2}.get(operator, 1)
            if slip := find_slip(text, text[:at] + put + text[at + taken :]):
                yield slip


def first_rate(slips: list[Slip]) -> float:
    """Return the share of slips at a word's first letter."""
    return sum(slip.at == 0 for slip in slips) / len(slips)


def thirds(slips: list[Slip]) -> list[float]:
    """Return the shares of slips in each third of the word."""
    found = Counter(min(2, 3 * slip.at // max(1, slip.letters - 1)) for slip in slips)
    return [found[third] / len(slips) for third in range(3)]


def test_people_seldom_miss_the_first_letter_and_nor_do_we(
    pairs: list[tuple[str, str]],
) -> None:
    """Wilson's interval of the real rate holds ours, and not that of uniform edits."""
    queries = [clean for clean, _ in pairs]
    real = [slip for pair in pairs if (slip := find_slip(*pair))]
    assert Counter(slip.operator for slip in real) == dict.fromkeys(SHAPES.values(), 15)
    hit = sum(slip.at == 0 for slip in real)
    low, high = stats.binomtest(hit, len(real)).proportion_ci(method="wilson")
    assert low < first_rate(list(slips_of("typo.mixed", queries))) < high
    assert first_rate(list(slip_anywhere(queries))) > high


def test_mixed_slips_fall_where_those_of_people_do(pairs: list[tuple[str, str]]) -> None:
    """By thirds of the word the real ones fit ours (chi-squared) and do not fit uniform edits."""
    queries = [clean for clean, _ in pairs]
    real = [slip for pair in pairs if (slip := find_slip(*pair))]
    counts = [share * len(real) for share in thirds(real)]
    p_of = [
        stats.chisquare(counts, [share * len(real) for share in thirds(list(slips))]).pvalue
        for slips in (slips_of("typo.mixed", queries), slip_anywhere(queries))
    ]
    assert p_of[0] > 0.05 > p_of[1]


def test_attested_misspellings_keep_the_first_letter_and_double_as_people_do(
    pairs: list[tuple[str, str]],
) -> None:
    """In both rates they lie nearer to the real typos than uniform edits do."""
    if read_attested() is None:
        pytest.skip("the list of attested misspellings is not installed (codespell)")
    queries = [clean for clean, _ in pairs]
    real = [slip for pair in pairs if (slip := find_slip(*pair))]
    ours, uniform = list(slips_of("misspelling.attested", queries)), list(slip_anywhere(queries))
    for rate in (first_rate, double_rate):
        assert abs(rate(ours) - rate(real)) < abs(rate(uniform) - rate(real)) / 2


def double_rate(slips: list[Slip]) -> float:
    """Return the share of left-out and added letters that make or break a double letter."""
    single = [slip for slip in slips if slip.operator in {"delete", "insert"}]
    return sum(slip.doubles for slip in single) / len(single)
