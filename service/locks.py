"""File locks between processes: the kernel gives one back when its last holder dies.

A lock belongs to the opened file, so a child that inherits the descriptor holds it, too.
"""

import fcntl
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

POLL_S: Final = 0.01


def open_lock(path: Path) -> int:
    """Open the lock file; closing the descriptor gives its lock back."""
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)


def take_shared(descriptor: int) -> bool:
    """Take the lock beside other sharers, unless somebody holds it alone."""
    return _take(descriptor, fcntl.LOCK_SH)


def take_alone(descriptor: int) -> bool:
    """Take the lock, unless anybody else holds it."""
    return _take(descriptor, fcntl.LOCK_EX)


def wait_until(reached: Callable[[], bool], seconds: float) -> bool:
    """Ask again and again until it is so, or the time is over."""
    deadline = time.monotonic() + seconds
    while not reached():
        if time.monotonic() > deadline:
            return False
        time.sleep(POLL_S)
    return True


def _take(descriptor: int, operation: int) -> bool:
    try:
        fcntl.flock(descriptor, operation | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
