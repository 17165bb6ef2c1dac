from pathlib import Path
from typing import Any

import msgspec
import pytest

from reteval.cli.arguments import (
    UsageError,
    head_of,
    relabel,
    require_one_source,
    run_request,
    target_words,
    tell_apart,
)
from reteval.cli.parser import build_parser
from reteval.contract.runs import RunRequest

SEARCH = "http://search.example/q"


def a_request(*argv: str) -> dict[str, Any]:
    """Build the body of a run from words."""
    return run_request(build_parser().parse_args(["run", "docs", *argv]))


def test_run_request_sends_only_what_was_given() -> None:
    """Defaults stay with the service."""
    assert {"test_set": "docs", "endpoint": {"url": SEARCH}} == a_request(SEARCH)


def test_run_request_with_everything() -> None:
    """Each option finds its field, and the whole is a valid request."""
    request = a_request(
        SEARCH,
        *("--label", "hybrid", "--metrics", "recall@5, mrr,", "--k", "1,5", "--depth", "20"),
        *("--adversarial", "quick", "--seed", "0", "--meta", "commit=4f=2a", "--meta", "branch="),
        *("--header", "Authorization: Bearer a:b", "--concurrency", "4", "--rate", "2.5"),
        *("--timeout", "3", "--retries", "0", "--max-error-rate", "0.1"),
    )
    expected = {
        "test_set": "docs",
        "endpoint": {"url": SEARCH, "headers": {"Authorization": "Bearer a:b"}},
        "label": "hybrid",
        "metrics": ["recall@5", "mrr"],
        "k_values": [1, 5],
        "depth": 20,
        "meta": {"commit": "4f=2a", "branch": ""},
        "adversarial": {"preset": "quick", "seed": 0},
        "limits": {
            "concurrency": 4,
            "rate_per_s": 2.5,
            "timeout_s": 3.0,
            "retries": 0,
            "max_error_rate": 0.1,
        },
    }
    assert expected == request
    assert "hybrid" == msgspec.convert(request, RunRequest).label


def test_run_request_with_an_endpoint_file(tmp_path: Path) -> None:
    """A description from a file is completed by what stands on the command line."""
    path = tmp_path / "endpoint.json"
    path.write_text('{"url": "http://old.example", "hits": "docs", "headers": {"A": "1"}}')
    request = a_request(SEARCH, "--endpoint", str(path), "--header", "B: 2")
    assert {"url": SEARCH, "hits": "docs", "headers": {"A": "1", "B": "2"}} == request["endpoint"]
    alone = a_request("--endpoint", str(path))
    assert "http://old.example" == alone["endpoint"]["url"]


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        ((), "no endpoint: write its URL"),
        ((SEARCH, "--seed", "7"), "add --adversarial PRESET"),
        ((SEARCH, "--k", "1,x"), "write whole numbers"),
        ((SEARCH, "--meta", "commit"), "write --meta K=V"),
        ((SEARCH, "--meta", "=x"), "write --meta K=V"),
        ((SEARCH, "--header", "s3cret"), "write --header 'Name: value'"),
    ],
)
def test_run_request_that_cannot_be_read(argv: tuple[str, ...], said: str) -> None:
    """The message says what to write, and never repeats what may be a secret."""
    with pytest.raises(UsageError) as caught:
        a_request(*argv)
    assert said in str(caught.value)
    assert "s3cret" not in str(caught.value)


@pytest.mark.parametrize("content", [b"[]", b"{", b'{"a": "\xff"}'])
def test_run_request_with_a_broken_endpoint_file(tmp_path: Path, content: bytes) -> None:
    """A file that is no JSON object is named."""
    path = tmp_path / "endpoint.json"
    path.write_bytes(content)
    with pytest.raises(UsageError, match=r"endpoint\.json' is no JSON object"):
        a_request("--endpoint", str(path))


def test_head_of_an_upload() -> None:
    """Only the options given become part of the head."""
    argv = ["upload", "a.csv", "--name", "docs", "--scale-max", "2", "--allow-unscorable"]
    expected = {"name": "docs", "scale_max": 2, "allow_unscorable": True}
    assert expected == head_of(build_parser().parse_args(argv))
    assert {} == head_of(build_parser().parse_args(["upload", "a.csv"]))


@pytest.mark.parametrize(
    ("argv", "fine"),
    [
        (["a.csv"], True),
        (["--topics", "t", "--qrels", "q"], True),
        ([], False),
        (["--topics", "t"], False),
        (["a.csv", "--qrels", "q"], False),
        (["a.csv", "--topics", "t", "--qrels", "q"], False),
    ],
)
def test_require_one_source(argv: list[str], fine: bool) -> None:  # noqa: FBT001 - a table
    """An upload is one file, or topics with qrels."""
    options = build_parser().parse_args(["upload", *argv])
    if fine:
        require_one_source(options)
        return
    with pytest.raises(UsageError, match="either FILE, or --topics"):
        require_one_source(options)


@pytest.mark.parametrize(
    ("argv", "test_set", "url"),
    [
        (("run", "docs", SEARCH), "docs", SEARCH),
        (("run", SEARCH), None, SEARCH),
        (("run", "docs"), "docs", None),
        (("run",), None, None),
        (("run", "docs", "search.example/q"), "docs", "search.example/q"),
        (("probe", SEARCH, "docs"), "docs", SEARCH),
        (("probe", "docs", SEARCH), "docs", SEARCH),
        (("probe", "docs"), "docs", None),
    ],
)
def test_words_are_told_apart(argv: tuple[str, ...], test_set: str | None, url: str | None) -> None:
    """An address is the endpoint's wherever it stands; one word without a scheme is a test set."""
    options = build_parser().parse_args(argv)
    tell_apart(options)
    assert (options.test_set, options.endpoint_url) == (test_set, url)


def test_target_words_leave_the_profile_out() -> None:
    """What was written is written again, what the profile said is not."""
    options = build_parser().parse_args(["run", "docs", SEARCH, "--endpoint", "e.json"])
    options.filled = set()
    assert target_words(options) == ["docs", SEARCH, "--endpoint", "e.json"]
    options.filled = {"test_set"}
    assert target_words(options) == [SEARCH, "--endpoint", "e.json"]
    options.filled = {"test_set", "endpoint"}
    assert target_words(options) == []
    options = build_parser().parse_args(["probe", "--query", "x"])
    options.filled = set()
    assert target_words(options) == []


@pytest.mark.parametrize(
    "words",
    [
        ["run", "docs", "--label", "a", "--wait"],
        ["run", "docs", "--label=a", "--wait"],
        ["run", "docs", "--wait"],
        ["run", "docs", "--wait", "--label"],
    ],
)
def test_relabel_changes_the_label_alone(words: list[str]) -> None:
    """Whichever way it was written, the old label is gone."""
    assert relabel(words, "b") == ["run", "docs", "--wait", "--label", "b"]
