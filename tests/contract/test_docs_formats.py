from reteval.contract.imports import ImportOptions
from service.core.ingest.formats.registry import FORMATS
from tests.contract.test_docs import read_table, split_list


def test_formats_table_is_the_registry() -> None:
    """Each format has one row, in the registry's order, with what it holds and is."""
    rows = [tuple(row.values()) for row in read_table("formats.md", "format")]
    assert rows == [
        (one.name, str(one.holds), (one.about[:1].upper() + one.about[1:]).replace("`", ""))
        for one in FORMATS
    ]


def test_parameters_table_names_every_option_and_its_words() -> None:
    """Each option of an import has one row, and where it has words, all of them."""
    rows = {row["parameter"]: row["values"] for row in read_table("formats.md", "parameter")}
    assert list(rows) == list(ImportOptions.__struct_fields__)
    for name, kind in ImportOptions.__annotations__.items():
        words = getattr(kind, "__members__", None)
        if words is not None:
            assert split_list(rows[name]) == tuple(str(word) for word in words.values())
