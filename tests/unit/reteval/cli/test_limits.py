"""The command about limits."""

import msgspec
import pytest

from reteval.contract.quotas import TeamLimits
from tests.unit.reteval.cli.test_keeping import command
from tests.unit.reteval.documents import answer
from tests.unit.reteval.test_limits import ALLOWANCE


def test_limits_are_a_table() -> None:
    """A line a limit with what is used and left, then the bounds of a request."""
    code, out, _, _ = command("limits", answers=[answer(ALLOWANCE)])
    assert code == 0
    assert out.splitlines() == [
        "team search, key key_4Jw0",
        "limit               may  used   left  new",
        "requests in 60 s  1,200     3  1,197  in 1 s",
        "runs that wait    1,000    40    960",
        "queries a day         -     8      -  2026-12-01T00:00:00.000Z",
        (
            "a request: 10,000 bytes of JSON or 10,000 of NDJSON, 10,000 queries, depth 10,000, "
            "10000 metrics"
        ),
        "runs may call: public addresses, 3 more by the operator",
    ]


def test_limits_without_keys() -> None:
    """Where no keys are asked for there is no rate to tell."""
    local = msgspec.structs.replace(ALLOWANCE, rate=None, key="")
    out = command("limits", answers=[answer(local)])[1]
    assert out.startswith("team search\n")
    assert "requests in" not in out


def test_limits_as_json() -> None:
    """The document is the service's."""
    out = command("limits", "--json", answers=[answer(ALLOWANCE)])[1]
    assert msgspec.json.decode(out, type=type(ALLOWANCE)) == ALLOWANCE


def test_limits_of_a_team() -> None:
    """Its own ones only; set and cleared with one call each."""
    own = TeamLimits(test_sets=5, rate_requests=0)
    shown = command("limits", "--team", "search", answers=[answer(own)])
    assert shown[1] == "rate_requests=0\ntest_sets=5\n"
    words = ("--set", "test_sets=5", "--set", "rate_requests=0")
    done = command("limits", "--team", "search", *words, "--json", answers=[answer(own)])
    assert msgspec.json.decode(done[1]) == {"test_sets": 5, "rate_requests": 0}
    assert msgspec.json.decode(done[3].requests[0].content) == {"test_sets": 5, "rate_requests": 0}
    cleared = command("limits", "--team", "search", "--clear", answers=[answer(TeamLimits())])
    assert cleared[1] == "all as the deployment's\n"
    assert cleared[3].requests[0].content == b"{}"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--set", "test_sets=5"), "--team TEAM"),
        (("--clear",), "--team TEAM"),
        (("--team", "a", "--set", "runs=5"), "NAME=N"),
        (("--team", "a", "--set", "test_sets=-5"), "NAME=N"),
        (("--team", "a", "--set", "test_sets"), "NAME=N"),
    ],
)
def test_limits_that_cannot_be_set(words: tuple[str, ...], said: str) -> None:
    """A wrong command line says what to write, and sends nothing."""
    code, _, err, service = command("limits", *words, answers=[])
    assert code == 2
    assert said in err
    assert service.requests == []
