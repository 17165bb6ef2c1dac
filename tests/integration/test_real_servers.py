"""Real search servers, evaluated through their presets and checked with pytrec_eval.

Each needs packages that are no part of the project; without them its test is skipped.
`REAL_SERVERS_PYTHON` names a Python that has them, `REAL_SERVERS_GROONGA` Groonga's program and
`REAL_SERVERS_ANSERINI` Anserini's jar.
"""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from reteval import Client
from tests.service_process import ROOT


@pytest.fixture
def real(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """Import the example as its own folder sees it."""
    monkeypatch.syspath_prepend(str(ROOT / "examples" / "real"))
    import evaluate

    yield evaluate
    for name in ("evaluate", "servers", "corpora"):
        sys.modules.pop(name, None)


@pytest.mark.parametrize("server", ["osmem", "typesense", "datasette", "groonga", "anserini"])
def test_a_real_server_agrees_with_trec_eval(
    real: ModuleType, client: Client, shared_data: Path, tmp_path: Path, server: str
) -> None:
    """Through a preset, every query has an answer, and every value is pytrec_eval's."""
    tools = real.Tools(
        os.environ.get("REAL_SERVERS_PYTHON", sys.executable),
        os.environ.get("REAL_SERVERS_GROONGA", "groonga"),
        os.environ.get("REAL_SERVERS_ANSERINI", "anserini.jar"),
    )
    missing = real.find_missing(server, tools)
    if missing:
        pytest.skip(missing)
    corpus = real.read_corpus("cranfield", shared_data)
    with real.SERVERS[server](corpus, tmp_path, tools) as endpoint:
        verdict = real.evaluate(client, corpus, endpoint, 100)
    assert verdict.largest <= real.TOLERANCE
    counts = verdict.report.counts
    assert counts.ok == counts.planned == 225
    for metric, mean in verdict.means.items():
        assert verdict.report.metrics[metric].mean == pytest.approx(mean, abs=1e-9)
    assert verdict.report.metrics["ndcg@10"].mean > 0.1
