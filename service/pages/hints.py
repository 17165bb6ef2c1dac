"""What pages say to do next: commands that can be copied as they stand."""

from typing import Final

HINTS: Final = {
    "upload": "reteval upload queries.json --name docs",
    "run": "reteval run docs https://search.example/query --label baseline --wait",
    "wait": "reteval wait {run}",
    "retry": "reteval retry {run} --wait",
    "robustness": "reteval run docs https://search.example/query --adversarial default --wait",
    "leakage": "reteval leakage {test_set} --run {run}",
    "create_judging": "reteval judging create docs --endpoint-url https://search.example/query",
    "pool": "reteval judging pool {judging} --wait",
    "judge": "reteval judging judge {judging} judge.json --wait",
    "freeze": "reteval judging freeze {judging}",
    "schedule": "reteval schedule create nightly '0 3 * * *' docs https://search.example/query",
    "schedule_now": "reteval schedule start {schedule}",
    "alert": "reteval alert create alert.yaml",
}


def hint(*names: str, **values: str) -> str:
    """Return commands, a line each, about what `values` name."""
    return "\n".join(HINTS[name].format(**values) for name in names)
