"""The routes of an OpenAPI document as Markdown: a table for each tag."""

import re
from collections import defaultdict
from typing import Any

SCOPE = re.compile(r"\s*Scope: (?P<scope>`[a-z:]+`(?: .*?)?)\.")


def describe(document: dict[str, Any]) -> str:
    """Write a section for each tag, with a row for each operation in the document's order."""
    tables: dict[str, list[str]] = defaultdict(list)
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            for tag in operation["tags"]:
                tables[tag].append(_row(method, path, operation))
    head = "| route | does | parameters | answers | scope |\n|---|---|---|---|---|\n"
    return "\n\n".join(
        f"## {tag.capitalize()}\n\n{head}" + "\n".join(rows) for tag, rows in sorted(tables.items())
    )


def _row(method: str, path: str, operation: dict[str, Any]) -> str:
    says = operation.get("description", "")
    found = SCOPE.search(says)
    does = f"{operation['summary']}. {SCOPE.sub('', says)}".strip()
    names = [f"`{item['name']}`" for item in operation.get("parameters", ()) if _is_own(item)]
    body = operation.get("requestBody", {}).get("content", {})
    names += [f"body: {schema}" for schema in dict.fromkeys(map(_schema, body.values())) if schema]
    cells = (
        f"`{method.upper()} {path}`",
        _escape(does),
        ", ".join(names),
        ", ".join(_answers(operation["responses"])),
        found["scope"] if found else "",
    )
    return f"| {' | '.join(cells)} |"


def _is_own(parameter: dict[str, Any]) -> bool:
    """Whether a parameter says something about this route: not its path, not plain HTTP."""
    return parameter["in"] == "query"


def _answers(responses: dict[str, dict[str, Any]]) -> list[str]:
    """Return the statuses that are no errors, each with what it brings."""
    return [
        " ".join(filter(None, (status, *map(_schema, answer.get("content", {}).values()))))
        for status, answer in responses.items()
        if status < "400"
    ]


def _schema(media: dict[str, Any]) -> str:
    reference = media.get("schema", {}).get("$ref", "")
    return f"`{reference.rpartition('/')[2]}`" if reference else ""


def _escape(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())
