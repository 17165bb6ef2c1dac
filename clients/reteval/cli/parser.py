"""The words of the command line and what they mean. Parses; does nothing."""

import argparse
from pathlib import Path
from typing import Final

from reteval.cli.access_words import add_access
from reteval.cli.judging_words import add_judging
from reteval.cli.leakage_words import add_leakage
from reteval.cli.run_words import add_run_options
from reteval.cli.suite_words import add_suites
from reteval.cli.test_set_words import add_test_sets
from reteval.cli.upload_words import add_upload
from reteval.cli.version_words import add_versions
from reteval.cli.webhook_words import add_webhooks
from reteval.cli.words import Commands, add_command, add_global_options

FORMATS: Final = ("text", "json", "junit", "markdown")

EPILOG: Final = """\
example:
  reteval upload queries.json --name docs
  reteval run docs http://127.0.0.1:8000/search --label baseline --wait
  reteval results run_0123456789abcdef

exit codes: 0 done, 1 refused by the service or not completed, 2 usage, 3 the run failed;
of gate: 0 pass, 1 fail, 2 usage, 3 run failed or no verdict, 4 blocked, 5 inconclusive
"""
RUN_EXAMPLE: Final = """\
example:
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
RESCORE_EXAMPLE: Final = """\
example:
  reteval rescore run_0123456789abcdef --metrics ndcg@5,map --relevant-from 2 --wait
"""
RETRY_EXAMPLE: Final = """\
example:
  reteval retry run_0123456789abcdef --header 'Authorization: Bearer s3cret' --wait
"""
COMPARE_EXAMPLE: Final = """\
example:
  reteval compare run_0123456789abcdef run_fedcba9876543210 --primary ndcg@10 --margin 0.02
"""
GATE_EXAMPLE: Final = """\
examples:
  reteval gate gate.yaml --run run_fedcba9876543210 --baseline-label main
  reteval gate gate.yaml --run run_fedcba9876543210 --format junit --output gate.xml
"""
POWER_EXAMPLE: Final = """\
examples:
  reteval power --sigma 0.2 --delta 0.05 --n 50
  reteval power run_0123456789abcdef run_fedcba9876543210 --metric ndcg@10
"""
PROBE_EXAMPLE: Final = """\
examples:
  reteval probe https://search.example/query docs --header 'Authorization: Bearer s3cret'
  reteval probe https://search.example/query --query 'reset my password' --query refunds
"""
PIN_EXAMPLE: Final = """\
example:
  reteval pin run_0123456789abcdef
"""
UNPIN_EXAMPLE: Final = """\
example:
  reteval unpin run_0123456789abcdef
"""
USAGE_EXAMPLE: Final = """\
example:
  reteval usage
"""
BACKUP_EXAMPLE: Final = """\
examples:
  reteval backup baseline.backup --run run_0123456789abcdef
  reteval backup everything.backup --all
"""
RESTORE_EXAMPLE: Final = """\
example:
  reteval restore everything.backup
"""


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of the whole command line."""
    parser = argparse.ArgumentParser(
        prog="reteval",
        description="Measure how well a search endpoint finds what it should.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(url=None, api_key=None, json=False)
    add_global_options(parser)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    add_upload(commands)
    add_test_sets(commands)
    _add_run(commands)
    _add_wait(commands)
    _add_results(commands)
    _add_history(commands)
    _add_rescore(commands)
    _add_retry(commands)
    _add_compare(commands)
    _add_gate(commands)
    _add_power(commands)
    _add_probe(commands)
    add_leakage(commands)
    _add_keeping(commands)
    add_suites(commands)
    add_access(commands)
    add_webhooks(commands)
    add_judging(commands)
    add_versions(commands)
    return parser


def _add_run(commands: "Commands[argparse.ArgumentParser]") -> None:
    about = "start a run against a search endpoint"
    parser = add_command(commands, "run", about, RUN_EXAMPLE)
    parser.add_argument("test_set", metavar="TEST_SET", help="id, or name (its newest version)")
    add_run_options(parser)


def _add_wait(commands: "Commands[argparse.ArgumentParser]") -> None:
    parser = add_command(commands, "wait", "wait for a run to end", WAIT_EXAMPLE)
    parser.add_argument("run", metavar="RUN", help="id of the run")
    parser.add_argument("--timeout", type=float, metavar="S", help="seconds to wait at most")


def _add_results(commands: "Commands[argparse.ArgumentParser]") -> None:
    parser = add_command(commands, "results", "print the report of a run", RESULTS_EXAMPLE)
    parser.add_argument("run", metavar="RUN", help="id of the run")


def _add_history(commands: "Commands[argparse.ArgumentParser]") -> None:
    about = "print how a metric went from run to run"
    parser = add_command(commands, "history", about, HISTORY_EXAMPLE)
    parser.add_argument("test_set", metavar="TEST_SET", help="id, or name (all its versions)")
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


def _add_compare(commands: "Commands[argparse.ArgumentParser]") -> None:
    about = "compare two runs query by query: better, worse, no change, or can't tell"
    parser = add_command(commands, "compare", about, COMPARE_EXAMPLE)
    parser.add_argument("baseline", metavar="BASELINE", help="id of the run before")
    parser.add_argument("candidate", metavar="CANDIDATE", help="id of the run after")
    parser.add_argument("--primary", metavar="METRIC", help="whose verdict is the overall one")
    parser.add_argument("--metrics", metavar="A,B", help="default: all that both runs have")
    parser.add_argument("--margin", type=float, metavar="X", help="difference that is none")
    parser.add_argument("--alpha", type=float, metavar="X", help="default 0.05")
    parser.add_argument(
        "--intersection", action="store_true", help="compare the queries both test sets have"
    )
    parser.add_argument("--timeout", type=float, metavar="S", help="seconds to wait at most")


def _add_gate(commands: "Commands[argparse.ArgumentParser]") -> None:
    about = "hold a run to a gate file; the exit code is the verdict"
    parser = add_command(commands, "gate", about, GATE_EXAMPLE)
    parser.add_argument("file", metavar="FILE", type=Path, help="the gate, YAML or JSON")
    parser.add_argument("--run", metavar="RUN", help="id of the run that is held to it")
    parser.add_argument("--comparison", metavar="ID", help="a comparison, in place of --run")
    parser.add_argument("--baseline", metavar="RUN", help="run that drops are measured from")
    parser.add_argument(
        "--baseline-label", metavar="LABEL", help="newest completed run with this label instead"
    )
    parser.add_argument("--format", choices=FORMATS, default="text", help="default: text")
    parser.add_argument("--output", metavar="FILE", type=Path, help="write the verdict there")
    parser.add_argument("--timeout", type=float, metavar="S", help="seconds to wait at most")


def _add_power(commands: "Commands[argparse.ArgumentParser]") -> None:
    about = "tell how many queries show a difference"
    parser = add_command(commands, "power", about, POWER_EXAMPLE)
    parser.add_argument("runs", metavar="RUN", nargs="*", help="two runs over one test set")
    parser.add_argument("--metric", help="of the runs; default ndcg@10 or mrr")
    parser.add_argument("--sigma", type=float, metavar="S", help="in place of the runs")
    parser.add_argument("--delta", type=float, metavar="X", help="difference to see; default 0.05")
    parser.add_argument("--n", type=int, metavar="N", help="queries; default those of the runs")
    parser.add_argument("--alpha", type=float, metavar="X", help="default 0.05")
    parser.add_argument("--power", type=float, metavar="X", help="default 0.8")


def _add_probe(commands: "Commands[argparse.ArgumentParser]") -> None:
    about = "send a few queries to an endpoint and show what comes back, and what ids do not fit"
    parser = add_command(commands, "probe", about, PROBE_EXAMPLE)
    parser.add_argument("endpoint_url", metavar="URL", nargs="?", help="the search endpoint")
    parser.add_argument("test_set", metavar="TEST_SET", nargs="?", help="to take queries from")
    parser.add_argument("--endpoint", type=Path, metavar="FILE", help="JSON that describes it")
    parser.add_argument(
        "--header", action="append", default=[], metavar="'K: V'", help="sent to it; repeatable"
    )
    parser.add_argument(
        "--query", action="append", default=[], metavar="TEXT", help="sent instead; repeatable"
    )
    parser.add_argument("--depth", type=int, metavar="N", help="hits asked of the endpoint")
    parser.add_argument(
        "--timeout", dest="wait_at_most", type=float, metavar="S", help="seconds to wait at most"
    )


def _add_keeping(commands: "Commands[argparse.ArgumentParser]") -> None:
    pin = add_command(commands, "pin", "keep a run from expiring", PIN_EXAMPLE)
    unpin = add_command(commands, "unpin", "let a run expire", UNPIN_EXAMPLE)
    for parser in (pin, unpin):
        parser.add_argument("run", metavar="RUN", help="id of the run")
    about = "print what is kept, for how long, and what is left"
    add_command(commands, "usage", about, USAGE_EXAMPLE)
    about = "save runs and judgings with their test sets, and test sets in one file"
    backup = add_command(commands, "backup", about, BACKUP_EXAMPLE)
    backup.add_argument("file", metavar="FILE", type=Path, help="to write")
    backup.add_argument("--run", action="append", default=[], metavar="ID", help="repeatable")
    backup.add_argument("--test-set", action="append", default=[], metavar="ID", help="repeatable")
    backup.add_argument("--judging", action="append", default=[], metavar="ID", help="repeatable")
    backup.add_argument("--all", action="store_true", help="all sets, ended runs and judgings")
    about = "bring back what a backup holds and the service does not have"
    restore = add_command(commands, "restore", about, RESTORE_EXAMPLE)
    restore.add_argument("file", metavar="FILE", type=Path, help="made by `reteval backup`")
