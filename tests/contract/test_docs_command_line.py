"""The pages about the command line name what there is."""

import re
from pathlib import Path

from reteval.cli.command import COMMANDS
from reteval.cli.profiles import Profile, read_profiles
from reteval.cli.session import Exit
from reteval.contract.gates import EXIT_CODES
from tests.contract.test_docs import DOCS, ROOT, read_table


def test_table_of_fields_is_that_of_a_profile() -> None:
    """Each field of a profile has a row, in the order of the code."""
    rows = read_table("command-line.md", "field")
    assert tuple(row["field"] for row in rows) == Profile.__struct_fields__


def test_profile_of_the_page_is_read(tmp_path: Path) -> None:
    """The file on the page is one that is understood."""
    page = (DOCS / "command-line.md").read_text("utf-8")
    (text,) = re.findall(r"^```toml\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    path = tmp_path / "reteval.toml"
    path.write_text(text)
    assert {*read_profiles(path).profiles} == {"local", "staging"}


def test_table_of_exit_codes_is_whole() -> None:
    """Each code that a command or a gate ends with has a row."""
    rows = read_table("command-line.md", "code")
    assert [int(row["code"]) for row in rows] == sorted({*Exit} | {*EXIT_CODES.values()})


def test_every_command_stands_in_the_readme_of_the_client() -> None:
    """The table of commands names each once, and none that there is not."""
    readme = (ROOT / "clients" / "README.md").read_text("utf-8")
    table = readme.partition("| for | commands |")[2].partition("\n\n")[0]
    named = re.findall(r"`([a-z-]+)`", table)
    assert sorted(named) == sorted(COMMANDS)
