"""A disk of a few megabytes that a test can fill, where the system lets us mount one."""

import contextlib
import errno
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec import Struct

CHUNK = b"\0" * 4096


class SmallDisk(Struct, frozen=True):
    """The disk, mounted on `path`."""

    path: Path

    def fill(self) -> None:
        """Take what is left of the space."""
        with (self.path / "filler").open("ab", buffering=0) as filler:
            try:
                while filler.write(CHUNK):
                    pass
            except OSError as exc:
                if exc.errno != errno.ENOSPC:
                    raise

    def free(self) -> None:
        """Give the space back."""
        (self.path / "filler").unlink()


@contextlib.contextmanager
def mount_disk(path: Path, *, megabytes: int = 8) -> Iterator[SmallDisk]:
    """Mount a small disk for as long as the block runs; skips the test where that is refused."""
    path.mkdir()
    size = f"size={megabytes}m,mode=0700"
    mount = ["mount", "-t", "tmpfs", "-o", size, "tmpfs", str(path)]
    if (
        sys.platform != "linux"
        or subprocess.run(mount, capture_output=True, check=False).returncode
    ):
        pytest.skip("a small disk can be mounted by root on Linux alone")
    try:
        yield SmallDisk(path)
    finally:
        subprocess.run(["umount", "--lazy", str(path)], check=True)
