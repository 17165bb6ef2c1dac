"""Profiles: what a project or a person always writes, kept in a file and taken by its name.

What is written on the command line goes before variables, these before the profile, and that
before what the service takes where nothing is said.
"""

import argparse
import os
import shlex
import stat
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import Struct

from reteval._transport import DEFAULT_URL
from reteval.cli.arguments import UsageError
from reteval.cli.place import Place, Setting

PROJECT_FILE: Final = "reteval.toml"
URL_VARIABLE: Final = "RETEVAL_URL"
KEY_VARIABLE: Final = "RETEVAL_API_KEY"
PROFILE_VARIABLE: Final = "RETEVAL_PROFILE"
OWN_VARIABLES: Final = "RETEVAL_"
_OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO


class Profile(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A service, the key for it, and what runs take where the command line says nothing.

    `endpoint` is an address, or a table as the `endpoint` of a run.
    """

    url: str | None = None
    api_key: str | None = None
    api_key_env: str | None = None
    endpoint: str | dict[str, Any] | None = None
    test_set: str | None = None
    metrics: tuple[str, ...] = ()


class ProfileFile(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The content of a file; `profile` names the one that is taken unasked."""

    profile: str | None = None
    profiles: dict[str, Profile] = {}


class Chosen(Struct, frozen=True, kw_only=True):
    """A profile and where it stands; without a name, none was chosen. `shared`: in a project."""

    name: str = ""
    path: Path = Path()
    shared: bool = False
    profile: Profile = Profile()

    @property
    def source(self) -> str:
        """Name it for people."""
        return f"profile {self.name!r} of {self.path}"


class Access(Struct, frozen=True, kw_only=True):
    """The service and key to connect with, None where the client knows itself; and who said so."""

    url: str | None
    api_key: str | None
    settings: tuple[Setting, ...]


def profile_files(place: Place) -> list[Path]:
    """List the files that are looked into: that of the project, then that of the person.

    A project's is in the folder or above it, as far as its repository goes.
    """
    above = (place.folder, *place.folder.parents)
    root = next((n for n, folder in enumerate(above) if (folder / ".git").exists()), 0)
    own = Path(place.environ.get("XDG_CONFIG_HOME") or place.home / ".config")
    project = [folder / PROJECT_FILE for folder in above[: root + 1]]
    found = next((path for path in project if path.is_file()), project[0])
    return [found, own / "reteval" / "config.toml"]


def read_profiles(path: Path) -> ProfileFile:
    """Read a file; one that is not there holds nothing.

    Raises:
        UsageError: it is no TOML, or holds what no profile has.
    """
    try:
        document = tomllib.loads(path.read_text("utf-8"))
        return msgspec.convert(document, ProfileFile)
    except FileNotFoundError:
        return ProfileFile()
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, msgspec.ValidationError) as exc:
        fields = ", ".join(Profile.__struct_fields__)
        raise UsageError(f"{path}: {exc}; [profiles.NAME] may hold {fields}") from exc


def choose_profile(wanted: str | None, place: Place) -> Chosen:
    """Find the profile that is asked for, or the one that a file takes unasked.

    Raises:
        UsageError: there is none of this name, or a file cannot be read.
    """
    paths = profile_files(place)
    files = [read_profiles(path) for path in paths]
    unasked = (file.profile for file in files if file.profile)
    name = wanted or place.environ.get(PROFILE_VARIABLE) or next(unasked, None)
    if not name:
        return Chosen()
    for path, file in zip(paths, files, strict=True):
        if name in file.profiles:
            shared = path == paths[0]
            return Chosen(name=name, path=path, shared=shared, profile=file.profiles[name])
    known = ", ".join(name for file in files for name in file.profiles) or "none"
    looked = " and ".join(map(str, paths))
    raise UsageError(f"no profile {name!r} in {looked}; there is {known}: `reteval init` makes one")


def find_access(options: argparse.Namespace, chosen: Chosen, place: Place) -> Access:
    """Decide where the service is and with which key to go there.

    Raises:
        UsageError: the profile's key cannot be taken.
    """
    variables, profile = place.environ, chosen.profile
    url, url_source = _first(
        ("--url", options.url),
        (URL_VARIABLE, variables.get(URL_VARIABLE)),
        (chosen.source, profile.url),
    )
    key, key_source = _first(
        ("--api-key", options.api_key), (KEY_VARIABLE, variables.get(KEY_VARIABLE))
    )
    if not key:
        key, key_source = _first((chosen.source, _key_of(chosen, variables)))
    settings = (
        Setting(name="profile", value=chosen.name, source=str(chosen.path) if chosen.name else ""),
        Setting(name="url", value=url or DEFAULT_URL, source=url_source),
        Setting(name="api key", value="set" if key else "", source=key_source),
    )
    return Access(url=url, api_key=key, settings=settings)


def fill(options: argparse.Namespace, chosen: Chosen) -> tuple[Setting, ...]:
    """Put what the profile says where the command line is silent; tell who said what.

    Only what the command names in `profiled` is touched; `filled` tells what was.
    """
    options.filled = set()
    settings = []
    for name in options.profiled:
        given, offered = _given(options, name), getattr(chosen.profile, name)
        value, source = _first(("the command line", given), (chosen.source, offered))
        if value is not given:
            _put(options, name, value)
            options.filled.add(name)
        settings.append(Setting(name=name, value=_show(value), source=source))
    return tuple(settings)


def _first(*offers: tuple[str, Any]) -> tuple[Any, str]:
    """Return the first value that is one, and who said it."""
    return next(((value, source) for source, value in offers if value), (None, "default"))


def _key_of(chosen: Chosen, variables: Mapping[str, str]) -> str | None:
    profile = chosen.profile
    if profile.api_key and profile.api_key_env:
        raise UsageError(f"{chosen.source} has api_key and api_key_env: leave one of them out")
    if profile.api_key:
        _require_private(chosen.path)
        return profile.api_key
    name = profile.api_key_env
    if not name:
        return None
    if chosen.shared and not name.startswith(OWN_VARIABLES):
        # Whoever writes a project's file must not choose which secret goes to the url beside it.
        raise UsageError(
            f"api_key_env of {chosen.source} is {name!r}: in a project's file only variables that "
            f"begin with {OWN_VARIABLES} are taken"
        )
    if not variables.get(name):
        raise UsageError(f"{chosen.source} takes its key from {name}, which is not set: export it")
    return variables[name]


def _require_private(path: Path) -> None:
    if os.name == "posix" and path.stat().st_mode & _OTHERS:
        raise UsageError(
            f"{path} holds an api_key and others may read it: chmod 600 {shlex.quote(str(path))}, "
            "or name a variable in api_key_env"
        )


def _given(options: argparse.Namespace, name: str) -> Any:
    if name == "endpoint":
        return options.endpoint_url or options.endpoint
    return getattr(options, name)


def _put(options: argparse.Namespace, name: str, value: Any) -> None:
    if name == "endpoint" and isinstance(value, str):
        options.endpoint_url = value
    elif name == "metrics":
        options.metrics = ",".join(value)
    else:
        setattr(options, name, value)


def _show(value: Any) -> str:
    if isinstance(value, dict):
        return str(value.get("url", ""))
    return ", ".join(value) if isinstance(value, tuple) else str(value or "")
