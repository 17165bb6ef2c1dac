"""Measuring retrieval in a test: a function or an endpoint, held to thresholds."""

from collections.abc import Callable, Mapping
from os import PathLike
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from reteval.ci.worst import choose_primary, find_rankings, find_worst
from reteval.client import Client
from reteval.contract.gates import By, Floor, Gate, GateFormat
from reteval.contract.results import Results
from reteval.contract.testsets import TestSetUpload
from reteval.errors import ConnectionFailedError
from reteval.retries import Retry

Subject = Callable[[str, int], Any] | Mapping[str, Any] | str
Questions = str | PathLike[str] | Mapping[str, Any] | TestSetUpload
WORST: Final = 10
_TOP: Final = 5


class Below(AssertionError):  # noqa: N818 - it is what an assertion says
    """Retrieval is not what it should be; the message has the verdict and the worst queries."""


class Thresholds(Struct, frozen=True, kw_only=True):
    """What a run is held to: least means of metrics, or a gate file; neither holds it to nothing.

    `by` and `min_queries` are those of each floor, as in a gate.
    """

    at_least: dict[str, float] = {}
    gate: Path | None = None
    by: By = By.POINT
    min_queries: int = 1

    def gates(self) -> list[Gate | Path]:
        """Return them as gates."""
        floors = tuple(
            Floor(metric=metric, at_least=least, by=self.by)
            for metric, least in self.at_least.items()
        )
        own = [Gate(name="retrieval", floors=floors, min_queries=self.min_queries)]
        return [*(own if floors else []), *([self.gate] if self.gate else [])]


def find_service(url: str | None) -> None:
    """See that the service answers, and lets us in.

    Raises:
        ConnectionFailedError: it does not.
        RetevalError: it refuses.
    """
    with Client(url, retry=Retry(pauses_s=())) as client:
        try:
            client.limits()
        except ConnectionFailedError as exc:
            raise ConnectionFailedError(
                f"no reteval service answers at {client.url}: start one there, or name it with "
                "--reteval-url or RETEVAL_URL"
            ) from exc


def measure(
    client: Client,
    subject: Subject,
    questions: Questions,
    *,
    thresholds: Thresholds,
    meta: Mapping[str, str],
    timeout_s: float | None = None,
    **options: Any,
) -> Results:
    """Run a test set against a function or an endpoint and return the report.

    `questions` is the id or name of a test set, or one to upload. `options` are those of
    `Client.evaluate` for a function, else fields of a run.

    Raises:
        Below: a threshold is not reached, or there is no number to hold to it.
        RetevalError: the service refuses, or does not answer in time.
    """
    test_set = questions if isinstance(questions, str) else client.upload(questions).id
    asked: dict[str, Any] = {"meta": dict(meta), **options}
    if thresholds.at_least:
        asked.setdefault("metrics", list(thresholds.at_least))
    if callable(subject):
        results = client.evaluate(subject, test_set, timeout_s=timeout_s, **asked)
    else:
        endpoint = {"url": subject} if isinstance(subject, str) else dict(subject)
        run = client.run({"test_set": test_set, "endpoint": endpoint, **asked})
        client.wait(run.id, timeout_s=timeout_s)
        results = client.results(run.id)
    _hold(client, results, thresholds, timeout_s)
    return results


def _hold(
    client: Client, results: Results, thresholds: Thresholds, timeout_s: float | None
) -> None:
    for gate in thresholds.gates():
        held = client.gate_document(gate, GateFormat.TEXT, run=results.id, timeout_s=timeout_s)
        if held.exit_code:
            raise Below(f"{held.body.decode().rstrip()}\n\n{_describe_worst(client, results)}")


def _describe_worst(client: Client, results: Results) -> str:
    metric = choose_primary(results)
    rows = find_worst(client, results.id, metric, WORST)
    rankings = find_rankings(client, results.id, rows)
    if not rows:
        return f"nothing was measured: {results.reason or 'no reason given'}"
    lines = [f"worst queries by {metric}:"]
    for row in rows:
        value = row.metrics.get(metric)
        shown = "-" if value is None else f"{value:.3f}"
        found = ", ".join(rankings.get(row.query_id, [])[:_TOP]) or row.reason or "nothing"
        lines.append(f"  {shown}  {' '.join(row.query.split())}  found: {found}")
    return "\n".join(lines)
