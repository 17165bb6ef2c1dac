"""The words of the command line and what they mean. Parses; does nothing."""

import argparse
from pathlib import Path
from typing import Final

from reteval.cli.access_words import add_access
from reteval.cli.decision_words import add_decisions
from reteval.cli.judging_words import add_judging
from reteval.cli.keeping_words import add_keeping
from reteval.cli.leakage_words import add_leakage
from reteval.cli.run_words import add_endpoint_words, add_run_options
from reteval.cli.starting_words import add_starting
from reteval.cli.suite_words import add_suites
from reteval.cli.test_set_words import add_test_sets
from reteval.cli.upload_words import add_upload
from reteval.cli.version_words import add_versions
from reteval.cli.webhook_words import add_webhooks
from reteval.cli.words import Commands, add_command, add_global_options

EPILOG: Final = """\
example:
  reteval init
  reteval upload queries.json --name docs
  reteval run docs http://127.0.0.1:8000/search --label baseline --wait
  reteval results run_0123456789abcdef

exit codes: 0 done, 1 refused by the service or not completed, 2 usage, 3 the run failed;
of gate: 0 pass, 1 fail, 2 usage, 3 run failed or no verdict, 4 blocked, 5 inconclusive;
of doctor: 0 nothing is wrong, 1 something is; of any: 130 interrupted
"""
RUN_EXAMPLE: Final = """\
examples:
  reteval run --label baseline --wait
  reteval run docs https://search.example/query --label hybrid-k60 \\
      --metrics recall@5,mrr,ndcg@10 --adversarial quick --seed 7 \\
      --header 'Authorization: Bearer s3cret' --meta commit=4f2a --wait
"""
WAIT_EXAMPLE: Final = """\
example:
  reteval wait run_0123456789abcdef --timeout 600
"""
HISTORY_EXAMPLE: Final = """\
examples:
  reteval history docs --metric ndcg@10
  reteval history docs --jsonl >> history.jsonl
"""
RESULTS_EXAMPLE: Final = """\
example:
  reteval results run_0123456789abcdef --json
"""
EXPORT_EXAMPLE: Final = """\
examples:
  reteval export run_0123456789abcdef --format csv > run.csv
  reteval export run_0123456789abcdef --format trec --output run.zip
"""
RESCORE_EXAMPLE: Final = """\
example:
  reteval rescore run_0123456789abcdef --metrics ndcg@5,map --relevant-from 2 --wait
"""
RETRY_EXAMPLE: Final = """\
example:
  reteval retry run_0123456789abcdef --header 'Authorization: Bearer s3cret' --wait
"""
PROBE_EXAMPLE: Final = """\
examples:
  reteval probe https://search.example/query docs --header 'Authorization: Bearer s3cret'
  reteval probe https://search.example/query --query 'reset my password' --query refunds
"""


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of the whole command line."""
    parser = argparse.ArgumentParser(
        prog="reteval",
        description="Measure how well a search endpoint finds what it should.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(
        url=None, api_key=None, profile=None, json=False, offline=False, profiled=()
    )
    add_global_options(parser)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    add_starting(commands)
    add_upload(commands)
    add_test_sets(commands)
    _add_run(commands)
    _add_wait(commands)
    _add_results(commands)
    _add_export(commands)
    _add_history(commands)
    _add_rescore(commands)
    _add_retry(commands)
    add_decisions(commands)
    _add_probe(commands)
    add_leakage(commands)
    add_keeping(commands)
    add_suites(commands)
    add_access(commands)
    add_webhooks(commands)
    add_judging(commands)
    add_versions(commands)
    return parser


def _add_run(commands: "Commands[argparse.ArgumentParser]") -> None:
    about = "start a run against a search endpoint"
    parser = add_command(commands, "run", about, RUN_EXAMPLE)
    parser.add_argument(
        "test_set", metavar="TEST_SET", nargs="?", help="id, or name (its newest version)"
    )
    add_run_options(parser)
    parser.set_defaults(profiled=("test_set", "endpoint", "metrics"))


def _add_wait(commands: "Commands[argparse.ArgumentParser]") -> None:
    parser = add_command(commands, "wait", "wait for a run to end", WAIT_EXAMPLE)
    parser.add_argument("run", metavar="RUN", help="id of the run")
    parser.add_argument("--timeout", type=float, metavar="S", help="seconds to wait at most")


def _add_results(commands: "Commands[argparse.ArgumentParser]") -> None:
    parser = add_command(commands, "results", "print the report of a run", RESULTS_EXAMPLE)
    parser.add_argument("run", metavar="RUN", help="id of the run")


def _add_export(commands: "Commands[argparse.ArgumentParser]") -> None:
    about = "write what a run found as a file, for other tools or to keep"
    parser = add_command(commands, "export", about, EXPORT_EXAMPLE)
    parser.add_argument("run", metavar="RUN", help="id of the run")
    # Which formats there are is the service's to say: a later one may have more.
    parser.add_argument(
        "--format", default="jsonl", metavar="NAME", help="jsonl (the default), csv, trec, …"
    )
    parser.add_argument("--output", metavar="FILE", type=Path, help="a zip needs it")


def _add_history(commands: "Commands[argparse.ArgumentParser]") -> None:
    about = "print how a metric went from run to run"
    parser = add_command(commands, "history", about, HISTORY_EXAMPLE)
    parser.add_argument(
        "test_set", metavar="TEST_SET", nargs="?", help="id, or name (all its versions)"
    )
    parser.set_defaults(profiled=("test_set",))
    parser.add_argument("--metric", help="such as ndcg@10; default: the newest run's first")
    parser.add_argument("--label", help="only runs with this label")
    parser.add_argument("--limit", type=int, metavar="N", help="newest runs of each version")
    parser.add_argument(
        "--jsonl",
        action="store_true",
        help="print all means instead, a flat JSON object a run (of a name, its newest version)",
    )


def _add_rescore(commands: "Commands[argparse.ArgumentParser]") -> None:
    about = "score a run's stored rankings anew, without calling the endpoint"
    parser = add_command(commands, "rescore", about, RESCORE_EXAMPLE)
    parser.add_argument("run", metavar="RUN", help="id of the run")
    parser.add_argument("--metrics", metavar="A,B", help="such as recall@5,mrr")
    parser.add_argument("--k", metavar="1,3,5,10", help="cut-offs for metrics without one")
    parser.add_argument("--relevant-from", type=int, metavar="N", help="least relevant grade")
    parser.add_argument("--test-set", metavar="TEST_SET", help="another version of its test set")
    parser.add_argument("--split", metavar="NAME", help="score another split; empty: all queries")
    parser.add_argument("--label", help="what the new run tries")
    parser.add_argument("--wait", action="store_true", help="wait, then print the results")


def _add_retry(commands: "Commands[argparse.ArgumentParser]") -> None:
    about = "send a run's unanswered requests again, in a new run that has all its answers"
    parser = add_command(commands, "retry", about, RETRY_EXAMPLE)
    parser.add_argument("run", metavar="RUN", help="id of the run")
    parser.add_argument(
        "--header",
        action="append",
        default=[],
        metavar="'NAME: VALUE'",
        help="a header's value, which a run forgets when it ends; repeatable",
    )
    parser.add_argument("--label", help="what the new run tries")
    parser.add_argument("--wait", action="store_true", help="wait, then print the results")


def _add_probe(commands: "Commands[argparse.ArgumentParser]") -> None:
    about = "send a few queries to an endpoint and show what comes back, and what ids do not fit"
    parser = add_command(commands, "probe", about, PROBE_EXAMPLE)
    add_endpoint_words(parser)
    parser.add_argument("test_set", metavar="TEST_SET", nargs="?", help="to take queries from")
    parser.add_argument(
        "--query", action="append", default=[], metavar="TEXT", help="sent instead; repeatable"
    )
    parser.add_argument("--depth", type=int, metavar="N", help="hits asked of the endpoint")
    parser.set_defaults(profiled=("test_set", "endpoint"))
    parser.add_argument(
        "--timeout", dest="wait_at_most", type=float, metavar="S", help="seconds to wait at most"
    )
