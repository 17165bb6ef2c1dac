"""`reteval open`: which page, and what where there is no browser."""

import msgspec
import pytest

from tests.unit.reteval.cli.places import a_place
from tests.unit.reteval.cli.test_command import command
from tests.unit.reteval.documents import URL, a_test_set, answer


@pytest.mark.parametrize(
    ("words", "path"),
    [
        ((), "/"),
        (("run_1",), "/runs/run_1"),
        (("cmp_1",), "/comparisons/cmp_1"),
        (("jdg_1",), "/judgings/jdg_1"),
        (("ts_1",), "/test-sets/ts_1"),
        (("run_1/../x",), "/runs/run_1%2F..%2Fx"),
    ],
)
def test_page_of_each_kind(words: tuple[str, ...], path: str) -> None:
    """The address is printed and opened, without a question to the service."""
    opened: list[str] = []
    place = a_place(browse=lambda address: not opened.append(address))
    code, out, err, _ = command("open", *words, answers=[], place=place)
    assert (code, out, err, opened) == (0, f"{URL}{path}\n", "", [URL + path])


def test_name_of_a_test_set() -> None:
    """A name leads to the page of its newest version; `--print` opens nothing."""
    place = a_place(browse=lambda _: pytest.fail("opened"))
    words = ("open", "my docs", "--print", "--json")
    code, out, _, service = command(*words, answers=[answer(a_test_set())], place=place)
    assert (code, msgspec.json.decode(out)) == (0, {"url": f"{URL}/test-sets/ts_1"})
    assert service.requests[0].url.raw_path == b"/v1/test-sets/my%20docs"


def test_machine_without_a_browser() -> None:
    """The address is there to be copied."""
    code, out, err, _ = command("open", "run_1", answers=[])
    assert (code, out) == (0, f"{URL}/runs/run_1\n")
    assert err == "no browser could be started: open the address yourself\n"
