import hashlib
import json
from typing import Any

import pytest

from reteval.contract.testsets import Judgment, Query, TestSetHead
from service.core.ingest.canon import ContentHash
from tests.unit.service.core.ingest.bodies import (
    json_body,
    query,
    take_csv,
    take_json,
    take_ndjson,
    take_trec,
)

NOT_HASHED = {"source", "relevant_ids", "grades"}


def hash_of(*queries: Any, **head: Any) -> str:
    """The content hash of an upload."""
    return take_json(json_body(*queries, **head))[0].hash


def test_hash_is_the_documented_form() -> None:
    """A reader with another JSON library can recompute it."""
    head = {"relevant_from": 2, "scale": {"max": 5}, "language": "pt", "name": "ignored"}
    queries = [
        query("é\n\u2028\x7f", id="1", relevant_ids=["z", 5], grades=[2, 3], tags=["b", "a"]),
        query("n", id="2", expect="nothing", split="s", cluster_id="c", source="ignored"),
        query("v", id="3", parent="1", kind="k"),
    ]
    form: list[dict[str, Any]] = [
        {"form": 1, "relevant_from": 2, "scale_max": 5, "language": "pt"},
        {"id": "1", "query": "é\n\u2028\x7f", "relevant": {"z": 2, "5": 3}, "tags": ["a", "b"]},
        {"id": "2", "query": "n", "expect": "nothing", "split": "s", "cluster_id": "c"},
        {"id": "3", "query": "v", "parent": "1", "kind": "k"},
    ]
    text = "".join(
        json.dumps(line, sort_keys=True, separators=(",", ":"), ensure_ascii=False) + "\n"
        for line in form
    )
    assert hash_of(*queries, **head) == "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def test_hash_of_a_known_set_never_changes() -> None:
    """Hashes are stored: this one must hold for ever."""
    assert hash_of(query("q", id="1", relevant_ids=["d"])) == (
        "sha256:950947783cfc67bebc6bbbec1f5efbb8d3728f739338dd2156290d54f9d11945"
    )


@pytest.mark.parametrize(
    ("changed", "head"),
    [
        (query("a", id="x"), {}),
        (query("b"), {}),
        (query("a", relevant_ids=["e"]), {}),
        (query("a", relevant_ids=["d"], grades=[2]), {}),
        (query("a", relevant_ids=["d", "e"], grades=[1, 0]), {}),
        (query("a", tags=["t"]), {}),
        (query("a", split="s"), {}),
        (query("a", cluster_id="c"), {}),
        (query("a"), {"scale": {"max": 4}}),
        (query("a", relevant_ids=["d"], grades=[2]), {"relevant_from": 2}),
        (query("a"), {"language": "en"}),
        (query("a"), {"id_rule": "strip"}),
    ],
)
def test_hash_changes_with_all_that_can_change_a_number(
    changed: dict[str, Any], head: dict[str, Any]
) -> None:
    """Two sets that may score differently are two sets."""
    assert hash_of(changed, **head) != hash_of(query("a"))


def test_hash_changes_with_the_order_of_queries() -> None:
    """They are listed and sampled in that order."""
    assert hash_of(query("a"), query("b")) != hash_of(query("b"), query("a"))


@pytest.mark.parametrize(
    ("same", "head"),
    [
        (query("a", relevant_ids=["e", "d"], grades=[2, 1]), {}),
        (query("a", relevant_ids=["d", "e", "d"], grades=[1, 2, 1]), {}),
        (query("a", relevant=[{"id": "d"}, {"id": "e", "grade": 2}]), {}),
        (query("a", relevant_ids=["d", "e"], grades=[1, 2], source="logs"), {}),
        (query("a", relevant_ids=["d", "e"], grades=[1, 2]), {"name": "n"}),
        (query("a", relevant_ids=["d", "e"], grades=[1, 2]), {"allow_unscorable": True}),
        (query("a", relevant_ids=["d", "e"], grades=[1, 2]), {"scale": {"max": 3}}),
        (query("a", relevant_ids=["d", "e"], grades=[1, 2], split="", tags=[]), {}),
    ],
)
def test_hash_stays_when_no_number_can_change(same: dict[str, Any], head: dict[str, Any]) -> None:
    """Spelling, order of judgments, repeats, stated defaults and names are not content."""
    assert hash_of(same, **head) == hash_of(query("a", relevant_ids=["d", "e"], grades=[1, 2]))


def test_hash_covers_every_field_of_the_contract() -> None:
    """A field added to a query changes the hash, or is left out on purpose."""
    head = TestSetHead(allow_unscorable=True)
    full = Query(
        query="q",
        id="i",
        tags=["t"],
        split="s",
        expect="nothing",  # type: ignore[arg-type]
        cluster_id="c",
        parent="p",
        kind="k",
    )
    for name in set(Query.__struct_fields__) - NOT_HASHED:
        other = Query(
            **{n: getattr(full, n) for n in Query.__struct_fields__ if n != "query"}
            | {"query": full.query}
        )
        setattr(other, name, ["u"] if name == "tags" else "other")
        relevant = [Judgment("d")] if name == "relevant" else []
        digests = []
        for one, judged in ((full, []), (other, relevant)):
            content = ContentHash(head)
            content.add(one, judged)
            digests.append(content.digest())
        assert digests[0] != digests[1], name


def test_hash_does_not_depend_on_the_format() -> None:
    """One set in five spellings is one set."""
    ids = {"id": "1"}
    graded = query("red shoes", **ids, relevant_ids=[7, "b"], grades=[3, 0])
    spelt = query("red shoes", **ids, relevant=[{"id": "7", "grade": 3}, {"id": "b", "grade": 0}])
    hashes = {
        take_json(json_body(graded))[0].hash,
        take_json(json_body(spelt))[0].hash,
        take_ndjson(json.dumps(spelt).encode())[0].hash,
        take_csv(b"query_id,query,docid,rating\n1,red shoes,b,0\n1,red shoes,7,3\n")[0].hash,
        take_trec(b"1\tred shoes\n", b"1 0 7 3\n1 0 b 0\n")[0].hash,
    }
    assert len(hashes) == 1
