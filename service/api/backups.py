"""Routes of backups: runs, judgings and test sets out of the service as one file, and back."""

from typing import Final

from litestar import Response
from litestar.response import Stream

from reteval.contract.api_keys import Scope
from reteval.contract.audit import AuditEvent
from reteval.contract.backups import MEDIA, BackupRequest, Restoration
from service import errors
from service.api.bodies import (
    AnyRequest,
    NoParameters,
    check_media,
    read_body,
    read_query,
    stream_body,
)
from service.api.operations import BINARY, JSON, Answer, Operation, creates
from service.api.responses import answer, answer_stream
from service.api.runs import Deployed
from service.core.backups import back_up
from service.core.decoding import decode
from service.core.restores import restore

_TAG: Final = "backups"
_MAX_BYTES: Final = 2**40


@creates(
    "/backups",
    Operation(
        id="createBackup",
        tag=_TAG,
        scope=Scope.RESULTS_READ,
        summary="Download runs, judgings and test sets as one file",
        about=(
            "Streams whole ended runs, each with its test set, judgings with their pool, votes and "
            "queue, and test sets, with checksums; `all` takes everything. Who looked at the "
            "hold-outs of the runs is told, too. Endpoint secrets are never in it. Nothing is "
            "stored here. A file without its end is not complete."
        ),
        answers={200: Answer(about="The file", media={MEDIA: None})},
        body={JSON: BackupRequest},
        errors=(
            errors.MalformedJsonError,
            errors.NotFoundError,
            errors.NotTerminalError,
            errors.JudgingBusyError,
            errors.TooLargeError,
            errors.UnsupportedMediaTypeError,
            errors.InvalidError,
        ),
    ),
)
async def create_backup(request: AnyRequest, backend: Deployed) -> Stream:
    """Stream a backup."""
    check_media(request, (JSON,))
    read_query(request, NoParameters)
    asked = decode(await read_body(request), BackupRequest)
    return answer_stream(await back_up(backend, asked), media=MEDIA, filename="reteval.backup")


@creates(
    "/restores",
    Operation(
        id="createRestore",
        tag=_TAG,
        scope=Scope.RUNS_WRITE,
        event=AuditEvent.BACKUP_RESTORED,
        summary="Restore a backup",
        about=(
            "Ids are kept. An object that is here with the same content is skipped, one with "
            "other content is refused, but for judgings, which are kept as they are. Each object "
            "is restored whole or not at all; what stands "
            "before a refused or damaged one stays, so that the file can be sent again. The age "
            "of a restored run counts from now."
        ),
        answers={200: Answer(about="What became of each object", media={JSON: Restoration})},
        body={MEDIA: None, BINARY: None},
        errors=(
            errors.MalformedBackupError,
            errors.NotFoundError,
            errors.RestoreConflictError,
            errors.TooLargeError,
            errors.UnsupportedMediaTypeError,
            errors.InvalidError,
            errors.StorageFullError,
        ),
    ),
)
async def create_restore(request: AnyRequest, backend: Deployed) -> Response[bytes]:
    """Read a backup as it arrives."""
    check_media(request, (MEDIA, BINARY))
    read_query(request, NoParameters)
    return answer(await restore(backend, stream_body(request, max_bytes=_MAX_BYTES)))


HANDLERS: Final = (create_backup, create_restore)
