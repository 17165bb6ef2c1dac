"""Answers of later releases: fields that this release does not know are left out.

Structs that go both ways, such as an endpoint, refuse unknown fields, so that a service tells its
callers what they misspelt. In an answer, an unknown field is only news.
"""

from typing import Any, Final

import msgspec
from msgspec import inspect

_ARRAYS: Final[tuple[type, ...]] = (inspect.ListType, inspect.VarTupleType, inspect.TupleType)
_OBJECTS: Final[tuple[type, ...]] = (inspect.StructType, inspect.DictType)


def decode(body: bytes, expect: Any) -> Any:
    """Decode JSON as `expect`, whatever else the answer holds.

    Raises:
        msgspec.MsgspecError: it is not JSON, or not of this form.
    """
    try:
        return msgspec.json.decode(body, type=expect)
    except msgspec.ValidationError:
        known = _keep_known(msgspec.json.decode(body), inspect.type_info(expect))
        return msgspec.json.decode(msgspec.json.encode(known), type=expect)


def _keep_known(value: Any, kind: inspect.Type) -> Any:
    """Return the value without what its type does not name."""
    if isinstance(kind, inspect.UnionType):
        return _keep_known(value, _choose(value, kind))
    if isinstance(value, dict) and isinstance(kind, inspect.StructType):
        fields = {field.encode_name: field.type for field in kind.fields}
        tag = {kind.tag_field: kind.tag} if kind.tag_field else {}
        return tag | {
            name: _keep_known(part, fields[name]) for name, part in value.items() if name in fields
        }
    if isinstance(value, dict) and isinstance(kind, inspect.DictType):
        return {name: _keep_known(part, kind.value_type) for name, part in value.items()}
    if isinstance(value, list) and isinstance(kind, inspect.ListType | inspect.VarTupleType):
        return [_keep_known(part, kind.item_type) for part in value]
    if isinstance(value, list) and isinstance(kind, inspect.TupleType):
        return [_keep_known(part, one) for part, one in zip(value, kind.item_types, strict=False)]
    return value


def _choose(value: Any, union: inspect.UnionType) -> inspect.Type:
    """Return the member of a union that the value is written as."""
    wanted = _OBJECTS if isinstance(value, dict) else _ARRAYS
    members = [kind for kind in union.types if isinstance(kind, wanted)]
    tagged = [
        kind
        for kind in members
        if isinstance(value, dict)
        and isinstance(kind, inspect.StructType)
        and kind.tag_field
        and value.get(kind.tag_field) == kind.tag
    ]
    return next(iter(tagged or members), inspect.AnyType())
