"""Pytest plug-in of reteval: hold retrieval to thresholds in a test.

Loaded at the start of every run of pytest where the client is installed, so it imports nothing
that takes time until a test asks for it.
"""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from reteval import Client, Results
    from reteval.ci.measuring import Thresholds

MARK = "retrieval"
_ABOUT = (
    "retrieval(at_least={metric: mean}, by='point', min_queries=1, gate=FILE): "
    "what `retrieval_run` is held to"
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add where the service is, and whether there has to be one."""
    group = parser.getgroup("reteval", "retrieval evaluation")
    group.addoption("--reteval-url", metavar="URL", help="the service; default: RETEVAL_URL")
    group.addoption(
        "--reteval-required", action="store_true", help="fail, not skip, where no service answers"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known."""
    config.addinivalue_line("markers", _ABOUT)


@pytest.fixture(scope="session")
def reteval_client(pytestconfig: pytest.Config) -> "Iterator[Client]":
    """A client of the service; tests that need it are skipped where no service answers."""
    from reteval import Client, ConnectionFailedError  # noqa: PLC0415 - only where it is needed
    from reteval.ci.measuring import find_service  # noqa: PLC0415 - same

    url = pytestconfig.getoption("--reteval-url")
    absent = ""
    try:
        find_service(url)
    except ConnectionFailedError as exc:
        absent = str(exc)
    if absent and pytestconfig.getoption("--reteval-required"):
        pytest.fail(absent, pytrace=False)
    if absent:
        pytest.skip(absent)
    with Client(url) as client:
        yield client


@pytest.fixture
def retrieval_run(
    request: pytest.FixtureRequest, reteval_client: "Client"
) -> "Callable[..., Results]":
    """Run a test set against a function `(query, k) -> ids` or an endpoint; return the report.

    Called as `retrieval_run(search, "docs")`. The thresholds of the test's marker `retrieval`
    are held against it; where they do not hold, the test fails with the worst queries.
    """
    import os  # noqa: PLC0415 - as above

    from reteval.ci.environment import read_environment  # noqa: PLC0415 - as above
    from reteval.ci.measuring import Below, measure  # noqa: PLC0415 - as above

    thresholds = _read_marker(request)
    meta = read_environment(os.environ).meta()

    def run(subject: Any, questions: Any, **options: Any) -> "Results":
        options.setdefault("label", request.node.name)
        try:
            return measure(
                reteval_client, subject, questions, thresholds=thresholds, meta=meta, **options
            )
        except Below as exc:
            below = str(exc)
        pytest.fail(below, pytrace=False)

    return run


def _read_marker(request: pytest.FixtureRequest) -> "Thresholds":
    """Collect the thresholds of all markers of a test, the nearest one last."""
    import msgspec  # noqa: PLC0415 - as above

    from reteval.ci.measuring import Thresholds  # noqa: PLC0415 - as above

    given: dict[str, Any] = {}
    for marker in reversed(list(request.node.iter_markers(MARK))):
        if marker.args or not marker.kwargs.keys() <= set(Thresholds.__struct_fields__):
            pytest.fail(f"the marker is {_ABOUT}", pytrace=False)
        given |= marker.kwargs
    if "gate" in given:
        given["gate"] = request.config.rootpath / given["gate"]
    try:
        return msgspec.convert(given, Thresholds)
    except msgspec.ValidationError as exc:
        wrong = str(exc)
    pytest.fail(f"the marker is {_ABOUT}: {wrong}", pytrace=False)
