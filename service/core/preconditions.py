"""Changing only what was read: the tag of a record's version, and the condition that names it."""

from typing import Final

from reteval.contract.entity_tags import tag_version
from service.errors import ChangedError
from service.store.versioned import ANY

ANYTHING: Final = "*"
"""In the place of an entity tag: whatever there is."""


def match_version(record_id: str, version: int, if_match: str) -> int:
    """Return the version that a change has to find: this one, or any where the caller says so.

    Raises:
        ChangedError: `if_match` names another one.
    """
    known = [tag.strip() for tag in if_match.split(",")]
    if ANYTHING in known:
        return ANY
    if tag_version(record_id, version) not in known:
        raise ChangedError(f"{record_id!r} is not what If-Match names; read it again, then repeat.")
    return version
