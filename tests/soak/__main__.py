"""`python -m tests.soak`: some seeds, so many seconds each; exit 1 if a rule was broken."""

import argparse
import sys
import tempfile
from pathlib import Path

from tests.faults.clock import build_clock
from tests.soak.soak import Verdict, soak

HEAD = """\
| seed | faults | runs | requests | events | ended after | verdict |
|---|---|---|---|---|---|---|"""


def main() -> int:
    """Run the seeds one after the other and print what came of each."""
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.add_argument("--seed", type=int, default=0, help="one seed; 0: as many as --seeds")
    parser.add_argument("--seeds", type=int, default=10, help="default: %(default)s")
    parser.add_argument("--seconds", type=float, default=60.0, help="default: %(default)s")
    options = parser.parse_args()
    say(HEAD)
    verdicts = []
    for seed in [options.seed] if options.seed else range(1, options.seeds + 1):
        folder = Path(tempfile.mkdtemp(prefix=f"reteval-soak-{seed}-"))
        verdicts.append(soak(seed, options.seconds, folder, clock=build_clock(folder)))
        say(tell(verdicts[-1]))
    return int(any(verdict.broken for verdict in verdicts))


def tell(verdict: Verdict) -> str:
    """Return the row of a seed, and below it what it broke."""
    lines = [verdict.row()]
    for rule, violations in verdict.broken.items():
        lines.append(f"seed {verdict.seed}: {rule}, see {verdict.history}")
        lines += [f"  {violation}" for violation in violations[:5]]
    return "\n".join(lines)


def say(text: str) -> None:
    """Print at once, for whoever waits for the next seed."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
