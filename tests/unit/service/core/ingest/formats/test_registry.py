from typing import Any

import pytest

from reteval.contract.imports import ImportOptions, Sureness, Texts
from reteval.contract.testsets import Query, TestSetHead
from service.core.ingest.formats.files import File
from service.core.ingest.formats.format import Holds
from service.core.ingest.formats.reading import read_import
from service.core.ingest.formats.registry import FORMATS, find_format, likenesses
from service.core.ingest.formats.sample import Sample
from service.errors import InvalidError
from tests.unit.service.core.ingest.bodies import LAX, file, imported
from tests.unit.service.core.ingest.samples import (
    ASKED,
    BOTH,
    DOCUMENTS,
    JUDGMENTS,
    OPTIONS,
    PARTS,
    QUERIES,
    RUNS,
    SAMPLES,
)

UNTOLD = set(SAMPLES) - {"columns"}
ALONE = sorted(set(BOTH) - {"reteval_json", "reteval_jsonl"})


def sample(name: str) -> File:
    """The sample of a format as a file."""
    return file(SAMPLES[name], "upload", PARTS.get(name, ""))


def rows(queries: list[Query], *, by_id: bool = False) -> set[tuple[str, str, int]]:
    """The judgments of queries, by text or by id."""
    return {
        (one.id if by_id else one.query, str(judgment.id), judgment.grade)
        for one in queries
        for judgment in one.relevant or ()
    }


def test_every_format_has_a_sample() -> None:
    """No format goes without an example that is read in these tests; Parquet has its own."""
    assert {one.name for one in FORMATS} == {*SAMPLES, "parquet"}


@pytest.mark.parametrize("name", sorted(UNTOLD))
def test_sample_is_told_as_itself_and_as_nothing_else(name: str) -> None:
    """A file is recognised by its content alone, by one format and no other."""
    found = likenesses(Sample(sample(name), "utf-8"))
    assert [one.name for one, _ in found] == [name]
    assert all(likeness.why for _, likeness in found)


@pytest.mark.parametrize("name", sorted(UNTOLD))
def test_example_of_the_catalogue_is_of_its_format(name: str) -> None:
    """What the catalogue shows of a format is told as that format."""
    example = next(one.example for one in FORMATS if one.name == name)
    found = likenesses(Sample(file(example.encode(), "x", PARTS.get(name, "")), "utf-8"))
    assert [one.name for one, _ in found] == [name]


@pytest.mark.parametrize("name", ALONE)
def test_format_gives_queries_and_judgments(name: str) -> None:
    """The judgments of a sample are those that were written into it, under its texts."""
    body, expected = BOTH[name]
    found, draft, written = imported(file(body), head=LAX, **OPTIONS.get(name, {}))
    assert rows(written) == expected
    assert draft.stats.judgments == len(expected)
    assert [one.format for one in found.files] == [name]


@pytest.mark.parametrize("name", sorted(JUDGMENTS))
def test_format_gives_judgments_of_queries_in_another_file(name: str) -> None:
    """Judgments find their queries by id, whatever format these have."""
    body, expected = JUDGMENTS[name]
    numbered = name.startswith("smart")
    topics = "topics_smart" if numbered else "beir_queries"
    _, _, written = imported(file(body), file(ASKED[topics]), head=LAX)
    assert rows(written, by_id=True) == expected
    assert {one.query for one in written} == QUERIES


@pytest.mark.parametrize("name", sorted(ASKED))
def test_format_gives_queries(name: str) -> None:
    """Queries without judgments are queries all the same."""
    _, draft, written = imported(file(ASKED[name]), head=LAX)
    assert ({one.query for one in written}, draft.stats.unscorable) == (QUERIES, 2)


@pytest.mark.parametrize("name", sorted(DOCUMENTS))
def test_format_gives_the_ids_of_documents(name: str) -> None:
    """Judged ids that a corpus lacks are named; doc2 or 2 is in none of the samples."""
    judged, topics = ("smart_qrels", "topics_smart") if "smart" in name else ("trec_qrels", "srw")
    asked = ASKED["beir_queries" if topics == "srw" else topics]
    found, _, _ = imported(file(JUDGMENTS[judged][0]), file(asked), sample(name), head=LAX)
    (warning,) = [one for one in found.warnings() if one.code == "judged_not_in_corpus"]
    assert [row["judged"] for row in warning.evidence] == ["2" if "smart" in name else "doc2"]


@pytest.mark.parametrize("name", sorted(RUNS))
def test_run_is_sent_where_runs_are_read(name: str) -> None:
    """A file of rankings is no test set, and the refusal says where it belongs."""
    with pytest.raises(InvalidError) as caught:
        imported(sample(name))
    assert "POST /v1/rankings" in caught.value.errors[0].fix


@pytest.mark.parametrize("name", sorted(JUDGMENTS))
def test_judgments_alone_need_a_word(name: str) -> None:
    """Without texts a set cannot ask an endpoint: refused, unless ids may stand for them."""
    body, expected = JUDGMENTS[name]
    with pytest.raises(InvalidError, match="has no text in any file"):
        imported(file(body))
    found, _, written = imported(file(body), texts=Texts.IDS)
    assert rows(written) == expected
    assert "texts_missing" in [one.code for one in found.warnings()]


@pytest.mark.parametrize("name", ["reteval_json", "reteval_jsonl"])
def test_our_own_forms_are_left_to_their_readers(name: str) -> None:
    """They hold more than rows; beside another file they are refused."""
    found = read_import([sample(name)], ImportOptions(), TestSetHead())
    assert found.own is not None
    assert found.own[1] == name
    with pytest.raises(InvalidError, match="whole test set of our own"):
        read_import([sample(name), sample("trec_qrels")], ImportOptions(), TestSetHead())


@pytest.mark.parametrize(
    ("body", "options", "part"),
    [
        (b"hello world and nothing else here", {}, ""),
        (b'{"a": 1}', {}, ""),
        (b"[]", {}, ""),
        (b"", {}, ""),
        (b"x", {"format": "excel"}, ""),
        (b"q1 0 d 1", {}, "corpus"),
    ],
)
def test_unknown_content_is_refused_with_a_way_out(
    body: bytes, options: dict[str, Any], part: str
) -> None:
    """What no format fits is 422, says what was seen, and where the formats are listed."""
    with pytest.raises(InvalidError) as caught:
        find_format(Sample(file(body, "f", part), "utf-8"), ImportOptions(**options))
    assert caught.value.errors[0].fix


def test_named_format_decides_where_content_does_not() -> None:
    """A told format is believed, but not against content that is certain."""
    plain = Sample(file(b"just words\nand more words\n"), "utf-8")
    found, likeness = find_format(plain, ImportOptions(format="topics_tsv"))
    assert (found.name, likeness.sure) == ("topics_tsv", Sureness.TOLD)
    certain = Sample(sample("trec_qrels"), "utf-8")
    assert find_format(certain, ImportOptions(format="trec_qrels"))[0].holds is Holds.JUDGMENTS
    assert find_format(certain, ImportOptions(format="csv"))[0].name == "trec_qrels"
