"""From parsed words to the documents the service reads.

Only what was given is sent, so that the service's own defaults hold.
"""

import argparse
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final, cast

import msgspec

from reteval._gates import Held
from reteval._uploads import UploadOptions

LIMIT_OPTIONS: Final = {
    "workers": "workers",
    "concurrency": "concurrency",
    "rate": "rate_per_s",
    "timeout": "timeout_s",
    "retries": "retries",
    "max_error_rate": "max_error_rate",
}


class UsageError(Exception):
    """The command line asks for something that cannot be; the message says what to write."""


def head_of(options: argparse.Namespace) -> UploadOptions:
    """Collect the head of a test set, and how files are read, from the options given."""
    given = {name: getattr(options, name) for name in UploadOptions.__optional_keys__}
    kept = {name: value for name, value in given.items() if value is not None}
    return cast("UploadOptions", kept)


def tell_apart(options: argparse.Namespace) -> None:
    """Take the word that is an address for the endpoint's and the other for the test set's."""
    words = [word for word in (options.test_set, options.endpoint_url) if word is not None]
    addresses = [word for word in words if "://" in word]
    if len(addresses) == 1:
        options.endpoint_url = addresses[0]
        options.test_set = next((word for word in words if word != addresses[0]), None)
    elif len(words) == 1:
        options.test_set, options.endpoint_url = words[0], None


def run_request(options: argparse.Namespace) -> dict[str, Any]:
    """Build the body of a run.

    Raises:
        UsageError: options that are missing, contradict each other or cannot be read.
    """
    if options.test_set is None:
        raise UsageError("no test set: write its id or name, or a test_set in the profile")
    return {"test_set": options.test_set, **suite_run_request(options)}


def suite_run_request(options: argparse.Namespace) -> dict[str, Any]:
    """Build the body of a run over a suite: all of a run's but the test set.

    Raises:
        UsageError: as `run_request`.
    """
    limits = {
        field: getattr(options, name)
        for name, field in LIMIT_OPTIONS.items()
        if getattr(options, name) is not None
    }
    request: dict[str, Any] = {
        "endpoint": endpoint_of(options),
        "label": options.label,
        "metrics": _words(options.metrics),
        "k_values": _cutoffs(options.k),
        "depth": options.depth,
        "meta": dict(_pair(text, "=", "--meta K=V") for text in options.meta),
        "adversarial": _adversarial(options),
        "limits": limits,
        "split": options.split,
    }
    return {name: value for name, value in request.items() if value not in (None, [], {})}


def target_words(options: argparse.Namespace) -> list[str]:
    """Return the words that name the same test set and endpoint again, without the profile's."""
    words = [] if "test_set" in options.filled or not options.test_set else [options.test_set]
    if "endpoint" in options.filled:
        return words
    words += [options.endpoint_url] if options.endpoint_url else []
    return words + (["--endpoint", str(options.endpoint)] if options.endpoint else [])


def relabel(words: Sequence[str], label: str) -> list[str]:
    """Return the words of a run with another label."""
    kept: list[str] = []
    rest = iter(words)
    for word in rest:
        if word == "--label":
            next(rest, None)
        elif not word.startswith("--label="):
            kept.append(word)
    return [*kept, "--label", label]


def rescore_request(options: argparse.Namespace) -> dict[str, Any]:
    """Build the body of a rescore."""
    request: dict[str, Any] = {
        "label": options.label,
        "metrics": _words(options.metrics),
        "k_values": _cutoffs(options.k),
        "test_set": options.test_set,
        "relevant_from": options.relevant_from,
        "split": options.split,
    }
    return {name: value for name, value in request.items() if value not in (None, [])}


def suite_request(options: argparse.Namespace) -> dict[str, Any]:
    """Build the body of a suite.

    Raises:
        UsageError: weights that cannot be read.
    """
    words = _words(options.weights)
    try:
        weights = [float(word) for word in words]
    except ValueError as exc:
        raise UsageError(f"--weights {options.weights!r}: write numbers, such as 1,2,1") from exc
    request = {"name": options.suite, "test_sets": options.test_sets, "weights": weights}
    return {name: value for name, value in request.items() if value != []}


def retry_request(options: argparse.Namespace) -> dict[str, Any]:
    """Build the body of a retry.

    Raises:
        UsageError: a header that cannot be read.
    """
    request = {"label": options.label, "headers": _headers(options)}
    return {name: value for name, value in request.items() if value}


def comparison_request(options: argparse.Namespace) -> dict[str, Any]:
    """Build the body of a comparison."""
    request: dict[str, Any] = {
        "baseline": options.baseline,
        "candidate": options.candidate,
        "primary": options.primary,
        "metrics": _words(options.metrics),
        "margin": options.margin,
        "alpha": options.alpha,
        "on": "intersection" if options.intersection else None,
    }
    return {name: value for name, value in request.items() if value not in (None, [])}


def power_request(options: argparse.Namespace) -> dict[str, Any]:
    """Build the question of how many queries it takes.

    Raises:
        UsageError: neither a sigma nor two runs, or both.
    """
    if len(options.runs) != (2 if options.sigma is None else 0):
        raise UsageError("write either two runs, or --sigma S")
    names = ("metric", "sigma", "delta", "n", "alpha", "power")
    request = {name: getattr(options, name) for name in names}
    return {
        **{name: value for name, value in request.items() if value is not None},
        **({"runs": options.runs} if options.runs else {}),
    }


def held_of(options: argparse.Namespace) -> Held:
    """Collect what a gate is held to.

    Raises:
        UsageError: neither or both of run and comparison, or two baselines.
    """
    if (options.run is None) == (options.comparison is None):
        raise UsageError("write either --run RUN or --comparison COMPARISON")
    if options.baseline is not None and options.baseline_label is not None:
        raise UsageError("write either --baseline RUN or --baseline-label LABEL")
    given = {name: getattr(options, name) for name in Held.__optional_keys__}
    return cast("Held", {name: value for name, value in given.items() if value is not None})


def probe_request(options: argparse.Namespace) -> dict[str, Any]:
    """Build the body of a probe.

    Raises:
        UsageError: no endpoint, or nothing to send.
    """
    if options.test_set is None and not options.query:
        raise UsageError("nothing to send: name a TEST_SET, or give --query TEXT")
    request: dict[str, Any] = {
        "endpoint": endpoint_of(options),
        "test_set": options.test_set,
        "queries": [{"query": text} for text in options.query],
        "depth": options.depth,
    }
    return {name: value for name, value in request.items() if value not in (None, [], {})}


def endpoint_of(options: argparse.Namespace) -> dict[str, Any]:
    """Build the description of an endpoint: a file's or a profile's, and the words beside it.

    Raises:
        UsageError: there is no address, or a header that cannot be read.
    """
    described = options.endpoint
    endpoint = _json_object(described) if isinstance(described, Path) else {**(described or {})}
    if options.endpoint_url is not None:
        endpoint["url"] = options.endpoint_url
    if "url" not in endpoint:
        raise UsageError(
            "no endpoint: write its URL, --endpoint FILE with a url in it, or an endpoint in the "
            "profile"
        )
    headers = _headers(options)
    if headers:
        endpoint["headers"] = {**endpoint.get("headers", {}), **headers}
    return endpoint


def _adversarial(options: argparse.Namespace) -> dict[str, Any] | None:
    if options.adversarial is None:
        if options.seed is not None:
            raise UsageError("--seed is of the changed queries: add --adversarial PRESET")
        return None
    seed = {} if options.seed is None else {"seed": options.seed}
    return {"preset": options.adversarial, **seed}


def _cutoffs(text: str | None) -> list[int]:
    words = _words(text)
    try:
        return [int(word) for word in words]
    except ValueError as exc:
        raise UsageError(f"--k {text!r}: write whole numbers, such as 1,3,5,10") from exc


def _words(text: str | None) -> list[str]:
    return [word.strip() for word in (text or "").split(",") if word.strip()]


def _headers(options: argparse.Namespace) -> dict[str, str]:
    return dict(_pair(text, ":", "--header 'Name: value'") for text in options.header)


def _pair(text: str, mark: str, form: str) -> tuple[str, str]:
    name, found, value = text.partition(mark)
    if not found or not name.strip():
        # The text may be a secret: name the form, not what was written.
        raise UsageError(f"write {form}")
    return name.strip(), value.strip()


def _json_object(path: Path) -> dict[str, Any]:
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, Any])
    except (msgspec.MsgspecError, UnicodeDecodeError) as exc:
        raise UsageError(f"{str(path)!r} is no JSON object: {exc}") from exc


def require_one_source(options: argparse.Namespace) -> None:
    """Check that an upload names files, or topics with qrels.

    Raises:
        UsageError: neither, both, or half of the second.
    """
    trec: Iterable[object] = (options.topics, options.qrels)
    given = sum(path is not None for path in trec)
    if (bool(options.files), given) not in ((True, 0), (False, 2)):
        raise UsageError("write either FILE, or --topics FILE and --qrels FILE")


def require_whole_history(options: argparse.Namespace) -> None:
    """Check that the flat lines of a history are asked for as they are: all of them.

    Raises:
        UsageError: options that choose among them.
    """
    if any(value is not None for value in (options.metric, options.label, options.limit)):
        raise UsageError("--jsonl prints every run and metric: leave the other options out")
