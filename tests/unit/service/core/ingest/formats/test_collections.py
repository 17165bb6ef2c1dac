from typing import Any

import pytest

from reteval.contract.imports import Consensus, ImportOptions, Negatives, QueryIds, Texts
from reteval.contract.testsets import Scale, TestSetHead
from service.core.importing import Upload, preview_upload
from service.core.ingest.formats.files import File
from tests.unit.service.core.ingest.bodies import DATA, file

HEAD = TestSetHead(allow_unscorable=True, scale=Scale(50))
CRANFIELD = {"query_ids": QueryIds.ORDINAL, "reverse": "1-4", "negatives": Negatives.KEEP}
FINAL = {"columns": "query:query,docid:docid,rating:final_rating"}
IDS = {"texts": Texts.IDS}
RATED = "chorus/Broad_Query_Set_individual_ratings.csv.gz"
SCIFACT = ("scifact/topics.beir-v1.0.0-scifact.test.tsv.gz", "scifact/corpus.jsonl.gz")
BOOK = "quepid-haystack/haystack_rating_party_book.pseudonymised.json.gz"
CASE = "quepid-haystack/haystack_rating_party_case.pseudonymised.json.gz"

COLLECTIONS: dict[str, tuple[tuple[str, ...], dict[str, Any], tuple[int, int, int], set[str]]] = {
    "adi": (("adi/ADI.QRY", "adi/ADI.REL", "adi/ADI.ALL"), {}, (35, 35, 170), {"few_queries"}),
    "cisi": (
        ("cisi/CISI.QRY", "cisi/CISI.REL", "cisi/CISI.ALL.gz"),
        {},
        (112, 76, 3_114),
        {"unscorable"},
    ),
    "cranfield": (
        ("cranfield/cran.qry", "cranfield/cranqrel", "cranfield/cran.all.1400.gz"),
        CRANFIELD,
        (225, 225, 1_837),
        set(),
    ),
    "cacm": (
        ("cacm/topics.cacm.txt", "cacm/qrels.cacm.txt", "cacm/cacm.tar.gz"),
        {},
        (64, 52, 796),
        {"unscorable", "format_unsure", "judged_not_in_corpus"},
    ),
    "scifact": (
        (*SCIFACT, "scifact/qrels.beir-v1.0.0-scifact.test.txt"),
        {},
        (300, 300, 339),
        set(),
    ),
    "nfcorpus": (
        (
            "nfcorpus/topics.beir-v1.0.0-nfcorpus.test.tsv.gz",
            "nfcorpus/qrels.beir-v1.0.0-nfcorpus.test.txt.gz",
        ),
        {},
        (323, 323, 12_334),
        set(),
    ),
    "dl19": (
        ("trec-dl/topics.dl19-passage.txt", "trec-dl/qrels.dl19-passage.txt.gz"),
        {},
        (43, 43, 9_260),
        {"few_queries"},
    ),
    "dl20": (
        ("trec-dl/topics.dl20.txt", "trec-dl/qrels.dl20-passage.txt.gz"),
        {},
        (200, 54, 11_386),
        {"unscorable"},
    ),
    "dl-typo": (("dl-typo/query.typo.tsv", "dl-typo/qrels.txt"), {}, (60, 60, 3_811), set()),
    "shop15": (
        ("shop15/queries.tsv", "shop15/qrels.txt", "shop15/products.jsonl"),
        {},
        (5, 5, 8),
        {"few_queries", "format_unsure"},
    ),
    "trec_eval": (
        ("trec_eval/qrels.test.with-comments",),
        IDS,
        (3, 3, 3_681),
        {"few_queries", "texts_missing"},
    ),
    "trec_eval rel_level": (
        ("trec_eval/qrels.rel_level",),
        IDS | {"negatives": Negatives.KEEP},
        (3, 3, 3_681),
        {"few_queries", "texts_missing"},
    ),
    "ir_measures": (
        ("ir_measures/cwl.qrels",),
        IDS,
        (3, 3, 23),
        {"few_queries", "texts_missing"},
    ),
    "ranx trec": (("ranx/qrels.trec.gz",), IDS, (5_505, 5_505, 5_541), {"texts_missing"}),
    "ranx json": (("ranx/qrels.json",), IDS, (2, 2, 5), {"few_queries", "texts_missing"}),
    "chorus final": ((RATED,), FINAL, (135, 116, 3_188), {"unscorable"}),
    "chorus raters": (
        (RATED,),
        {"consensus": Consensus.MEDIAN},
        (135, 115, 3_188),
        {"unscorable", "raters_settled"},
    ),
    "chorus rated": (
        ("chorus/Broad_Query_Set_rated.csv.gz",),
        {},
        (135, 116, 3_668),
        {"unscorable"},
    ),
    "chorus basic": (
        ("chorus/Chorus_Electronics_basic.csv.gz",),
        {},
        (2, 2, 207),
        {"few_queries"},
    ),
    "quepid book": (
        (BOOK,),
        {},
        (137, 130, 1_358),
        {"unscorable", "raters_identical", "rows_unrated"},
    ),
    "dl-typo corrected": (("dl-typo/query.tsv", "dl-typo/qrels.txt"), {}, (60, 60, 3_811), set()),
    "dl-typo ms": (("dl-typo/query.typo.ms.tsv", "dl-typo/qrels.txt"), {}, (60, 60, 3_811), set()),
    "dl-typo py": (("dl-typo/query.typo.py.tsv", "dl-typo/qrels.txt"), {}, (60, 60, 3_811), set()),
    "ir_measures compat": (
        ("ir_measures/compat.qrels",),
        IDS,
        (2, 2, 311),
        {"few_queries", "texts_missing"},
    ),
    "ranx parquet": (("ranx/qrels.parquet",), IDS, (2, 2, 5), {"few_queries", "texts_missing"}),
    "ranx trec, small": (("ranx/qrels.trec",), IDS, (2, 2, 5), {"few_queries", "texts_missing"}),
    **{
        f"quepid {one}": (
            (f"quepid-haystack/haystack_rating_party_snapshot_{one}.json.zip",),
            {},
            (135, 129, 1_659),
            {"unscorable"},
        )
        for one in ("no-vector", "vector-2", "with-vector")
    },
    "quepid case": ((CASE,), {}, (137, 130, 1_679), {"unscorable"}),
    "rre": (("rre/ratings_example.json",), {}, (6, 6, 9), {"few_queries", "near_identical_texts"}),
}


def shared(name: str) -> File:
    """A file of the shared collections, as it is; packed ones of documents are the corpus."""
    if not (DATA / name).exists():
        pytest.skip(f"the shared collections are not beside this checkout: no {name}")
    return file((DATA / name).read_bytes(), name, "corpus" if name.endswith(".tar.gz") else "")


@pytest.mark.parametrize("name", sorted(COLLECTIONS))
async def test_collection_is_imported_from_its_original_files(name: str) -> None:
    """Queries, scorable ones and judgments are as published, and the traps are told."""
    names, options, counts, warned = COLLECTIONS[name]
    files = [shared(one) for one in names]
    preview = await preview_upload(Upload(files=files, head=HEAD, options=ImportOptions(**options)))
    assert preview.storable
    assert preview.stats is not None
    stats = preview.stats
    assert (stats.queries, stats.scorable, stats.judgments) == counts
    assert {str(one.code) for one in preview.warnings} == warned
    assert preview.queries[0].query


async def preview(*names: str, **options: Any) -> Any:
    """What would become of files of the shared collections."""
    sent = Upload(files=[shared(one) for one in names], head=HEAD, options=ImportOptions(**options))
    return await preview_upload(sent)


@pytest.mark.parametrize("ids", [QueryIds.FILE, QueryIds.NUMBER])
async def test_cranfield_is_not_taken_as_it_stands(ids: QueryIds) -> None:
    """Its numbering, its reversed scale and its -1 are told before anything is scored."""
    told = await preview("cranfield/cran.qry", "cranfield/cranqrel", query_ids=ids)
    assert not told.storable
    assert told.grades == {"-1": 225, "1": 128, "2": 387, "3": 734, "4": 363}
    assert set(told.reasons) == {"unknown_query", "negative_grade"}
    fixes = {str(one.code): one.fix for one in told.warnings}
    assert "reverse=1-4, and negatives=keep" in fixes["scale_reversed"]
    assert "query_ids=ordinal" in fixes["query_ids_misread"]
    assert {row.file for row in told.refused} == {"cranfield/cranqrel"}


async def test_zeros_that_keep_ids_apart_are_shown() -> None:
    """55 of CACM's 796 judgments name CACM-756 where the document is CACM-0756."""
    told = await preview("cacm/topics.cacm.txt", "cacm/qrels.cacm.txt", "cacm/cacm.tar.gz")
    (warning,) = [one for one in told.warnings if one.code == "judged_not_in_corpus"]
    assert "55 of 796" in warning.message
    assert "55 would be there with other zeros" in warning.message
    assert {"judged": "CACM-141", "in_corpus": "CACM-0141"} in warning.evidence


async def test_raters_who_differ_are_counted_before_a_rule_is_chosen() -> None:
    """Chorus has three raters for 3,188 pairs; they differ on 910."""
    told = await preview(RATED)
    assert (told.storable, told.rows.conflicts, told.rows.read) == (False, 910, 9_564)
    assert told.reasons == {"raters_differ": 910}


@pytest.mark.parametrize(
    "name",
    [
        "trec_eval/results.test",
        "trec_eval/prefs.rank20",
        "ranx/run.json",
        "shop15/minilm.run",
        "ir_measures/cwl.run",
    ],
)
async def test_real_run_is_told_from_judgments(name: str) -> None:
    """A run is named as one, whatever its separators."""
    told = await preview(name)
    assert told.reasons == {"is_a_run": 1}


async def test_real_preferences_are_told_from_judgments() -> None:
    """trec_eval's preferences are named, and how grades are written."""
    told = await preview("trec_eval/prefs.test")
    assert (told.storable, told.reasons) == (False, {"is_preferences": 1})
    assert "query iteration document grade" in told.refused[0].fix


async def test_rows_of_queries_without_text_are_refused_each() -> None:
    """All 3,681 judgments fall with the three queries that no file gives a text."""
    told = await preview("trec_eval/qrels.test")
    assert (told.rows.refused, told.rows.accepted, len(told.refused)) == (3_681, 0, 3)
