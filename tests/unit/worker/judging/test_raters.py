"""Several raters: Krippendorff's alpha and kappas of each two, and labels that were copied."""

import csv
import gzip
import json
from collections import defaultdict
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from worker.judging.raters import UNRATED, Ratings, compare

GOLDEN = Path(__file__).parents[3] / "golden" / "krippendorff.json"
_ = UNRATED
# Krippendorff, Computing Krippendorff's Alpha-Reliability (2011), section C: four observers,
# twelve units, values 1 to 5.
PUBLISHED = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, _, _, _],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, _, 3],
    [_, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, _],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, _],
]


def ratings(grades: Any, raters: str = "abcd") -> Ratings:
    """Return ratings, a query a pair."""
    table = np.array(grades)
    return Ratings(
        raters=tuple(raters[: table.shape[1]]), query=np.arange(len(table)), grades=table
    )


def test_the_published_example() -> None:
    """Missing values and a lone one included, ordinal alpha is 0.815."""
    found = compare(ratings(np.array(PUBLISHED).T), scale_max=5)
    assert found.alpha.value == pytest.approx(0.815, abs=5e-4)
    assert found.shared == 11


@pytest.mark.parametrize("case", json.loads(GOLDEN.read_text(encoding="utf-8")))
def test_alpha_agrees_with_krippendorff(case: dict[str, Any]) -> None:
    """Values that the package krippendorff 0.9.0 gives, for two to four raters with gaps."""
    found = compare(ratings(case["grades"]), scale_max=case["scale_max"])
    assert found.alpha.value == pytest.approx(case["alpha"], abs=1e-12)


def test_raters_who_share_nothing_are_not_compared() -> None:
    """Where no pair has two grades there is nothing to say."""
    found = compare(ratings([[1, _], [_, 1]]), scale_max=3)
    assert (found.shared, found.compared) == (0, ())
    assert (found.alpha.value, found.alpha.reason) == (None, "no_pairs")


def test_one_grade_alone_is_undefined() -> None:
    """All zeros agree, which says nothing."""
    found = compare(ratings([[0, 0]] * 80), scale_max=3)
    assert (found.alpha.value, found.alpha.reason) == (None, "one_class")
    assert found.compared[0].kappa.reason == "one_class"
    assert found.compared[0].exact.value == 1
    assert not found.too_perfect


def test_grades_off_the_scale_are_refused() -> None:
    """-2 is no grade and no gap."""
    with pytest.raises(ValueError, match="between 0 and 3"):
        compare(ratings([[-2, 1]]), scale_max=3)


def test_signed_difference_is_second_less_first() -> None:
    """Two raters of whom the second is lenient by half a grade."""
    found = compare(ratings([[1, 1], [1, 2]] * 10), scale_max=3).compared[0]
    assert (found.raters, found.pairs) == (("a", "b"), 20)
    assert found.signed_difference.value == 0.5


def test_three_real_raters_agree_as_published(shared_data: Path) -> None:
    """The raters of Chorus: kappa 0.68, 0.65 and 0.60, and nobody copied."""
    path = shared_data / "chorus" / "Broad_Query_Set_individual_ratings.csv.gz"
    if not path.exists():
        pytest.skip("needs the collection Chorus")
    with gzip.open(path, "rt", encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    raters = [f"agent_{number}_rating" for number in (1, 2, 3)]
    number = defaultdict(count().__next__)
    found = compare(
        Ratings(
            raters=raters,
            query=np.array([number[row["query"]] for row in rows]),
            grades=np.array([[int(row[rater] or UNRATED) for rater in raters] for row in rows]),
        ),
        scale_max=3,
    )
    kappas = [round(pair.kappa.value or 0, 2) for pair in found.compared]
    assert sorted(kappas, reverse=True) == [0.68, 0.65, 0.60]
    assert not found.too_perfect
    assert not any(pair.too_perfect for pair in found.compared)


def test_copied_labels_are_too_perfect(shared_data: Path) -> None:
    """The rating party of Haystack: 562 pairs graded twice, all equal, one rater in each."""
    path = shared_data / "quepid-haystack" / "haystack_rating_party_book.pseudonymised.json.gz"
    if not path.exists():
        pytest.skip("needs the collection of the Haystack rating party")
    pairs = json.loads(gzip.decompress(path.read_bytes()))["query_doc_pairs"]
    raters = sorted({given["user_email"] for pair in pairs for given in pair["judgements"]})
    grades = np.full((len(pairs), len(raters)), UNRATED)
    for row, pair in enumerate(pairs):
        for given in pair["judgements"]:
            if given["rating"] is not None:
                grades[row, raters.index(given["user_email"])] = int(given["rating"])
    number = defaultdict(count().__next__)
    query = np.array([number[pair["query_text"]] for pair in pairs])
    found = compare(Ratings(raters=raters, query=query, grades=grades), scale_max=3)
    assert (found.shared, found.unanimous) == (562, 562)
    assert found.alpha.value == 1
    assert found.too_perfect
    assert all("rater-02" in pair.raters for pair in found.compared)
