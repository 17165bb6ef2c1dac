from service.core.ingest.formats.documents import Documents
from service.core.ingest.formats.scratch import Scratch


def evidence(judged: list[str], *corpus: str, held: int = 3) -> tuple[str, list[tuple[str, str]]]:
    """What is said of ids that the corpus does not have."""
    documents = Documents(Scratch(), held=held)
    for start in range(0, len(judged), 2):
        documents.see(judged[start : start + 2])
    documents.check(lambda: corpus)
    (found,) = documents.warnings()
    return found.message, [(row["judged"], row["in_corpus"]) for row in found.evidence]


def test_judged_ids_are_counted_where_the_corpus_lacks_them() -> None:
    """Every judgment counts, and ids that the corpus spells with other zeros come first."""
    judged = ["d1", "d2", "d3", "d1", "d02", "d04", "d04", "x", "d3"]
    message, rows = evidence(judged, "d2", "d4", "d3")
    assert message.startswith("Judgments of documents that the corpus does not have: 6 of 9.")
    assert "3 would be there with other zeros." in message
    assert rows == [("d02", "d2"), ("d04", "d4"), ("d1", ""), ("x", "")]


def test_corpus_that_has_all_is_not_worth_a_word() -> None:
    """Where each judged id is there, or nothing was compared, nothing is said."""
    documents = Documents(Scratch())
    documents.see(["a", "b"])
    documents.check(lambda: ["b", "a", "c"])
    assert list(documents.warnings()) == []
    assert list(Documents(None).warnings()) == []
