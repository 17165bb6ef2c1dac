"""The columns that a caller chose: `query:Query Text,docid:Doc ID,rating:Rating`."""

import csv
from typing import Final

from reteval.contract.problems import ProblemItem
from service.errors import InvalidError

ROLES: Final = ("query", "query_id", "docid", "rating", "rater", "information_need")
_FIX: Final = (
    "Write role:column, by comma; roles are query, query_id, docid, rating, information_need, and "
    "rater as often as there are raters. Quote a pair whose column holds a comma."
)


def read_columns(text: str, header: list[str]) -> dict[str, list[str]]:
    """Read which of the header's columns has which role; names in lower case.

    Raises:
        InvalidError: a role or column that is none, or too few of them.
    """
    known = [cell.strip().lower() for cell in header]
    chosen: dict[str, list[str]] = {}
    for pair in next(csv.reader([text]), []):
        role, mark, column = (part.strip() for part in pair.partition(":"))
        name = column.lower()
        if not mark or role not in ROLES:
            raise _wrong(f"{pair[:200]!r} names no role")
        if known.count(name) != 1:
            times = "more than once" if name in known else "not"
            raise _wrong(f"the column {column[:200]!r} is {times} in the header")
        if role in chosen and role != "rater":
            raise _wrong(f"{role} is given twice")
        chosen.setdefault(role, []).append(name)
    if not ({"query", "query_id"} & set(chosen)):
        raise _wrong("no column holds the query")
    return chosen


def _wrong(message: str) -> InvalidError:
    item = ProblemItem(pointer="?columns", message=message, fix=_FIX)
    return InvalidError(f"{message}. {_FIX}", errors=[item])
