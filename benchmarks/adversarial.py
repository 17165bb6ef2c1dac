"""How long it takes to make the default suite, beside the calls that it leads to.

Each query gets every variant of the preset `default`. Processor time is taken, for one process
does the work and the machine may be busy. The calls are counted at a thousand
requests a second, which few endpoints stand; the share of their time that goes into making the
variants is the figure. The queries are made of common English words by a seed, questions and
keywords in turn.
"""

import argparse
import statistics
import sys
import time
from collections import Counter
from importlib.metadata import version
from itertools import islice

from reteval.contract.choice import choose
from reteval.contract.kinds import KINDS
from reteval.contract.runs import AdversarialRequest
from reteval.contract.testsets import Judgment, Query
from worker.adversarial.draws import Draws, derive_seed
from worker.adversarial.suite import Suite, build_suite
from worker.adversarial.vocabulary import list_common_words

CALLS_PER_SECOND = 1_000
GOAL = 0.1
WORDS = 5_000
OPENERS = ("How do I", "What is the", "Where can I find", "Why does my", "Can I")
LINKS = ("for the", "with", "in", "of a", "and")


def main() -> int:
    """Time the suite, print a table, and return 1 if the goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--queries", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    queries = make_queries(options.queries)
    request = AdversarialRequest(preset="default", seed=7, sample=options.queries)
    plan(queries[:10], request)  # the word lists are read once in a worker's life
    took, suite = [], None
    for _ in range(options.rounds):
        began = time.process_time()
        suite = plan(queries, request)
        took.append(time.process_time() - began)
    assert suite is not None  # noqa: S101
    planned = choose(request).count_calls(len(queries))
    print(f"python {sys.version.split()[0]}, msgspec {version('msgspec')}")
    print_kinds(suite)
    seconds = statistics.median(took)
    made, calls = len(suite.requests), len(suite.requests) / CALLS_PER_SECOND
    print(
        f"{options.queries:,} queries, {made:,} variants of at most {planned:,}: "
        f"{seconds:.1f} s ({1e6 * seconds / made:.0f} us each); the calls take {calls:.0f} s"
    )
    share = seconds / calls
    print(f"figure adversarial_share_of_calls {share:.3f} goal <= {GOAL}")
    return int(share > GOAL)


def plan(queries: list[Query], request: AdversarialRequest) -> Suite:
    """Plan the suite as a run does."""
    return build_suite(queries, request, relevant_from=1, language="en")


def make_queries(count: int) -> list[Query]:
    """Make queries of two to eight content words."""
    common = sorted(word for word in list_common_words("en") if len(word) > 3 and word.isalpha())
    words = list(islice(common, 0, None, max(1, len(common) // WORDS)))
    return [
        Query(id=f"q{number}", query=make_text(number, words), relevant=[Judgment("d", 1)])
        for number in range(count)
    ]


def make_text(number: int, words: list[str]) -> str:
    """Make a question or a list of keywords."""
    draws = Draws(derive_seed("benchmark", number))
    content = [draws.pick(words) for _ in range(2 + draws.index(7))]
    if number % 2:
        return " ".join(content)
    linked = f" {draws.pick(LINKS)} ".join(content)
    return f"{draws.pick(OPENERS)} {linked}?"


def print_kinds(suite: Suite) -> None:
    """Print how many variants of each kind were made."""
    counts = Counter((made.kind, made.severity) for made in suite.requests if made.kind in KINDS)
    for (kind, severity), count in counts.items():
        print(f"{kind:<26} {severity} {count:>8,}")


if __name__ == "__main__":
    sys.exit(main())
