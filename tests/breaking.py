"""Finds what breaks a client between two OpenAPI documents of one API.

A request may only be asked for less, or allow more; an answer may only say more. A new value of an
enum in an answer is no break: clients are told that answers grow.
"""

from collections.abc import Iterator
from typing import Any

Document = dict[str, Any]
_LOWER = ("minimum", "exclusiveMinimum", "minLength", "minItems")
_UPPER = ("maximum", "exclusiveMaximum", "maxLength", "maxItems")


def find_breaks(old: Document, new: Document, *, prefix: str = "/v1") -> list[str]:
    """Return what the new document takes away from clients of the old one."""
    return sorted(set(_Comparison(old, new).breaks(prefix)))


class _Comparison:
    def __init__(self, old: Document, new: Document) -> None:
        self._old, self._new = old, new
        self._seen: set[tuple[str, str, bool]] = set()

    def breaks(self, prefix: str) -> Iterator[str]:
        for path, methods in self._old["paths"].items():
            if not path.startswith(prefix):
                continue
            for method, old in methods.items():
                place = f"{method.upper()} {path}"
                new = self._new["paths"].get(path, {}).get(method)
                if new is None:
                    yield f"{place}: gone"
                    continue
                yield from self._parameters(place, old, new)
                yield from self._body(place, old, new)
                yield from self._answers(place, old, new)

    def _parameters(self, place: str, old: Document, new: Document) -> Iterator[str]:
        before, after = (
            {(one["in"], one["name"]): one for one in document.get("parameters", ())}
            for document in (old, new)
        )
        for key, parameter in after.items():
            earlier = before.get(key, {})
            if parameter.get("required") and not earlier.get("required"):
                yield f"{place}: parameter {key[1]} is required now"
        for key, parameter in before.items():
            if key not in after:
                yield f"{place}: parameter {key[1]} is gone"
                continue
            where = f"{place} parameter {key[1]}"
            yield from self._shapes(where, parameter["schema"], after[key]["schema"], asked=True)

    def _body(self, place: str, old: Document, new: Document) -> Iterator[str]:
        before, after = (one.get("requestBody", {}).get("content", {}) for one in (old, new))
        yield from self._media(f"{place} body", before, after, asked=True)
        if after and not before:
            yield f"{place}: needs a body now"

    def _answers(self, place: str, old: Document, new: Document) -> Iterator[str]:
        for status, answer in old["responses"].items():
            if int(status) >= 400:
                continue
            later = new["responses"].get(status)
            if later is None:
                yield f"{place}: answers {status} no more"
                continue
            for name in set(answer.get("headers", ())) - set(later.get("headers", ())):
                yield f"{place} {status}: header {name} is gone"
            before, after = answer.get("content", {}), later.get("content", {})
            yield from self._media(f"{place} {status}", before, after, asked=False)

    def _media(self, place: str, old: Document, new: Document, *, asked: bool) -> Iterator[str]:
        for name, media in old.items():
            if name not in new:
                yield f"{place}: {name} is gone"
                continue
            yield from self._shapes(place, media["schema"], new[name]["schema"], asked=asked)

    def _shapes(self, place: str, old: Document, new: Document, *, asked: bool) -> Iterator[str]:
        pair = (str(old.get("$ref", "")), str(new.get("$ref", "")), asked)
        if all(pair[:2]):
            if pair in self._seen:
                return
            self._seen.add(pair)
            place = pair[0].rpartition("/")[2] + (" (sent)" if asked else " (answered)")
        old, new = _resolve(self._old, old), _resolve(self._new, new)
        if "anyOf" in old or "anyOf" in new:
            yield from self._options(place, old, new, asked=asked)
            return
        if old.get("type") != new.get("type"):
            yield f"{place}: {old.get('type')} became {new.get('type')}"
            return
        if asked:
            yield from _narrowed(place, old, new)
        yield from self._parts(place, old, new, asked=asked)

    def _options(self, place: str, old: Document, new: Document, *, asked: bool) -> Iterator[str]:
        """Each form that one side may write has to be one that the other side reads."""
        before, after = old.get("anyOf", [old]), new.get("anyOf", [new])
        for one in before if asked else after:
            pairs = [
                (one, other) if asked else (other, one) for other in (after if asked else before)
            ]
            known = set(self._seen)
            if not any(not [*self._shapes(place, *pair, asked=asked)] for pair in pairs):
                self._seen = known
                yield f"{place}: {one.get('$ref') or one.get('type')} is read no more"

    def _parts(self, place: str, old: Document, new: Document, *, asked: bool) -> Iterator[str]:
        before, after = old.get("properties", {}), new.get("properties", {})
        for name, shape in before.items():
            if name not in after:
                yield f"{place}: field {name} is gone"
                continue
            yield from self._shapes(f"{place}.{name}", shape, after[name], asked=asked)
        needed, was_needed = set(new.get("required", ())), set(old.get("required", ()))
        for name in sorted(needed - was_needed if asked else was_needed - needed):
            yield f"{place}: field {name} is {'required now' if asked else 'not always there'}"
        for key in ("items", "additionalProperties"):
            inner = (old.get(key), new.get(key))
            if isinstance(inner[0], dict) and isinstance(inner[1], dict):
                yield from self._shapes(f"{place}[]", inner[0], inner[1], asked=asked)


def _narrowed(place: str, old: Document, new: Document) -> Iterator[str]:
    gone = [value for value in old.get("enum", ()) if value not in new.get("enum", ())]
    if gone and "enum" in new:
        yield f"{place}: {gone} is refused now"
    for names, worse in ((_LOWER, lambda a, b: b > a), (_UPPER, lambda a, b: b < a)):
        for name in names:
            if name in new and (name not in old or worse(old[name], new[name])):
                yield f"{place}: {name} is {new[name]} now"


def _resolve(document: Document, shape: Document) -> Document:
    while "$ref" in shape:
        shape = document["components"]["schemas"][shape["$ref"].rpartition("/")[2]]
    return shape
