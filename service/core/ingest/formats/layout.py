"""How records of JSON are described: where they stand, and what their members mean."""

from typing import Any

from msgspec import Struct

from service.core.ingest.formats.format import Holds

Paths = tuple[str, ...]


class Layout(Struct, frozen=True, kw_only=True):
    """A kind of record. Paths are dotted, the first that leads to something counts.

    `keys` must all be in a record, and one of `any_keys`. `under` are the members of a document
    that may hold the records; without one they are an array, or an object a line. Judgments are
    the objects under `judgments`, or the record itself; or `documents` lists ids that are
    relevant. In a judgment, `document` and `grade` are looked for in it and then in its record.
    """

    keys: frozenset[str]
    any_keys: frozenset[str] = frozenset()
    without: frozenset[str] = frozenset()
    objects: frozenset[str] = frozenset()
    under: tuple[str, ...] = ()
    query: Paths = ()
    id: Paths = ()
    documents: Paths = ()
    judgments: str = ""
    document: Paths = ()
    grade: Paths = ()
    rater: Paths = ()
    need: Paths = ()
    split: Paths = ()
    source: Paths = ()
    tags: Paths = ()
    failed: str = ""

    def fits(self, record: dict[str, Any]) -> bool:
        """Whether a record is one of these."""
        have = set(record)
        return (
            self.keys <= have
            and not self.without & have
            and (not self.any_keys or bool(self.any_keys & have))
            and all(isinstance(record[name], dict) for name in self.objects)
        )


class Shape(Struct, frozen=True, kw_only=True):
    """A format made of layouts; several where one file holds several lists."""

    name: str
    holds: Holds
    about: str
    example: str
    layouts: tuple[Layout, ...]
