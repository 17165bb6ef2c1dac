"""The public names of the client as Markdown: by kind, each documented by its docstrings."""

import inspect
import re
from collections.abc import Iterator
from enum import Enum
from types import ModuleType, NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import msgspec

MODULE = re.compile(r"\b(?:[a-z_]\w*\.)+(?=[A-Z])")


def describe(package: ModuleType) -> str:
    """Write a section for the classes to call, for errors, and for the structs of each topic."""
    sections: dict[str, list[str]] = {"Clients": [], "Functions": [], "Errors": []}
    for name in package.__all__:
        sections.setdefault(_section(getattr(package, name)), []).append(name)
    return "\n\n".join(
        "\n".join([f"## {title}", "", "```{eval-rst}", *_directives(package, names), "```"])
        for title, names in sections.items()
        if names
    )


def _section(member: object) -> str:
    """Return where a member stands: a struct by its topic, the rest by kind."""
    if not inspect.isclass(member):
        return "Functions"
    if issubclass(member, Exception):
        return "Errors"
    _, found, topic = member.__module__.partition("reteval.contract.")
    return f"Structs: {topic.replace('_', ' ')}" if found else "Clients"


def _directives(package: ModuleType, names: list[str]) -> Iterator[str]:
    for name in names:
        member = getattr(package, name)
        full = f"{package.__name__}.{name}"
        if not inspect.isclass(member):
            yield f".. {'autofunction' if inspect.isroutine(member) else 'autodata'}:: {full}\n"
            continue
        yield f".. autoclass:: {full}"
        if issubclass(member, msgspec.Struct):
            yield from ("", *_fields(member), "")
        elif issubclass(member, Enum):
            yield "   :members:\n   :undoc-members:\n"
        else:
            inherited = "" if issubclass(member, Exception) else "   :inherited-members:\n"
            yield f"   :members:\n{inherited}"


def _fields(struct: type[msgspec.Struct]) -> Iterator[str]:
    """Yield an item for each field: name, type without its bounds, and what it is if left out."""
    hints = get_type_hints(struct)
    for field in msgspec.structs.fields(struct):
        absent = "" if field.required else f", else ``{_default(field)}``"
        yield f"   - ``{field.encode_name}``: ``{_type(hints[field.name])}``{absent}"


def _type(hint: Any) -> str:
    if get_origin(hint) in (Union, UnionType):
        return " | ".join(map(_type, get_args(hint)))
    if hint is NoneType:
        return "None"
    return hint.__name__ if inspect.isclass(hint) else MODULE.sub("", str(hint))


def _default(field: msgspec.structs.FieldInfo) -> object:
    if field.default is not msgspec.NODEFAULT:
        return str(field.default) if isinstance(field.default, Enum) else repr(field.default)
    return repr(field.default_factory())
