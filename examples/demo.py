"""The whole job, once: start everything, evaluate a real search service, read the report, stop.

`make demo` runs it. It starts the service (API, worker, embedded store) in a temporary directory
the search service of `endpoint.py` and the fake judge of `judge`, talks to them only over HTTP, and
leaves nothing behind.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NoReturn

from reteval import Client, RetevalError, RunStatus
from reteval.cli.progress import meter_for
from reteval.cli.report import render
from reteval.contract.judgings import Judging, JudgingState

ROOT: Final = Path(__file__).parents[1]
TEST_SET: Final = Path("examples/helpcentre/testset.json")
NAME: Final = "velory-help"
METRICS: Final = ["ndcg@10", "mrr", "recall@5", "recall@10", "judged@10"]
PRESET: Final = "default"
JUDGED_METRICS: Final = ["ndcg@5", "judged@5"]
JUDGED_DEPTH: Final = 5
JUDGE_CALLS: Final = 16
"""At once."""
API: Final = "http://127.0.0.1:8642/v1"
PREFIX: Final = "RETEVAL_"
START_S: Final = 60
RUN_S: Final = 120
STOP_S: Final = 10
PAUSE_S: Final = 0.05
LOG_LINES: Final = 15


class DemoError(Exception):
    """The demo cannot go on; the message says which part failed and what it said."""


def main() -> int:
    """Run the demo; 0 when the report was printed, 1 when something failed."""
    for number in (signal.SIGINT, signal.SIGTERM):  # a shell's background job ignores the first
        signal.signal(number, _interrupt)
    try:
        with (
            tempfile.TemporaryDirectory(prefix="reteval-demo-") as directory,
            search_service(Path(directory)) as endpoint_url,
            judge_service(Path(directory)) as judge_url,
            evaluation_service(Path(directory)) as url,
            Client(url) as client,
        ):
            evaluate(client, endpoint_url)
            judge(client, endpoint_url, judge_url)
            print(repetition(run_request(NAME, "http://127.0.0.1:9000/search")))
    except (DemoError, RetevalError, OSError) as exc:
        print(f"demo failed: {exc}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("demo interrupted; everything it started has been stopped", file=sys.stderr)
        return 130
    return 0


@contextmanager
def search_service(directory: Path) -> Iterator[str]:
    """Run the example search service; yields the URL of its search."""
    with running("endpoint", ["examples/endpoint.py"], directory) as url:
        yield url


@contextmanager
def judge_service(directory: Path) -> Iterator[str]:
    """Run the fake judge, which knows the right grades and errs; yields its base URL."""
    with running("judge", ["-m", "examples.judge"], directory) as url:
        yield url


@contextmanager
def evaluation_service(directory: Path) -> Iterator[str]:
    """Run the service with its data in `directory`; yields its URL."""
    data = str(directory / "data")
    arguments = ["-m", "service", "up", "--port", "0", "--data", data, "--workers", "1"]
    with running("service", arguments, directory) as url:
        yield url


@contextmanager
def running(name: str, arguments: Sequence[str], directory: Path) -> Iterator[str]:
    """Run a Python program of this project and stop it at the end; yields its `ready` URL.

    It gets no `RETEVAL_*` variable, so that the demo can touch no other store, and a session of
    its own, so that Ctrl-C reaches it through the demo and in the right order.

    Raises:
        DemoError: it ended, or was not ready after `START_S` seconds.
    """
    output, log = directory / f"{name}.out", directory / f"{name}.log"
    with (
        output.open("wb") as said,
        log.open("wb") as errors,
        subprocess.Popen(  # noqa: S603 - this project's own programs
            [sys.executable, *arguments],
            cwd=ROOT,
            env={key: value for key, value in os.environ.items() if key[:8] != PREFIX},
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=errors,
            start_new_session=True,
        ) as process,
    ):
        try:
            yield _await_ready(name, process, output, log)
        finally:
            _stop(process)


def evaluate(client: Client, endpoint_url: str) -> None:
    """Upload the test set, run it against the endpoint and print what was found.

    Raises:
        DemoError: the run did not complete, or its report is not the same twice.
        RetevalError: the service refused something, or the run took longer than `RUN_S`.
    """
    test_set = client.upload(ROOT / TEST_SET)
    stats = test_set.stats
    print(
        f"uploaded  {test_set.name}: {stats.scorable} graded queries, {stats.variants} variants "
        f"made by hand, {stats.expect_nothing} queries with nothing to find",
        flush=True,
    )
    run = client.run(run_request(test_set.name, endpoint_url))
    meter = meter_for(sys.stderr, time.monotonic)
    try:
        run = client.wait(run.id, timeout_s=RUN_S, on_progress=meter.show)
    finally:
        meter.close()
    if run.status is not RunStatus.COMPLETED:
        raise DemoError(f"{run.id} ended as {run.status.value}: {run.error or 'some calls failed'}")
    results = client.results(run.id)
    print(f"\n{render(results)}")
    if client.results(run.id) != results:
        raise DemoError(f"{run.id} has two different reports")
    print(f"fetched again by its id, {run.id}: the same report\n")


def judge(client: Client, endpoint_url: str, judge_url: str) -> None:
    """Have what the endpoint returns judged, make that a version, and run on both versions.

    Raises:
        DemoError: a step did not come to its end.
        RetevalError: the service refused something, or a step took longer than `RUN_S`.
    """
    before = client.test_set(NAME)
    asked = {"test_set": NAME, "endpoints": [{"url": endpoint_url}], "depth": JUDGED_DEPTH}
    made = client.create_judging(asked)
    client.pool_judging(made.id)
    pool = _need(client.wait_judging(made.id, timeout_s=RUN_S), JudgingState.POOLED).pool
    print(
        f"pooled    the first {JUDGED_DEPTH} of {pool.queries} queries: {pool.pairs} pairs, "
        f"{pool.known} judged before"
    )
    limits = {"concurrency": JUDGE_CALLS, "timeout_s": STOP_S}
    client.judge(made.id, {"model": {"base_url": judge_url, "name": "fake-ok", "limits": limits}})
    found = _need(client.wait_judging(made.id, timeout_s=RUN_S), JudgingState.JUDGED)
    progress = found.judges[-1].progress
    print(f"judged    {progress.judged} pairs by a fake model, {progress.failed} failed")
    frozen = client.freeze(made.id, {"consensus": "median"}).frozen
    if frozen is None:
        raise DemoError(f"{made.id} did not become a test set")
    print(f"frozen    {frozen.name} version {frozen.version}, which says who judged what")
    for version, ref in ((before.version, before.id), (frozen.version, frozen.id)):
        print(f"version {version}  {_score(client, ref, endpoint_url)}")
    print(flush=True)


def _score(client: Client, test_set: str, endpoint_url: str) -> str:
    request = {"test_set": test_set, "endpoint": {"url": endpoint_url}, "metrics": JUDGED_METRICS}
    run = client.wait(client.run(request).id, timeout_s=RUN_S)
    metrics = client.results(run.id).metrics
    if run.status is not RunStatus.COMPLETED or not metrics:
        raise DemoError(f"{run.id} ended as {run.status.value}: {run.error or 'some calls failed'}")
    return ", ".join(f"{name} {metrics[name].mean:.3f}" for name in JUDGED_METRICS)


def _need(judging: Judging, state: JudgingState) -> Judging:
    if judging.state is not state:
        raise DemoError(f"{judging.id} is {judging.state.value}: {judging.error}")
    return judging


def run_request(test_set: str, endpoint_url: str) -> dict[str, Any]:
    """Write the run that the demo starts."""
    return {
        "test_set": test_set,
        "label": "demo",
        "endpoint": {"url": endpoint_url},
        "metrics": METRICS,
        "adversarial": {"preset": PRESET},
    }


def repetition(request: dict[str, Any]) -> str:
    """Say how to do the same by hand: three calls against a service that stays."""
    kind = "-H 'Content-Type: application/json'"
    return "\n".join(
        [
            "repeat it: `make serve`, `.venv/bin/python examples/endpoint.py --port 9000`, then",
            f"  curl -s {API}/test-sets {kind} --data-binary @{TEST_SET}",
            f"  curl -s {API}/runs {kind} -d '{json.dumps(request)}'",
            f"  curl -s {API}/runs/RUN_ID/results    # the id is in the second answer",
        ]
    )


def _await_ready(name: str, process: subprocess.Popen[bytes], output: Path, log: Path) -> str:
    deadline = time.monotonic() + START_S
    while process.poll() is None and time.monotonic() < deadline:
        line, ended, _ = output.read_text(encoding="utf-8").partition("\n")
        if ended:
            return line.removeprefix("ready ")
        time.sleep(PAUSE_S)
    said = log.read_text(encoding="utf-8", errors="replace").splitlines()[-LOG_LINES:]
    raise DemoError("\n".join([f"the {name} did not start; it said:", *said]))


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(STOP_S)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)


def _interrupt(_signal: int, _frame: object) -> NoReturn:
    raise KeyboardInterrupt


if __name__ == "__main__":
    sys.exit(main())
