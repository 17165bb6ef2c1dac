"""The documentation as one page, made from the OpenAPI document: no script, no outside address."""

from collections.abc import Sequence
from html import escape
from typing import Any, Final

from service.api.problems import error_kinds

CONTENT_SECURITY: Final = (
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'"
)
_STYLE: Final = """
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h3 code { background: #eef2f7; padding: .15rem .4rem; border-radius: .25rem; }
table { border-collapse: collapse; width: 100%; margin: .5rem 0; }
th, td { border: 1px solid #cbd5e1; padding: .3rem .6rem; text-align: left; vertical-align: top; }
@media (prefers-color-scheme: dark) {
  body { background: #0f172a; color: #e2e8f0; } a { color: #93c5fd; }
  h3 code { background: #1e293b; } th, td { border-color: #475569; }
}
"""


def render_docs(document: dict[str, Any]) -> str:
    """Render every operation by tag, then the table of errors."""
    by_tag: dict[str, list[str]] = {}
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            section = _operation(path, method, operation)
            by_tag.setdefault(operation["tags"][0], []).append(section)
    body = "".join(f"<h2>{escape(tag)}</h2>{''.join(parts)}" for tag, parts in by_tag.items())
    info = document["info"]
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(info['title'])} API</title><style>{_STYLE}</style></head><body>"
        f"<h1>{escape(info['title'])} {escape(info['version'])}</h1>"
        f"<p>{escape(info['description'])}</p>"
        '<p>Schemas of all bodies: <a href="/openapi.yaml">openapi.yaml</a>.</p>'
        f"{body}{_errors()}</body></html>"
    )


def _operation(path: str, method: str, operation: dict[str, Any]) -> str:
    about = operation.get("description", "")
    return (
        f'<h3 id="{escape(operation["operationId"])}">'
        f"<code>{method.upper()} {escape(path)}</code></h3>"
        f"<p>{escape(operation['summary'])}. {escape(about)}</p>"
        f"{_parameters(operation.get('parameters', ()))}{_bodies(operation)}"
        f"{_table(('answer', 'about'), _answers(operation))}"
    )


def _parameters(parameters: Any) -> str:
    rows = [
        (one["name"], one["in"], _shape(one["schema"]), one.get("description", ""))
        for one in parameters
    ]
    return _table(("parameter", "in", "value", "about"), rows) if rows else ""


def _shape(schema: dict[str, Any]) -> str:
    if "enum" in schema:
        return " | ".join(schema["enum"])
    bounds = [f"{name} {schema[name]}" for name in ("minimum", "maximum") if name in schema]
    default = [f"default {schema['default']}"] if schema.get("default") not in (None, "") else []
    return ", ".join([schema.get("type", ""), *bounds, *default])


def _bodies(operation: dict[str, Any]) -> str:
    media = operation.get("requestBody", {}).get("content", {})
    return f"<p>Body: {escape(', '.join(media))}</p>" if media else ""


def _answers(operation: dict[str, Any]) -> list[tuple[str, ...]]:
    return [(status, answer["description"]) for status, answer in operation["responses"].items()]


def _errors() -> str:
    rows = "".join(
        f'<tr id="error-{kind.code}"><td><code>{kind.code}</code></td><td>{kind.status}</td>'
        f"<td>{escape(kind.title)}. {escape(kind.about)}</td>"
        f"<td>{'yes' if kind.retryable else 'no'}</td></tr>"
        for kind in error_kinds()
    )
    head = "<tr><th>code</th><th>status</th><th>meaning</th><th>worth repeating</th></tr>"
    return f"<h2>errors</h2><table>{head}{rows}</table>"


def _table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    cells = "".join(f"<th>{escape(name)}</th>" for name in head)
    lines = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    return f"<table><tr>{cells}</tr>{lines}</table>"
