"""The words of the command line and what they mean. Parses; does nothing."""

import argparse
from pathlib import Path
from typing import Final

PRESETS: Final = ("quick", "default", "full")

EPILOG: Final = """\
example:
  reteval upload queries.json --name docs
  reteval run docs http://127.0.0.1:8000/search --label baseline --wait
  reteval results run_0123456789abcdef

exit codes: 0 done, 1 refused by the service or not completed, 2 usage, 3 the run failed
"""
UPLOAD_EXAMPLE: Final = """\
examples:
  reteval upload queries.ndjson --name docs
  reteval upload --topics topics.tsv --qrels qrels.txt --name docs --scale-max 2
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
RESULTS_EXAMPLE: Final = """\
example:
  reteval results run_0123456789abcdef --json
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
    _add_global_options(parser)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _add_upload(commands)
    _add_run(commands)
    _add_wait(commands)
    _add_results(commands)
    return parser


Commands = argparse._SubParsersAction  # noqa: SLF001 - argparse gives this type no public name


def _add_global_options(parser: argparse.ArgumentParser) -> None:
    # Accepted before and after the command's name; an absent one must not undo the other.
    absent = argparse.SUPPRESS
    parser.add_argument("--url", default=absent, help="the service; default: RETEVAL_URL")
    parser.add_argument("--api-key", default=absent, help="default: RETEVAL_API_KEY")
    parser.add_argument(
        "--json", action="store_true", default=absent, help="print the JSON document only"
    )


def _add_command(
    commands: "Commands[argparse.ArgumentParser]", name: str, about: str, example: str
) -> argparse.ArgumentParser:
    parser = commands.add_parser(
        name,
        help=about,
        description=about[0].upper() + about[1:] + ".",
        epilog=example,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    _add_global_options(parser)
    return parser


def _add_upload(commands: "Commands[argparse.ArgumentParser]") -> None:
    about = "upload a test set (JSON, NDJSON, CSV, or TREC topics and qrels)"
    parser = _add_command(commands, "upload", about, UPLOAD_EXAMPLE)
    parser.add_argument("file", metavar="FILE", type=Path, nargs="?", help="JSON, NDJSON or CSV")
    parser.add_argument("--topics", type=Path, help="TREC topics, with --qrels instead of FILE")
    parser.add_argument("--qrels", type=Path, help="TREC judgments")
    parser.add_argument("--name", help="name of the test set")
    parser.add_argument("--scale-max", type=int, metavar="N", help="highest grade; default 3")
    parser.add_argument(
        "--relevant-from", type=int, metavar="N", help="least grade that is relevant; default 1"
    )
    parser.add_argument("--language", help="language of the queries, such as en")
    parser.add_argument("--id-rule", help="how document ids are compared")
    parser.add_argument(
        "--allow-unscorable",
        action="store_true",
        default=None,
        help="accept queries that have no relevant document",
    )


def _add_run(commands: "Commands[argparse.ArgumentParser]") -> None:
    about = "start a run against a search endpoint"
    parser = _add_command(commands, "run", about, RUN_EXAMPLE)
    parser.add_argument("test_set", metavar="TEST_SET", help="id, or name (its newest version)")
    parser.add_argument("endpoint_url", metavar="URL", nargs="?", help="the search endpoint")
    parser.add_argument("--endpoint", type=Path, metavar="FILE", help="JSON that describes it")
    parser.add_argument(
        "--header", action="append", default=[], metavar="'K: V'", help="sent to it; repeatable"
    )
    parser.add_argument("--label", help="what this run tries")
    parser.add_argument("--meta", action="append", default=[], metavar="K=V", help="repeatable")
    _add_measures(parser)
    _add_limits(parser)
    parser.add_argument("--wait", action="store_true", help="wait, then print the results")


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
    group.add_argument("--concurrency", type=int, metavar="N", help="requests at a time")
    group.add_argument("--rate", type=float, metavar="N", help="requests a second at most")
    group.add_argument("--timeout", type=float, metavar="S", help="seconds an attempt may take")
    group.add_argument("--retries", type=int, metavar="N", help="repetitions of a failed request")
    group.add_argument(
        "--max-error-rate", type=float, metavar="X", help="share of failures accepted, 0 to 1"
    )


def _add_wait(commands: "Commands[argparse.ArgumentParser]") -> None:
    parser = _add_command(commands, "wait", "wait for a run to end", WAIT_EXAMPLE)
    parser.add_argument("run", metavar="RUN", help="id of the run")
    parser.add_argument("--timeout", type=float, metavar="S", help="seconds to wait at most")


def _add_results(commands: "Commands[argparse.ArgumentParser]") -> None:
    parser = _add_command(commands, "results", "print the report of a run", RESULTS_EXAMPLE)
    parser.add_argument("run", metavar="RUN", help="id of the run")
