"""A backup on its way to a file: checked as it arrives, there only when it is whole."""

from pathlib import Path
from types import TracebackType
from typing import Self

from reteval.contract.backups import BrokenBackupError, FrameReader


class Download:
    """A file beside the one wanted, which it replaces once the last byte is checked."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._partial = path.with_name(f"{path.name}.part")
        self._frames = FrameReader()

    def __enter__(self) -> Self:
        self._file = self._partial.open("wb")
        return self

    def write(self, piece: bytes) -> None:
        """Take the next bytes.

        Raises:
            BrokenBackupError: they are none of a backup.
        """
        for _ in self._frames.feed(piece):
            pass
        self._file.write(piece)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        exc: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()
        try:
            if exc is None:
                self._frames.close()
        except BrokenBackupError:
            self._partial.unlink()
            raise
        if exc is None:
            self._partial.replace(self._path)
        else:
            self._partial.unlink()
