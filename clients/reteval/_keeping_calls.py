"""The calls about keeping: pins, usage, backups, and comparisons that are not kept."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from reteval._requests import JSON, Call, delete_at, get_from, post_to, segment
from reteval.contract.backups import MEDIA, BackupRequest, Restoration
from reteval.contract.runs import Run
from reteval.contract.usage import Usage

RESTORE_S: Final = 600.0
"""The answer comes when every object is checked and stored."""


def pin_run(run_id: str) -> Call[Run]:
    """Keep a run from expiring."""
    return post_to(_pin_of(run_id), Run)


def unpin_run(run_id: str) -> Call[None]:
    """Let a run expire."""
    return delete_at(_pin_of(run_id))


def delete_comparison(comparison_id: str) -> Call[None]:
    """Delete a comparison that has ended."""
    return delete_at(f"/v1/comparisons/{segment(comparison_id)}")


def get_usage() -> Call[Usage]:
    """Read what is kept."""
    return get_from("/v1/usage", Usage)


def post_backup(
    runs: Sequence[str], test_sets: Sequence[str], judgings: Sequence[str], *, everything: bool
) -> Call[None]:
    """Download a backup; it is written to a file, not kept as an answer."""
    asked = BackupRequest(
        runs=list(runs), test_sets=list(test_sets), judgings=list(judgings), all=everything
    )
    return post_to("/v1/backups", type(None), asked)


def post_restore(path: Path) -> Call[Restoration]:
    """Upload a backup; what is there already is skipped, so that repeating is harmless."""
    return Call(
        method="POST",
        path="/v1/restores",
        expect=Restoration,
        headers={"accept": JSON, "content-type": MEDIA},
        file=path,
        repeatable=True,
        extra_s=RESTORE_S,
    )


def _pin_of(run_id: str) -> str:
    return f"/v1/runs/{segment(run_id)}/pin"
