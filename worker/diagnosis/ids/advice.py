"""From a rule that was found to words, figures and the patch to paste."""

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from reteval.contract.id_rules import IdOp, OpName
from reteval.contract.probes import Suggestion
from worker.diagnosis.ids.search import Found
from worker.diagnosis.ids.transforms import Rule

_SAID: Final = {
    OpName.STRIP: "white space around the ids",
    OpName.UNWRAP: "quotes or brackets around the ids",
    OpName.CASEFOLD: "upper and lower case",
    OpName.UPPER: "upper and lower case",
    OpName.NFC: "two Unicode forms of one text",
    OpName.UNQUOTE: "percent escapes",
    OpName.INT_LIKE: "whole numbers written as decimals, such as 42.0",
    OpName.LSTRIP_ZEROS: "zero padding",
    OpName.ZFILL: "zero padding",
    OpName.UUID_DASHES: "UUIDs with and without dashes",
    OpName.UUID_PLAIN: "UUIDs with and without dashes",
    OpName.DROP_EXT: "a file extension",
    OpName.BASENAME: "the folder part of a path",
    OpName.DROP_SCHEME_HOST: "scheme and host of a URL",
    OpName.DROP_QUERY_FRAGMENT: "query and fragment of a URL",
    OpName.DROP_TRAILING_SLASH: "a slash at the end",
    OpName.STRIP_PREFIX: "a prefix on one side",
    OpName.STRIP_SUFFIX: "a suffix on one side",
    OpName.ADD_PREFIX: "a prefix on one side",
    OpName.ADD_SUFFIX: "a suffix on one side",
    OpName.SPLIT: "one part of a joined id, such as the document of a chunk",
    OpName.BEFORE_LAST: "a part at the end, such as the number of a chunk",
}


def suggest(found: Found, *, fields: dict[str, str] | None = None) -> Suggestion:
    """Turn a rule into a suggestion; `fields` are expressions of the endpoint to set as well."""
    cause = describe(found.rule)
    parts = [f"read from {_spell(fields)}"] if fields else []
    parts += [f"evened out for {cause}"] if cause else []
    what = " and ".join(parts)
    return Suggestion(
        message=f"With ids {what}, {found.after.met} of {found.after.answers} answers hold a "
        f"judged id (now {found.before.met}).{_warn(found)}",
        patch=patch_of(found.rule, fields or {}),
        before=found.before.show(),
        after=found.after.show(),
        examples=found.examples,
        roll_up=found.roll_up,
        proven=found.proven,
    )


def describe(rule: Rule) -> str:
    """Name what a rule evens out."""
    causes = dict.fromkeys(_SAID[op.op] for op in (*rule.returned, *rule.judged))
    return " and ".join(causes)


def patch_of(rule: Rule, fields: dict[str, str]) -> dict[str, Any]:
    """Return what to merge into the body of a run, and what to do to the test set's ids."""
    patch: dict[str, Any] = {}
    endpoint: dict[str, Any] = dict(fields)
    if rule.returned:
        endpoint["id_rule"] = _plain(rule.returned)
    if endpoint:
        patch["endpoint"] = endpoint
    if rule.judged:
        patch["test_set"] = {"id_rule": {"side": "judged", "ops": _plain(rule.judged)}}
    return patch


def tell_fix(suggestion: Suggestion) -> str:
    """Say what to do with a patch."""
    steps = []
    if "endpoint" in suggestion.patch:
        patch = msgspec.json.encode(suggestion.patch["endpoint"]).decode()
        steps.append(f"merge {patch} into the endpoint")
    if "test_set" in suggestion.patch:
        ops = msgspec.json.encode(suggestion.patch["test_set"]["id_rule"]["ops"]).decode()
        steps.append(f"respell the judged ids by {ops} and upload the test set anew")
    text = ", and ".join(steps)
    return f"{text[0].upper()}{text[1:]}. Nothing was changed."


def _warn(found: Found) -> str:
    parts = []
    if found.roll_up:
        parts.append(" Several returned ids become one document (roll-up): read k as parts.")
    if not found.proven:
        parts.append(" So few answers cannot rule out chance: check the pairs by eye.")
    return "".join(parts)


def _spell(fields: dict[str, str]) -> str:
    return " and ".join(f"{name} {expression!r}" for name, expression in fields.items())


def _plain(ops: Sequence[IdOp]) -> Any:
    return msgspec.to_builtins(list(ops))
