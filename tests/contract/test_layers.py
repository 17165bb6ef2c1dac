"""The arrows between the layers: who may import whom, and where each library lives.

Every import statement counts, wherever it stands: inside a function or for types only, too.
"""

import ast
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = {"service": "service", "worker": "worker", "reteval": "clients/reteval"}

# Every module may import its own package and `reteval.contract`; the longest prefix decides.
ARROWS: dict[str, tuple[str, ...]] = {
    "reteval.contract": (),
    "reteval": (),
    "service": (),
    "service.errors": (),
    "service.redis_url": (),
    "service.settings": ("service.redis_url",),
    "service.locks": (),
    "service.server_log": (),
    "service.logs": (),
    "service.tracing": (),
    "service.sessions": (),
    "service.stderr": (),
    "service.egress": (),
    "service.store": ("service.errors", "service.redis_url"),
    "service.queue": ("service.errors", "service.redis_url"),
    "service.reaper": ("service.store", "service.queue", "service.errors"),
    "service.core": (
        "service.store",
        "service.queue",
        "service.egress",
        "service.errors",
        "service.tracing",
    ),
    "service.api": ("service.core", "service.errors", "service.logs", "service.tracing"),
    # Pages are behind the same guard, and read requests as the API does.
    "service.pages": ("service.api", "service.core", "service.errors"),
    "service.app": (
        "service.api",
        "service.pages",
        "service.core",
        "service.store",
        "service.queue",
        "service.egress",
        "service.reaper",
        "service.settings",
        "service.stderr",
        "service.errors",
        "service.logs",
        "service.tracing",
    ),
    "service.admin": (
        "service.core",
        "service.embedded",
        "service.queue",
        "service.settings",
        "service.store",
    ),
    "service.embedded": ("service.locks", "service.server_log"),
    "service.supervisor": ("service.embedded", "service.sessions", "service.settings"),
    "service.standalone": ("service.embedded", "service.supervisor", "service.settings"),
    "service.__main__": (
        "service.admin",
        "service.app",
        "service.errors",
        "service.embedded",
        "service.errors",
        "service.logs",
        "service.standalone",
        "service.supervisor",
        "service.settings",
        "service.stderr",
    ),
    "worker": (),
    "worker.metrics": (),
    "worker.adversarial": (),
    "worker.diagnosis": (),
    "worker.search": ("service.egress", "service.store", "service.errors"),
    "worker.pipeline": ("worker.metrics", "worker.adversarial", "worker.diagnosis"),
    "worker.comparison": ("worker.metrics",),
    "worker.judging": ("worker.metrics",),
    "worker.jobs": (
        "worker.comparison",
        "worker.judging",
        "worker.pipeline",
        "worker.search",
        "service.egress",  # the policy that search applies is built from the settings here
        "service.store",
        "service.queue",
        "service.reaper",
        "service.settings",
        "service.errors",
        "service.tracing",
    ),
    "worker.webhooks": (
        "worker.search",
        "service.egress",
        "service.store",
        "service.settings",
        "service.errors",
    ),
    "worker.__main__": (
        "worker.jobs",
        "worker.webhooks",
        "worker.pipeline",
        "worker.search",
        "service.store",
        "service.queue",
        "service.reaper",
        "service.settings",
        "service.stderr",
        "service.errors",
        "service.logs",
        "service.tracing",
    ),
}

# The only places that may import a library.
HOMES: dict[str, tuple[str, ...]] = {
    "litestar": ("service.api", "service.app", "service.pages"),
    "granian": ("service.__main__",),
    "rq": ("service.queue", "worker.jobs", "worker.__main__"),
    "redis": ("service.store", "service.queue", "service.redis_url", "service.embedded"),
    "numpy": ("worker",),
    "scipy": ("worker",),
    "httpx": ("reteval", "worker.search"),
    "aiohttp": ("worker.search",),
    "opentelemetry": ("service.tracing",),
    "prometheus_client": ("service.api",),
    "jinja2": ("service.pages.rendering",),
    "vl_convert": ("service.pages.charts.drawing",),
    # Nothing else may open a way out: the egress policy is applied in one place.
    "socket": ("service.standalone", "worker.search"),
    "http.client": ("service.standalone",),
    "urllib.request": (),
    "requests": (),
}


def module_files(root: Path) -> dict[str, Path]:
    """Every source module by its import name."""
    files = {}
    for package, folder in SOURCES.items():
        for path in sorted((root / folder).rglob("*.py")):
            parts = path.relative_to(root / folder).with_suffix("").parts
            name = ".".join((package, *(part for part in parts if part != "__init__")))
            files[name] = path
    return files


def imports(path: Path, known: dict[str, Path]) -> Iterator[str]:
    """The names that a module imports; `from a import b` is `a.b` where that is a module."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield inner if inner in known else str(node.module)


def within(module: str, prefixes: tuple[str, ...]) -> bool:
    """Whether the module is one of these, or inside one."""
    return any(module == prefix or module.startswith(f"{prefix}.") for prefix in prefixes)


def layer(module: str) -> str:
    """The longest entry of the table that holds the module."""
    return max((name for name in ARROWS if within(module, (name,))), key=len)


def violations(root: Path) -> list[str]:
    """What breaks the table, one line each."""
    known = module_files(root)
    found = []
    for module, path in known.items():
        own = layer(module)
        allowed = (*ARROWS[own], "reteval.contract")
        for name in imports(path, known):
            library = name.partition(".")[0]
            if library == "clients":
                found.append(f"{module} imports {name}: import reteval")
            elif library in SOURCES and layer(name) != own and not within(name, allowed):
                found.append(f"{module} -> {name}")
            found += [
                f"{module} imports {home}"
                for home, inside in HOMES.items()
                if within(name, (home,)) and not within(module, inside)
            ]
    return found


def circle(root: Path) -> list[str]:
    """The modules of a circle of imports, if there is one."""
    known = module_files(root)
    graph = {
        module: {name for name in imports(path, known) if name in known and name != module}
        for module, path in known.items()
    }
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as exc:
        return [str(name) for name in exc.args[1]]
    return []


def plant(root: Path, module: str, source: str) -> None:
    """Write a module into a tree of the same shape."""
    package, _, rest = module.partition(".")
    path = root / SOURCES[package] / f"{rest.replace('.', '/')}.py"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(source)


def test_imports_follow_the_arrows() -> None:
    """No module imports what its layer may not know."""
    assert violations(ROOT) == []


def test_imports_have_no_circle() -> None:
    """Modules can be read in an order in which each needs only earlier ones."""
    assert circle(ROOT) == []


@pytest.mark.parametrize(
    ("module", "source", "expected"),
    [
        ("service.api.runs", "import numpy as np", "service.api.runs imports numpy"),
        ("service.api.runs", "import service.store", "service.api.runs -> service.store"),
        (
            "service.core.runs",
            "def f():\n    from worker.jobs import run\n",
            "service.core.runs -> worker.jobs",
        ),
        (
            "reteval.client",
            "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import service.errors\n",
            "reteval.client -> service.errors",
        ),
        (
            "reteval.contract.runs",
            "from reteval import client",
            "reteval.contract.runs -> reteval",
        ),
        (
            "worker.metrics.ranking",
            "from worker.search import transport",
            "worker.metrics.ranking -> worker.search",
        ),
        ("worker.pipeline", "import httpx", "worker.pipeline imports httpx"),
        ("service.core.runs", "import redis.asyncio", "service.core.runs imports redis"),
        ("worker.jobs.work", "import socket", "worker.jobs.work imports socket"),
        (
            "service.core.runs",
            "from urllib.request import urlopen",
            "service.core.runs imports urllib.request",
        ),
        (
            "service.core.runs",
            "from clients.reteval import contract",
            "service.core.runs imports clients.reteval: import reteval",
        ),
    ],
)
def test_planted_violation_is_found(
    tmp_path: Path, module: str, source: str, expected: str
) -> None:
    """Each kind of forbidden import is reported, lazy and type-only ones included."""
    plant(tmp_path, module, source)
    assert violations(tmp_path) == [expected]


def test_allowed_imports_are_not_reported(tmp_path: Path) -> None:
    """Arrows of the table, the contract and the own package pass."""
    plant(tmp_path, "reteval.contract.runs", "import msgspec")
    plant(tmp_path, "service.store.runs", "import redis.asyncio\nimport service.store.keys")
    plant(tmp_path, "service.core.runs", "from reteval.contract.runs import Run\nimport ast")
    plant(tmp_path, "service.api.runs", "import litestar\nfrom service.core import runs")
    plant(tmp_path, "worker.metrics.ranking", "import numpy")
    assert violations(tmp_path) == []


def test_planted_circle_is_found(tmp_path: Path) -> None:
    """A circle is found even where one of its imports is lazy."""
    plant(tmp_path, "service.core.runs", "import service.core.reports")
    plant(tmp_path, "service.core.reports", "def f():\n    from service.core import runs\n")
    assert set(circle(tmp_path)) == {"service.core.runs", "service.core.reports"}
