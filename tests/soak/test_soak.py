"""One short soak among the other tests; `make soak` runs long ones."""

from pathlib import Path

from tests.faults.clock import build_clock
from tests.soak.history import Fault, Found, pick
from tests.soak.soak import soak

SEED = 7
SECONDS = 8.0


def test_short_soak_breaks_no_rule(tmp_path: Path) -> None:
    """Clients and a nemesis for some seconds: whatever died, the history holds."""
    verdict = soak(SEED, SECONDS, tmp_path, clock=build_clock(tmp_path))
    assert verdict.broken == {}, f"seed {SEED}, history {verdict.history}"
    assert pick(verdict.events, Fault)
    assert any(found.report for found in pick(verdict.events, Found))
