"""The Kubernetes example: it parses, its parts fit each other, and it runs what there is."""

import os
import subprocess
import sys
from typing import Any

import pytest
import yaml

from service.api.openapi import list_operations
from service.api.operations import Access
from service.app import create_app
from service.settings import TABLE, Settings
from tests.contract.test_container import COMPOSE, ROOT, instructions

ITEMS: list[dict[str, Any]] = yaml.safe_load((ROOT / "examples" / "kubernetes.yaml").read_text())[
    "items"
]
DEPLOYMENTS = {item["metadata"]["name"]: item for item in ITEMS if item["kind"] == "Deployment"}
DRAIN_S = 30
"""What a worker may take to hand its work on."""


def kind(name: str) -> list[dict[str, Any]]:
    """Return the parts of a kind."""
    return [item for item in ITEMS if item["kind"] == name]


def pod(name: str) -> dict[str, Any]:
    """Return the pod of a deployment."""
    spec: dict[str, Any] = DEPLOYMENTS[name]["spec"]["template"]["spec"]
    return spec


def container(name: str) -> dict[str, Any]:
    """Return the one container of a deployment."""
    (only,) = pod(name)["containers"]
    return dict(only)


def fits(selector: dict[str, str]) -> list[str]:
    """Return the deployments whose pods a selector takes."""
    return [
        name
        for name, item in DEPLOYMENTS.items()
        if selector.items() <= item["spec"]["template"]["metadata"]["labels"].items()
    ]


def test_parts_are_those_of_compose() -> None:
    """Each part that Compose runs has its deployment with the same command."""
    for part in ("api", "worker", "worker-interactive"):
        assert container(f"reteval-{part}")["command"] == COMPOSE["services"][part]["command"]


@pytest.mark.parametrize("name", DEPLOYMENTS)
def test_command_runs(name: str) -> None:
    """Each command is a program of ours that knows its arguments."""
    python, *words = container(name)["command"]
    assert python == "python"
    environ = {key: text for key, text in os.environ.items() if "RETEVAL" not in key}
    done = subprocess.run(
        [sys.executable, *words, "--help"],
        cwd=ROOT,
        env=environ,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("name", DEPLOYMENTS)
def test_settings_exist_and_secrets_are_references(name: str) -> None:
    """Every variable is a setting; what is secret comes from the secret, and nothing else does."""
    known = {row.variable: row for row in TABLE}
    (config,) = kind("ConfigMap")
    assert container(name)["envFrom"] == [{"configMapRef": {"name": config["metadata"]["name"]}}]
    assert config["data"].keys() <= known.keys()
    assert not [name for name in config["data"] if known[name].secret]
    referred = {row["name"]: row["valueFrom"]["secretKeyRef"] for row in container(name)["env"]}
    assert referred.keys() == {name for name, row in known.items() if row.secret}
    assert {ref["name"] for ref in referred.values()} == {"reteval"}


def test_configured_values_are_read() -> None:
    """The example's values are ones that the settings take."""
    (config,) = kind("ConfigMap")
    for row in TABLE:
        if row.variable in config["data"]:
            row.read(config["data"][row.variable])


@pytest.mark.parametrize("name", DEPLOYMENTS)
def test_pods_are_given_time_and_no_rights(name: str) -> None:
    """A drain fits into the grace; nothing runs as root, writes its image or gains rights."""
    spec, security = pod(name), container(name)["securityContext"]
    assert spec["terminationGracePeriodSeconds"] >= DRAIN_S + 5
    assert spec["securityContext"]["runAsUser"] == int(instructions("USER")[-1])
    assert spec["securityContext"]["runAsNonRoot"] is True
    assert security["readOnlyRootFilesystem"] is True
    assert security["allowPrivilegeEscalation"] is False
    assert spec["automountServiceAccountToken"] is False
    assert container(name)["resources"]["limits"]["memory"]


def test_probes_are_routes() -> None:
    """Liveness does not ask the store, readiness does; both are routes of the API, on its port."""
    api = container("reteval-api")
    paths = yaml.load((ROOT / "openapi.yaml").read_text(), Loader=yaml.CSafeLoader)["paths"]
    assert api["livenessProbe"]["httpGet"]["path"] == "/healthz"
    assert api["readinessProbe"]["httpGet"]["path"] == "/readyz"
    for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
        assert api[probe]["httpGet"]["path"] in paths
        assert api[probe]["httpGet"]["port"] == api["ports"][0]["name"]
    assert api["ports"][0]["containerPort"] == int(instructions("EXPOSE")[-1])


def test_selectors_meet_their_pods() -> None:
    """The service takes the API's pods only, and each deployment has its own budget."""
    (service,) = kind("Service")
    assert fits(service["spec"]["selector"]) == ["reteval-api"]
    budgets = [
        fits(item["spec"]["selector"]["matchLabels"]) for item in kind("PodDisruptionBudget")
    ]
    assert sorted(budgets) == sorted([name] for name in DEPLOYMENTS)
    for name, item in DEPLOYMENTS.items():
        assert fits(item["spec"]["selector"]["matchLabels"]) == [name]


def test_autoscaler_follows_the_age_of_the_queue() -> None:
    """It scales the workers for runs, which set no number of their own, by a metric we have."""
    (scaler,) = kind("HorizontalPodAutoscaler")
    target = scaler["spec"]["scaleTargetRef"]
    (metric,) = scaler["spec"]["metrics"]
    assert DEPLOYMENTS[target["name"]]["kind"] == target["kind"]
    assert container(target["name"])["command"] == ["python", "-m", "worker"]
    assert "replicas" not in DEPLOYMENTS[target["name"]]["spec"]
    assert metric["external"]["metric"] == {
        "name": "reteval_queue_age_seconds",
        "selector": {"matchLabels": {"queue": "runs"}},
    }


def test_probes_ask_routes_that_need_no_key() -> None:
    """The kubelet and Docker send no key, and need none."""
    routes = list_operations(create_app(Settings.from_env({})).routes)
    opened = {one.path for one in routes if one.operation.scope is Access.OPEN}
    api = container("reteval-api")
    probes = [api[name] for name in ("startupProbe", "livenessProbe", "readinessProbe")]
    assert {probe["httpGet"]["path"] for probe in probes} <= opened
    check = COMPOSE["services"]["api"]["healthcheck"]["test"][-1]
    assert any(f'8642{path}"' in check for path in opened)
