"""Scoring from Python lists and from stored rankings, beside the field's metric libraries.

Nine metrics (ndcg@10, recall at five cut-offs, precision@10, mrr, map), per query and as means,
on four shapes of data. Every library gets the same rankings in the form it takes and runs in
one process a case, turn and turn about; values are compared query by query. CPU time is that of all
threads. Peak memory is measured in a forked child, above what the data already takes.
"""

import argparse
import gc
import importlib
import os
import statistics
import struct
import sys
import time
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final

import numpy as np
from metrics_cases import SHAPES, Case, make_case
from msgspec import structs

from reteval.contract.metrics import parse_metric
from worker.metrics.hits import Hits, find_hits
from worker.metrics.judgments import Judgments
from worker.metrics.kernel import score
from worker.metrics.packed import Numbering, find_hits_packed
from worker.metrics.tally import Values

NAMES: Final = {
    "ndcg@10": ("ndcg_cut_10", "nDCG@10", "ndcg@10"),
    **{f"recall@{k}": (f"recall_{k}", f"R@{k}", f"recall@{k}") for k in (1, 3, 5, 10, 100)},
    "precision@10": ("P_10", "P@10", "precision@10"),
    "mrr": ("recip_rank", "RR", "mrr"),
    "map": ("map", "AP", "map"),
}
"""Our name of each metric; pytrec_eval's, ir_measures' and ranx's."""
METRICS: Final = [parse_metric(name) for name in NAMES]
DEPTH: Final = 1_000
LIST_GOALS: Final = {"a": 1.5, "b": 2.5, "c": 6.0, "d": 2.5}
STORED_GOALS: Final = {"a": 4.0, "b": 5.0, "c": 25.0, "d": 4.0}
MEMORY_GOAL: Final = 0.25
RANX_GOAL: Final = 8.0
LISTS, STORED = "reteval, lists", "reteval, stored"
EVALUATE: Final = "pytrec_eval, evaluate"
NUMBERING: Final = "reteval, numbering"
Work = Callable[[], Any]
Columns = dict[str, Values]


def main() -> int:
    """Run the cases and print a table and figures for each; 1 if a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", default="a,b,c,d")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--budget", type=float, default=30, help="seconds a way may take in all")
    options = parser.parse_args()
    peers = [name for name in ("pytrec_eval", "ir_measures", "ranx") if find_library(name)]
    for name in ("pytrec_eval", "ir_measures", "ranx"):
        if name not in peers:
            print(f"{name} is not installed: left out")
    print_versions(peers)
    missed = [start_case(name, peers, options) for name in options.cases.split(",")]
    return int(any(missed))


def start_case(name: str, peers: list[str], options: argparse.Namespace) -> bool:
    """Measure a case in a forked child, so that memory freed by another is not reused."""
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        missed = run_case(name, peers, options)
        sys.stdout.flush()
        os._exit(int(missed))
    return os.waitpid(child, 0)[1] != 0


def run_case(name: str, peers: list[str], options: argparse.Namespace) -> bool:
    """Measure one case; whether a goal was missed."""
    case = make_case(SHAPES[name])
    ways = prepare_ways(case, peers)
    small = prepare_ways(make_case(structs.replace(SHAPES[name], queries=20)), peers)
    gc.collect()
    gc.freeze()
    peaks = {way: measure_peak(ways[way], small[way]) for way in ways if way != "ranx"}
    if "ranx" in ways:
        small["ranx"]()  # compiles for this length of ids
    differences = compare_values(case, ways)
    times = time_ways(ways, options)
    print_table(name, times, peaks, differences)
    goals = list_figures(name, times, peaks)
    for figure, value, sign, goal in goals:
        print(f"figure {figure} {value:.2f} goal {sign} {goal}")
    gc.unfreeze()
    return any(
        value < goal if sign == ">=" else value > goal for _, value, sign, goal in goals
    ) or any(difference > 1e-9 for difference in differences.values())


def prepare_ways(case: Case, peers: list[str]) -> dict[str, Work]:
    """Return what is timed, by name: each makes per-query values and means."""
    judgments = Judgments.index(case.query_ids, case.grades, relevant_from=1)
    ids, chunks = case.store()
    numbering = Numbering.build(judgments, ids)

    def from_lists() -> Columns:
        known = Judgments.index(case.query_ids, case.grades, relevant_from=1)
        return average(known, find_hits(known, case.rankings, depth=DEPTH))

    def from_store() -> Columns:
        return average(judgments, find_hits_packed(judgments, numbering, chunks, depth=DEPTH))

    ways: dict[str, Work] = {
        LISTS: from_lists,
        STORED: from_store,
        NUMBERING: lambda: Numbering.build(judgments, ids),
    }
    qrels, run = case.qrels, case.score()
    if "pytrec_eval" in peers:
        evaluator = build_pytrec_eval(qrels)
        ways["pytrec_eval"] = lambda: average_rows(build_pytrec_eval(qrels).evaluate(run))
        ways[EVALUATE] = lambda: evaluator.evaluate(run)
    if "ir_measures" in peers:
        ways["ir_measures"] = lambda: use_ir_measures(qrels, run)
    if "ranx" in peers:
        ways["ranx"] = lambda: use_ranx(qrels, run)
    return ways


def average(judgments: Judgments, hits: Hits) -> Columns:
    """Return our values by query; means are part of the work."""
    values = score(judgments, hits, METRICS)
    for column in values.values():
        np.nanmean(column)
    return {str(metric): column for metric, column in values.items()}


def build_pytrec_eval(qrels: dict[str, dict[str, int]]) -> Any:
    """Make its evaluator of the nine metrics."""
    library = importlib.import_module("pytrec_eval")
    measures = {"ndcg_cut.10", "recall.1,3,5,10,100", "P.10", "recip_rank", "map"}
    return library.RelevanceEvaluator(qrels, measures)


def average_rows(rows: dict[str, dict[str, float]]) -> dict[str, dict[str, float]]:
    """Return pytrec_eval's rows; means are part of the work."""
    for trec, _, _ in NAMES.values():
        sum(row[trec] for row in rows.values()) / len(rows)
    return rows


def use_ir_measures(qrels: dict[str, dict[str, int]], run: dict[str, dict[str, float]]) -> Any:
    """Score by ir_measures: per-query values and means in one call."""
    library = importlib.import_module("ir_measures")
    measures = [library.parse_measure(name) for _, name, _ in NAMES.values()]
    return library.calc(measures, qrels, run)


def use_ranx(qrels: dict[str, dict[str, int]], run: dict[str, dict[str, float]]) -> Any:
    """Score by ranx from its input dictionaries; its run keeps the per-query values."""
    library = importlib.import_module("ranx")
    made = library.Run(run)
    library.evaluate(library.Qrels(qrels), made, [name for _, _, name in NAMES.values()])
    return made.scores


def compare_values(case: Case, ways: dict[str, Work]) -> dict[str, float]:
    """Return the largest difference of any query's value from pytrec_eval's, by way.

    Queries without a relevant document have no value with us and are 0 elsewhere.
    """
    if "pytrec_eval" not in ways:
        return {}
    theirs = ways["pytrec_eval"]()
    names = {name: trec for name, (trec, _, _) in NAMES.items()}
    expected = {
        name: np.array([theirs[query][trec] for query in case.query_ids])
        for name, trec in names.items()
    }
    return {
        way: max(
            float(np.nanmax(np.abs(column - expected[name])))
            for name, column in as_columns(way, ways[way](), case).items()
        )
        for way in (LISTS, STORED, "ir_measures", "ranx")
        if way in ways
    }


def as_columns(way: str, answer: Any, case: Case) -> Columns:
    """Bring an answer into the order of the queries."""
    if way.startswith("reteval"):
        return dict(answer)
    if way == "ranx":
        return {
            name: np.array([answer[ranx][query] for query in case.query_ids])
            for name, (_, _, ranx) in NAMES.items()
        }
    _, rows = answer
    values = {(str(row.measure), row.query_id): row.value for row in rows}
    return {
        name: np.array([values[measure, query] for query in case.query_ids])
        for name, (_, measure, _) in NAMES.items()
    }


def time_ways(ways: dict[str, Work], options: argparse.Namespace) -> dict[str, tuple[float, float]]:
    """Return medians of wall and CPU seconds; a slow way stops when its budget is spent."""
    spent: dict[str, list[tuple[float, float]]] = {way: [] for way in ways}
    for _ in range(options.rounds):
        for way, work in ways.items():
            if sum(wall for wall, _ in spent[way]) > options.budget:
                continue
            gc.collect()
            wall, cpu = time.perf_counter(), time.process_time()
            kept = work()
            spent[way].append((time.perf_counter() - wall, time.process_time() - cpu))
            del kept
    return {
        way: (statistics.median(w for w, _ in rows), statistics.median(c for _, c in rows))
        for way, rows in spent.items()
    }


def measure_peak(work: Work, small: Work) -> float:
    """Return the MiB that `work` adds at its peak, in a forked child; NaN where not Linux.

    The child runs the same on a `small` case first, so that mapped code is no part of it.
    """
    if not Path("/proc/self/clear_refs").exists():
        return float("nan")
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        small()
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
        before = read_status("VmRSS")
        kept = work()
        os.write(writing, struct.pack("d", (read_status("VmHWM") - before) / 1024))
        del kept
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        answer = pipe.read()
    os.waitpid(child, 0)
    return float(struct.unpack("d", answer)[0])


def read_status(field: str) -> int:
    """Return a number of KiB from the process's status."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(field))


def list_figures(
    name: str, times: dict[str, tuple[float, float]], peaks: dict[str, float]
) -> list[tuple[str, float, str, float]]:
    """Return name, value, direction and goal of each figure of a case."""
    figures = []
    if "pytrec_eval" in times:
        lists = times["pytrec_eval"][1] / times[LISTS][1]
        stored = times[EVALUATE][1] / times[STORED][1]
        memory = peaks[LISTS] / peaks["pytrec_eval"]
        figures = [
            (f"metrics_{name}_lists_vs_pytrec_eval", lists, ">=", LIST_GOALS[name]),
            (f"metrics_{name}_stored_vs_pytrec_eval", stored, ">=", STORED_GOALS[name]),
            (f"metrics_{name}_peak_memory_share", memory, "<=", MEMORY_GOAL),
        ]
    if "ranx" in times:
        warm = times["ranx"][1] / times[LISTS][1]
        figures.append((f"metrics_{name}_lists_vs_warm_ranx", warm, ">=", RANX_GOAL))
    return figures


def print_table(
    name: str,
    times: dict[str, tuple[float, float]],
    peaks: dict[str, float],
    differences: dict[str, float],
) -> None:
    """Print medians, peak memory and the largest difference of a value."""
    shape = SHAPES[name]
    print(f"\ncase {name}: {shape.about}, {shape.queries} queries x {shape.results} results")
    print(f"{'way':24}{'wall s':>9}{'cpu s':>9}{'ns/result':>11}{'peak MiB':>10}{'max diff':>10}")
    for way, (wall, cpu) in times.items():
        each = cpu / (shape.queries * shape.results) * 1e9
        peak = f"{peaks[way]:.0f}" if way in peaks else "-"
        difference = f"{differences[way]:.0e}" if way in differences else "-"
        print(f"{way:24}{wall:9.3f}{cpu:9.3f}{each:11.1f}{peak:>10}{difference:>10}")


def print_versions(peers: list[str]) -> None:
    """Print what is compared."""
    packages = {"pytrec_eval": "pytrec-eval-terrier", "ir_measures": "ir-measures"}
    shown = ", ".join(f"{packages.get(p, p)} {version(packages.get(p, p))}" for p in peers)
    print(f"python {sys.version.split()[0]}, numpy {np.__version__}; {shown}")


def find_library(name: str) -> bool:
    """Whether a library can be imported."""
    try:
        importlib.import_module(name)
    except (ImportError, PackageNotFoundError):
        return False
    return True


if __name__ == "__main__":
    sys.exit(main())
