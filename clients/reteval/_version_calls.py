"""The calls about versions of a test set, as values. No sockets, no HTTP library."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypedDict

import msgspec

from reteval._requests import JSON, Call, get_from, segment
from reteval._uploads import CSV, UPLOAD_S, media_type_of
from reteval.contract.testsets import TestSet
from reteval.contract.versions import ChangeSet, DiffPage, VersionPage

Changed = ChangeSet | Mapping[str, Any] | str | os.PathLike[str]


class RatingOptions(TypedDict, total=False):
    """What a table of ratings does not say itself."""

    note: str
    rater: str
    at: str
    source: str


def post_version(id_or_name: str, changes: Changed, options: RatingOptions) -> Call[TestSet]:
    """Build the change of a test set into a new version, by a document or a JSON or CSV file.

    Raises:
        OSError: a file that cannot be read.
        ValueError: options beside a document, which says these things itself.
    """
    given = {name: str(value) for name, value in options.items() if value is not None}
    content, file, media_type = None, None, JSON
    if isinstance(changes, (str, os.PathLike)):
        file = Path(changes)
        media_type = CSV if media_type_of(file) == CSV else JSON
    else:
        content = msgspec.json.encode(changes)
    if given and media_type == JSON:
        raise ValueError(f"{', '.join(given)}: a JSON change set says this itself")
    # Keyed although content decides: of a name, a repetition would change what came of the first.
    return Call(
        method="POST",
        path=f"{_path(id_or_name)}/versions",
        expect=TestSet,
        params=given,
        headers={"accept": JSON, "content-type": media_type},
        content=content,
        file=file,
        keyed=True,
        extra_s=UPLOAD_S,
    )


def get_versions(id_or_name: str, limit: int | None = None) -> Call[VersionPage]:
    """List the versions of a test set's name."""
    return get_from(f"{_path(id_or_name)}/versions", VersionPage, limit=limit)


def get_diff(id_or_name: str, against: str | None, limit: int | None = None) -> Call[DiffPage]:
    """List what a test set has and another one has not, and the other way round."""
    return get_from(f"{_path(id_or_name)}/diff", DiffPage, against=against, limit=limit)


def _path(id_or_name: str) -> str:
    return f"/v1/test-sets/{segment(id_or_name)}"
