import gzip
import json
from collections.abc import Callable

import pytest

from reteval.contract.rankings import Ranking
from service.core.ingest.rankings import read_rankings
from service.errors import InvalidError, MalformedJsonError, MalformedTextError, ServiceError
from tests.unit.service.core.ingest.bodies import DATA, zipped

TREC = b"""q1 Q0 b 1 0.5 tag
q1 Q0 a 2 0.9 tag
# a comment

q2\tQ0\tx  1 1.0 tag
q1 Q0 c 3 0.5 tag
"""


def test_trec_run_is_ordered_as_trec_eval_does() -> None:
    """Score falls, ties fall by document id, and the rank column says nothing."""
    assert list(read_rankings(TREC)) == [
        Ranking(query_id="q1", ids=["a", "c", "b"], scores=[0.9, 0.5, 0.5]),
        Ranking(query_id="q2", ids=["x"], scores=[1.0]),
    ]


def test_ranx_json_is_the_same_run() -> None:
    """The same scores as ranx writes them give the same rankings."""
    ranx = {"q1": {"b": 0.5, "a": 0.9, "c": 0.5}, "q2": {"x": 1.0}}
    assert list(read_rankings(json.dumps(ranx).encode())) == list(read_rankings(TREC))


LARGE = {"a": 2**60, "b": 2**60 + 1, "c": 2**60 + 2, "d": 2.0**60 - 200, "e": -(10**300)}


@pytest.mark.parametrize(
    "body",
    [
        "".join(f"q Q0 {doc} 1 {score} t\n" for doc, score in LARGE.items()),
        json.dumps({"q": LARGE}),
    ],
    ids=["trec", "ranx"],
)
def test_whole_scores_are_ordered_to_the_last_digit(body: str) -> None:
    """Scores that are one as floating point are still ordered as they are written."""
    (ranking,) = read_rankings(body.encode())
    assert ranking.ids == ["c", "b", "a", "d", "e"]
    assert ranking.scores == [2.0**60, 2.0**60, 2.0**60, 2.0**60 - 200, -1e300]


def test_real_scores_beyond_floating_point_keep_their_order() -> None:
    """The neighbours of a real run that only differ beyond 2^53 are ordered by what they are."""
    path = DATA / "cranfield/runs/typesense.run.gz"
    if not path.exists():
        pytest.skip(f"the shared collections are not beside this checkout: no {path.name}")
    written: dict[str, list[tuple[int, bytes]]] = {}
    for line in gzip.decompress(path.read_bytes()).splitlines():
        query, _, doc, _, score, _ = line.split()
        written.setdefault(query.decode(), []).append((int(score), doc))
    for ranking in read_rankings(path.read_bytes()):
        ordered = sorted(written[ranking.query_id], reverse=True)
        assert ranking.ids == [doc.decode() for _, doc in ordered]


def test_json_lines_keep_their_order() -> None:
    """Lists are rankings already: no score re-orders them, repeats and failures stay."""
    rows = [
        {"query_id": "q1", "ids": ["b", 7, "b"], "scores": [0.1, 0.9, 0.1]},
        {"query_id": "q2", "error": "timeout"},
        {"query_id": "q3"},
    ]
    body = "\n\n".join(json.dumps(row) for row in rows).encode()
    assert [(r.ids, r.error) for r in read_rankings(body)] == [
        (["b", 7, "b"], ""),
        ([], "timeout"),
        ([], ""),
    ]


@pytest.mark.parametrize(
    ("body", "row", "words"),
    [
        (b"q1 Q0 a 1 0.5\n", 1, "5 fields"),
        (b"q1 Q0 a 1 high t\n", 1, "no number"),
        (b"q1 Q0 a 1 inf t\n", 1, "not finite"),
        (b"q1 Q0 a 1 2 t\nq1 Q0 a 2 1 t\n", 2, "twice"),
        (b'{"query_id":"q","ids":["a"]}\n{"query_id":"q"}\n', 2, "row 1, too"),
        (b'{"query_id":"q","ids":["a"],"scores":[]}\n', 1, "differ in length"),
        (b'{"query_id":"q","ids":["a"],"error":"x"}\n', 1, "an error and documents"),
        (b'{"query_id":"q","ids":[true]}\n', 1, "Expected"),
        (b'{"query_id":"q"}\n{"query_id":\n', 2, "not JSON"),
        (b'{"query_id":"q","ids":["' + b"x" * 600 + b'"]}\n', 1, "longer than"),
    ],
)
def test_bad_rows_are_named(body: bytes, row: int, words: str) -> None:
    """A row that breaks a rule is refused with its number and what is wrong."""
    with pytest.raises(InvalidError) as caught:
        list(read_rankings(body))
    assert caught.value.errors[0].row == row
    assert words in caught.value.errors[0].message


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b'{"q": {"a": "high"}}', InvalidError),
        (b'{"q": {"a": 1}', MalformedJsonError),
        (b"q1 Q0 \xff 1 1.0 t\n", MalformedTextError),
    ],
)
def test_unreadable_bodies_are_refused(body: bytes, kind: type[ServiceError]) -> None:
    """A body that is not what its beginning promises is refused in words."""
    with pytest.raises(kind):
        list(read_rankings(body))


@pytest.mark.parametrize("pack", [gzip.compress, zipped], ids=["gzip", "zip"])
def test_packed_run_is_the_same_run(pack: Callable[[bytes], bytes]) -> None:
    """Runs are long, and people keep them packed."""
    assert list(read_rankings(pack(TREC))) == list(read_rankings(TREC))


def test_archive_of_several_runs_is_refused() -> None:
    """Which of two runs is meant is not guessed."""
    with pytest.raises(InvalidError) as caught:
        list(read_rankings(zipped(TREC, TREC)))
    assert caught.value.errors[0].message == "the archive holds 2 files"
