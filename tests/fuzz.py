"""Fuzzes the running service with schemathesis: `python tests/fuzz.py 1000` cases a route.

Three passes over `openapi.yaml` as it is served: routes with any ids, routes with ids of what is
there, and sequences along the links. Fails on any finding, and on any defect in the service's log.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "clients")]

from reteval import Client  # noqa: E402 - found by the line above
from tests.endpoint import serve_answers  # noqa: E402
from tests.service_process import run_service  # noqa: E402

DEFECT: Final = "request.failed"
SHARED: Final = ("--checks=all", "--no-color", "--seed=1", "--request-timeout=60", "--workers=1")
UNENDING: Final = ("--exclude-method=DELETE", "--exclude-operation-id=cancelRun")
TEST_SET: Final = {
    "name": "there",
    "queries": [
        {"query": f"question {number}", "relevant_ids": [f"d{number}"], "tags": ["faq"]}
        for number in range(5)
    ],
}


def main(cases: int) -> int:
    """Run the three passes; 1 where one finds something."""
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        with run_service(data) as service:
            fuzzing = ("--phases=examples,coverage,fuzzing", f"--max-examples={cases}")
            there = write_config(Path(folder), service.url)
            for config, words in (
                (ROOT / "tests" / "fuzz.toml", fuzzing),
                (there, (*fuzzing, *UNENDING)),
                (ROOT / "tests" / "fuzz.toml", ("--phases=stateful", f"--max-examples={cases}")),
            ):
                failed.append(send(service.url, config, words))
        defects = (Path(folder) / "data.log").read_text().count(DEFECT)
    sys.stdout.write(f"{sum(map(bool, failed))} of 3 passes failed, {defects} defects in the log\n")
    return int(any(failed) or defects > 0)


def send(url: str, config: Path, words: tuple[str, ...]) -> int:
    """Run schemathesis once; its exit code."""
    command = [
        find_program(),
        "--config-file",
        str(config),
        "run",
        f"{url}/openapi.yaml",
        *SHARED,
        *words,
    ]
    return subprocess.run(command, check=False, env=dict(os.environ)).returncode


def find_program() -> str:
    """Return schemathesis as it stands beside this interpreter, or as `SCHEMATHESIS` names it."""
    return os.environ.get("SCHEMATHESIS") or str(Path(sys.executable).with_name("st"))


def write_config(folder: Path, url: str) -> Path:
    """Make a set, an ended run and a saved endpoint, and name them in a configuration."""
    with Client(url) as client, lasting_endpoint() as endpoint:
        test_set = client.upload(TEST_SET)
        run = client.run({"test_set": test_set.id, "endpoint": {"url": endpoint}})
        client.wait(run.id, timeout_s=60)
    parameters = {"run_id": run.id, "path.test_set": test_set.name}
    lines = [f'"{name}" = "{value}"' for name, value in parameters.items()]
    config = folder / "there.toml"
    common = (ROOT / "tests" / "fuzz.toml").read_text()
    config.write_text("\n".join([common, "[parameters]", *lines, ""]))
    return config


@contextmanager
def lasting_endpoint() -> Iterator[str]:
    """Serve answers for the run that is there."""
    with serve_answers(lambda text: (200, [text.replace("question ", "d")])) as endpoint:
        yield endpoint.url


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000))
