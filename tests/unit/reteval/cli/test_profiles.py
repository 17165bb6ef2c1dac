"""Profiles: which file is read, what goes before what, and which keys are taken."""

import os
from pathlib import Path
from typing import Any

import pytest

from reteval.cli.arguments import UsageError
from reteval.cli.parser import build_parser
from reteval.cli.profiles import (
    Chosen,
    Profile,
    choose_profile,
    fill,
    find_access,
    profile_files,
)
from tests.unit.reteval.cli.places import a_place

SEARCH = "http://search.example/q"
TWO = """
profile = "one"
[profiles.one]
url = "http://one.example"
[profiles.two]
url = "http://two.example"
"""


def write(folder: Path, text: str) -> Path:
    """Write a project's file."""
    path = folder / "reteval.toml"
    path.write_text(text)
    return path


def options(*argv: str) -> Any:
    """Parse a command line."""
    return build_parser().parse_args(argv or ["usage"])


def a_choice(**fields: Any) -> Chosen:
    """Return a chosen profile of a project."""
    return Chosen(name="one", path=Path("reteval.toml"), shared=True, profile=Profile(**fields))


def test_project_goes_as_far_as_its_repository(tmp_path: Path) -> None:
    """The file above is found from within a repository, and never one above that."""
    inner = tmp_path / "repository" / "src"
    inner.mkdir(parents=True)
    write(tmp_path, TWO)
    place = a_place(folder=inner, home=tmp_path / "home")
    personal = tmp_path / "home" / ".config" / "reteval" / "config.toml"
    assert profile_files(place) == [inner / "reteval.toml", personal]
    (tmp_path / "repository" / ".git").mkdir()
    assert profile_files(place)[0] == inner / "reteval.toml"
    found = write(tmp_path / "repository", TWO)
    assert profile_files(place)[0] == found
    moved = a_place(folder=inner, environ={"XDG_CONFIG_HOME": "/elsewhere"})
    assert profile_files(moved)[1] == Path("/elsewhere/reteval/config.toml")


def test_profile_by_word_by_variable_and_unasked(tmp_path: Path) -> None:
    """The word goes before the variable, and that before what the file takes unasked."""
    write(tmp_path, TWO)
    plain, told = (
        a_place(folder=tmp_path),
        a_place(folder=tmp_path, environ={"RETEVAL_PROFILE": "two"}),
    )
    names = [choose_profile(*args).name for args in ((None, plain), (None, told), ("one", told))]
    assert names == ["one", "two", "one"]
    assert choose_profile(None, a_place(folder=tmp_path / "none")) == Chosen()


def test_profile_is_taken_whole_from_one_file(tmp_path: Path) -> None:
    """A project's address never gets the key that a person keeps under the same name."""
    personal = tmp_path / "reteval" / "config.toml"
    personal.parent.mkdir()
    personal.write_text('[profiles.one]\napi_key = "s"\n[profiles.three]\nurl = "http://three"\n')
    write(tmp_path, TWO)
    place = a_place(folder=tmp_path, environ={"XDG_CONFIG_HOME": str(tmp_path)})
    assert choose_profile("one", place).profile == Profile(url="http://one.example")
    third = choose_profile("three", place)
    assert (third.shared, third.path) == (False, personal)


@pytest.mark.parametrize(
    ("text", "wanted", "said"),
    [
        (TWO, "three", r"no profile 'three' in .*reteval\.toml and .*; there is one, two"),
        ("", "three", "there is none: `reteval init` makes one"),
        ("profile = ", None, r"reteval\.toml: .*\[profiles\.NAME\] may hold url, api_key"),
        ("[profiles.one]\nurls = 'x'", None, "unknown field `urls`"),
        ("[profiles.one]\nmetrics = 3", None, "metrics"),
    ],
)
def test_files_that_cannot_be_used(
    tmp_path: Path, text: str, wanted: str | None, said: str
) -> None:
    """The message names the file, the field and what there is."""
    write(tmp_path, text)
    with pytest.raises(UsageError, match=said):
        choose_profile(wanted, a_place(folder=tmp_path))


def test_file_that_is_no_text(tmp_path: Path) -> None:
    """Bytes that are no UTF-8 are told with the file."""
    (tmp_path / "reteval.toml").write_bytes(b"\xff")
    with pytest.raises(UsageError, match=r"reteval\.toml"):
        choose_profile(None, a_place(folder=tmp_path))


def test_word_before_variable_before_profile_before_default() -> None:
    """Each is told with who said it."""
    chosen = a_choice(url="http://profile.example", api_key_env="RETEVAL_OTHER")
    variables = {"RETEVAL_URL": "http://v.example", "RETEVAL_API_KEY": "v", "RETEVAL_OTHER": "p"}
    words = options("--url", "http://word.example", "--api-key", "w", "usage")
    cases = [
        (words, chosen, variables),
        (options(), chosen, variables),
        (options(), chosen, {"RETEVAL_OTHER": "p"}),
        (options(), Chosen(), {}),
    ]
    found = [find_access(given, one, a_place(environ=seen)) for given, one, seen in cases]
    assert [(one.url, one.api_key) for one in found] == [
        ("http://word.example", "w"),
        ("http://v.example", "v"),
        ("http://profile.example", "p"),
        (None, None),
    ]
    profile = "profile 'one' of reteval.toml"
    assert [[one.source for one in each.settings[1:]] for each in found] == [
        ["--url", "--api-key"],
        ["RETEVAL_URL", "RETEVAL_API_KEY"],
        [profile, profile],
        ["default", "default"],
    ]
    shown = [one.value for each in found for one in each.settings]
    assert not {"w", "v", "p"} & {*shown}
    assert shown[-2:] == ["http://127.0.0.1:8642", ""]


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"api_key": "s", "api_key_env": "RETEVAL_X"}, "leave one of them out"),
        ({"api_key_env": "AWS_SECRET_ACCESS_KEY"}, "only variables that begin with RETEVAL_"),
        ({"api_key_env": "RETEVAL_X"}, "takes its key from RETEVAL_X, which is not set"),
    ],
)
def test_keys_that_are_not_taken(fields: dict[str, str], said: str) -> None:
    """A project's file cannot choose which secret of the machine goes to its address."""
    place = a_place(environ={"AWS_SECRET_ACCESS_KEY": "secret"})
    with pytest.raises(UsageError, match=said):
        find_access(options(), a_choice(**fields), place)


def test_variable_of_any_name_in_ones_own_file() -> None:
    """What a person writes for themselves is theirs to choose."""
    chosen = Chosen(name="one", profile=Profile(api_key_env="MY_KEY"))
    assert find_access(options(), chosen, a_place(environ={"MY_KEY": "s"})).api_key == "s"


@pytest.mark.skipif(os.name != "posix", reason="modes are those of POSIX")
def test_key_in_a_file_that_others_may_read(tmp_path: Path) -> None:
    """A literal key is taken from a private file only, and the fix is a command."""
    path = write(tmp_path, 'profile = "one"\n[profiles.one]\napi_key = "s3cret"\n')
    place = a_place(folder=tmp_path)
    path.chmod(0o640)
    with pytest.raises(UsageError, match=r"chmod 600 .*reteval\.toml") as caught:
        find_access(options(), choose_profile(None, place), place)
    assert "s3cret" not in str(caught.value)
    path.chmod(0o600)
    assert find_access(options(), choose_profile(None, place), place).api_key == "s3cret"


def test_fill_takes_what_is_left_out() -> None:
    """The profile's test set, endpoint and metrics stand where the words are silent."""
    chosen = a_choice(endpoint=SEARCH, test_set="docs", metrics=("mrr", "ndcg@10"))
    silent = options("run")
    settings = fill(silent, chosen)
    assert (silent.test_set, silent.endpoint_url) == ("docs", SEARCH)
    assert (silent.metrics, silent.filled) == ("mrr,ndcg@10", {"test_set", "endpoint", "metrics"})
    assert [one.value for one in settings] == ["docs", SEARCH, "mrr, ndcg@10"]
    outspoken = options("run", "other", "http://x", "--metrics", "map")
    settings = fill(outspoken, chosen)
    assert (outspoken.test_set, outspoken.endpoint_url, outspoken.metrics) == (
        "other",
        "http://x",
        "map",
    )
    assert (outspoken.filled, {one.source for one in settings}) == (set(), {"the command line"})


def test_fill_takes_a_described_endpoint() -> None:
    """A table of the profile is the endpoint of the run; commands without one stay as they are."""
    described = {"url": SEARCH, "hits": "docs"}
    chosen = a_choice(endpoint=described)
    silent = options("run", "docs")
    (_, shown, metrics) = fill(silent, chosen)
    assert (silent.endpoint, shown.value) == (described, SEARCH)
    assert (metrics.value, metrics.source) == ("", "default")
    assert fill(options("results", "run_1"), chosen) == ()
