"""Where a command is started, and what holds there."""

import os
import sys
import time
import webbrowser
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TextIO

from msgspec import Struct, field


class Place(Struct, frozen=True, kw_only=True):
    """Where a command is started: its variables, folder and home, its clocks and its doors."""

    environ: Mapping[str, str] = field(default_factory=lambda: os.environ)
    folder: Path = field(default_factory=Path.cwd)
    home: Path = field(default_factory=Path.home)
    stdin: TextIO = field(default_factory=lambda: sys.stdin)
    clock: Callable[[], float] = time.monotonic
    now: Callable[[], float] = time.time
    browse: Callable[[str], bool] = webbrowser.open


class Setting(Struct, frozen=True, kw_only=True):
    """What holds for this invocation, and who said so; `value` is never a secret."""

    name: str
    value: str
    source: str
