"""What importing the client costs beside bare httpx, in fresh interpreters, turn and turn about.

python benchmarks/imports.py --rounds 15
"""

import argparse
import os
import statistics
import subprocess
import sys
from typing import Final

GOAL_MS: Final = 150
CODES: Final = {
    "httpx": "import httpx",
    "reteval": "from reteval import AsyncClient, Client",
    "a part of it": "import reteval.contract.runs",
    "the command": "import reteval.cli",
}
PROBE: Final = (
    "import time\nwall, cpu = time.perf_counter(), time.process_time()\n{code}\n"
    "print(time.perf_counter() - wall, time.process_time() - cpu)"
)


def main() -> int:
    """Print a table, then the figure; 1 if it misses its goal."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    rounds = parser.parse_args().rounds
    for code in CODES.values():
        import_once(code)  # compiled from now on, as what pip installs is
    rows = [{name: import_once(code) for name, code in CODES.items()} for _ in range(rounds)]
    print(f"{'import':14}{'clock ms':>10}{'CPU ms':>10}{'CPU over httpx':>16}")
    for name in CODES:
        clock, cpu = (statistics.median(row[name][part] for row in rows) for part in (0, 1))
        print(f"{name:14}{clock:10.1f}{cpu:10.1f}{over_httpx(rows, name):16.1f}")
    found = over_httpx(rows, "reteval")
    print(f"figure client_import_over_httpx_ms {found:.1f} goal <= {GOAL_MS}")
    return int(found > GOAL_MS)


def over_httpx(rows: list[dict[str, tuple[float, float]]], name: str) -> float:
    """Return the median over rounds of the milliseconds more than httpx took in the same round.

    Of the processor: an import waits for nothing, and what else a machine does is not its cost.
    """
    return statistics.median(row[name][1] - row["httpx"][1] for row in rows)


def import_once(code: str) -> tuple[float, float]:
    """Return the milliseconds of clock and processor that an import takes in a new interpreter."""
    words = [sys.executable, "-c", PROBE.format(code=code)]
    environ = {name: os.environ[name] for name in os.environ if name != "PYTHONDONTWRITEBYTECODE"}
    ended = subprocess.run(words, check=True, capture_output=True, text=True, env=environ)
    clock, cpu = (1_000 * float(part) for part in ended.stdout.split())
    return clock, cpu


if __name__ == "__main__":
    sys.exit(main())
