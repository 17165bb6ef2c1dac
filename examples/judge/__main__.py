"""Serve a fake judge that knows a test set: `python -m examples.judge --port 9100`."""

import argparse
import json
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NoReturn

from examples.judge.oracle import LENIENT, read_oracle
from examples.judge.server import JudgeServer

HELPCENTRE: Final = Path(__file__).parents[1] / "helpcentre"


def main(argv: Sequence[str] | None = None) -> int:
    """Serve until interrupted; prints `ready URL` once chats are answered."""
    parser = argparse.ArgumentParser(
        prog="python -m examples.judge",
        description="An OpenAI-compatible chat server that grades pairs with a known noise.",
        epilog="the model's name chooses how it fails: fake-ok, fake-fenced, … (GET /models)",
    )
    parser.add_argument("--port", type=int, default=0, help="0 picks a free one (default)")
    parser.add_argument("--test-set", type=Path, default=HELPCENTRE / "testset.json")
    parser.add_argument("--documents", type=Path, default=HELPCENTRE / "documents.jsonl")
    parser.add_argument("--seed", type=int, default=0, help="draws the judge's errors")
    parser.add_argument(
        "--matrix", type=json.loads, default=LENIENT, help="chances of each grade by right grade"
    )
    arguments = parser.parse_args(argv)
    signal.signal(signal.SIGTERM, _stop)
    try:
        oracle = read_oracle(
            arguments.test_set, arguments.documents, matrix=arguments.matrix, seed=arguments.seed
        )
        with JudgeServer(oracle, port=arguments.port) as server:
            print(f"ready {server.url}", flush=True)
            server.serve_forever()
    except (OSError, ValueError, KeyError, OverflowError) as exc:
        print(f"judge: {exc}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 0
    return 0


def _stop(_signal: int, _frame: object) -> NoReturn:
    raise KeyboardInterrupt


if __name__ == "__main__":
    sys.exit(main())
