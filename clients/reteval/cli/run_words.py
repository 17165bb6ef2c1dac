"""The words that say what a run asks of whom, whatever the test set. Parses; does nothing."""

import argparse
from pathlib import Path
from typing import Final

PRESETS: Final = ("quick", "default", "full")


def add_run_options(parser: argparse.ArgumentParser) -> None:
    """Add the endpoint, labels, measures and limits of a run."""
    add_endpoint_words(parser)
    parser.add_argument("--label", help="what this run tries")
    parser.add_argument("--meta", action="append", default=[], metavar="K=V", help="repeatable")
    parser.add_argument("--split", metavar="NAME", help="only its queries, such as tune or holdout")
    _add_measures(parser)
    _add_limits(parser)
    parser.add_argument("--wait", action="store_true", help="wait, then print the results")


def add_endpoint_words(parser: argparse.ArgumentParser) -> None:
    """Add the ways to say which endpoint is meant, and what is sent along."""
    parser.add_argument("endpoint_url", metavar="URL", nargs="?", help="the search endpoint")
    parser.add_argument("--endpoint", type=Path, metavar="FILE", help="JSON that describes it")
    parser.add_argument(
        "--header", action="append", default=[], metavar="'K: V'", help="sent to it; repeatable"
    )


def _add_measures(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("what is measured")
    group.add_argument("--metrics", metavar="A,B", help="such as recall@5,mrr")
    group.add_argument("--k", metavar="1,3,5,10", help="cut-offs for metrics without one")
    group.add_argument("--depth", type=int, metavar="N", help="hits asked of the endpoint")
    group.add_argument(
        "--adversarial", metavar="PRESET", help=f"also changed queries: {', '.join(PRESETS)}"
    )
    group.add_argument("--seed", type=int, metavar="N", help="of the changed queries")


def _add_limits(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("how hard the endpoint is pressed")
    group.add_argument("--workers", type=int, metavar="N", help="workers that may share the run")
    group.add_argument("--concurrency", type=int, metavar="N", help="requests at a time")
    group.add_argument("--rate", type=float, metavar="N", help="requests a second at most")
    group.add_argument("--timeout", type=float, metavar="S", help="seconds an attempt may take")
    group.add_argument("--retries", type=int, metavar="N", help="repetitions of a failed request")
    group.add_argument(
        "--max-error-rate", type=float, metavar="X", help="share of failures accepted, 0 to 1"
    )
