"""A wrong clock for a program: `LD_PRELOAD` the library and set `CLOCK_SHIFT_S`."""

import shutil
import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).with_name("clock.c")


def build_clock(folder: Path) -> str:
    """Build the library into a folder; empty where there is no C compiler, or no Linux."""
    compiler = shutil.which("cc")
    if compiler is None or sys.platform != "linux":
        return ""
    library = folder / "clock.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-o", library, SOURCE, "-ldl"], check=True)
    return str(library)
