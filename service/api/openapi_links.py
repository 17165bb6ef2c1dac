"""OpenAPI links: which operations what was just made can be given to."""

from collections.abc import Iterable
from typing import Any, Final

from reteval.contract.alerts import Alert
from reteval.contract.comparisons import Comparison
from reteval.contract.leakage import LeakageCheck
from reteval.contract.previews import Preview
from reteval.contract.probes import Probe
from reteval.contract.runs import Run
from reteval.contract.saved_endpoints import SavedEndpoint
from reteval.contract.schedules import Schedule
from reteval.contract.testsets import TestSet

_PARAMETERS: Final[dict[Any, str]] = {
    Alert: "alert_id",
    Comparison: "comparison_id",
    LeakageCheck: "check_id",
    Preview: "preview_id",
    Probe: "probe_id",
    Run: "run_id",
    SavedEndpoint: "ref",
    Schedule: "schedule_id",
    TestSet: "test_set",
}

Document = dict[str, Any]


def describe_links(operations: Iterable[tuple[str, str]]) -> Document:
    """Return a link to each operation, given as path and id, that takes an id of ours."""
    return {
        name: {"operationId": name, "parameters": {parameter: "$response.body#/id"}}
        for path, name in operations
        for parameter in _PARAMETERS.values()
        if f"{{{parameter}}}" in path
    }


def refer_links(kinds: Iterable[Any], links: Document) -> Document:
    """Return references to the links that an answer of these kinds leads to."""
    parameters = {_PARAMETERS[kind] for kind in kinds if kind in _PARAMETERS}
    return {
        name: {"$ref": f"#/components/links/{name}"}
        for name, link in links.items()
        if parameters.intersection(link["parameters"])
    }
