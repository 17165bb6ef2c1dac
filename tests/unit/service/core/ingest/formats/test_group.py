from msgspec import structs

from service.core.ingest.formats.group import Group, Groups, Numbers
from service.core.ingest.formats.scratch import Scratch
from service.core.ingest.formats.votes import Cast, Votes

CAST = Cast("doc", 1, 1, 0, 0)


def fill(*names: str, most: int = 3, asked: bool = True) -> tuple[Groups, Votes]:
    """Queries by these ids, of which at most three are at hand; and no votes."""
    scratch = Scratch()
    groups, votes = Groups(scratch, most=most), Votes(scratch)
    for at, name in enumerate(names, 1):
        groups.add(Group(id=name, text=f"text {name}", at=at, origin=0, asked=asked))
    return groups, votes


def test_queries_are_found_after_they_were_put_away() -> None:
    """Each is found by its id, or by its text if it has none, with what was changed of it."""
    groups, _ = fill(*"abcdefgh")
    groups.add(Group(id="", text="a", at=9, origin=1, tags=("faq",)))
    assert len(groups.recent) < 8
    for name in "abcdefgh":
        found = groups.find(name, "")
        assert found is not None
        found.need = f"need {name}"
        groups.save(found)
    assert groups.find("z", "a") is None
    nameless = groups.find("", "a")
    assert nameless is not None
    assert (nameless.at, nameless.tags) == (9, ("faq",))
    kept = list(groups)
    assert [one.n for one in kept] == list(range(9))
    assert [one.need for one in kept] == [f"need {name}" for name in "abcdefgh"] + [""]
    assert structs.replace(kept[0], need="") == Group(
        id="a", text="text a", at=1, origin=0, asked=True, n=0
    )


def test_numbers_are_counted_where_all_ids_are() -> None:
    """Asked and judged ids are counted as numbers, those of unknown queries among them."""
    groups, votes = fill("1", "4", "9")
    votes.add(0, CAST)
    votes.add(2, CAST)
    votes.write()
    assert groups.count_numbers(["2", "04"]) == Numbers(3, 9, 4, 9, 3)
    assert groups.count_numbers(["2", "x"]) is None


def test_ids_that_are_no_numbers_are_not_counted() -> None:
    """One id with a letter, no votes, or no file of queries, and there is nothing to compare."""
    assert fill("1", "q2")[0].count_numbers(["1"]) is None
    assert fill("1", "2")[0].count_numbers([]) is None
    assert fill("1", "2", asked=False)[0].count_numbers(["1"]) is None
