"""The command `judging`, against a scripted service."""

import json
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest

from reteval.contract.agreement import (
    ConfigMetric,
    DebiasedMetric,
    Estimate,
    LabelDoubt,
    ProbeKind,
    ProbeResult,
    QueryAudit,
    RaterAgreement,
    Scorecard,
)
from reteval.contract.judges import Judge, JudgeEstimate, JudgeModel, JudgeRequest, Trial
from reteval.contract.judgings import JudgingPage, JudgingReport, JudgingState, Measurement, Review
from reteval.contract.runs import RunStatus
from tests.unit.reteval.cli.test_command import command
from tests.unit.reteval.documents import PINNED, answer
from tests.unit.reteval.test_judgings import BUSY, JOB, JUDGING, VOTED

UNKNOWN = Estimate(value=None, ci=None, level=0.95, method="t", reason="no_pairs")
KNOWN = Estimate(value=0.5, ci=(0.25, 0.75), level=0.95, method="t")
JUDGED = msgspec.structs.replace(
    JUDGING,
    state=JudgingState.JUDGED,
    judges=(
        Judge(
            rater="m@1",
            request=JudgeRequest(model=JudgeModel(base_url="https://m.example", name="m")),
            prompt_id="graded",
            prompt_version=1,
            prompt_hash="sha256:0",
        ),
    ),
    review=Review(queued=4, reviewed=1),
)


def report(**found: Any) -> httpx.Response:
    """Answer a job that has ended with a report."""
    return answer(msgspec.structs.replace(JOB, report=JudgingReport(**found)))


@pytest.fixture
def judge_file(tmp_path: Path) -> Path:
    """Write how a judge is described, without its key."""
    path = tmp_path / "judge.json"
    path.write_text('{"model": {"base_url": "https://m.example", "name": "m"}}')
    return path


def test_create_sends_what_is_given() -> None:
    """Endpoints, saved ones and runs; what is not given is left to the defaults."""
    words = ["--endpoint-url", "https://a.example", "--saved", "b", "--run", "run_1"]
    code, out, _, service = command(
        "judging", "create", "docs", *words, "--depth", "5", answers=[answer(JUDGING)]
    )
    assert (code, out.splitlines()[-1]) == (0, "next: reteval judging pool jdg_1 --wait")
    assert json.loads(service.bodies[0]) == {
        "test_set": "docs",
        "endpoints": [{"url": "https://a.example"}, {"saved": "b"}],
        "runs": ["run_1"],
        "depth": 5,
    }


def test_list_and_show() -> None:
    """A row a judging; of one, its pool, its judges and its queue."""
    _, out, _, _ = command("judging", "list", answers=[answer(JudgingPage(items=(JUDGED,)))])
    assert "jdg_1" in out.splitlines()[-1]
    _, out, _, _ = command(
        "judging", "list", "--json", answers=[answer(JudgingPage(items=(JUDGED,)))]
    )
    assert json.loads(out)["id"] == "jdg_1"
    assert command("judging", "list", answers=[answer(JudgingPage(items=()))])[1] == ""
    _, out, _, _ = command("judging", "show", "jdg_1", answers=[answer(JUDGED)])
    assert out.splitlines() == [
        "jdg_1 help judged",
        "pool: 9 pairs of 2 queries, 0 known, 0 without a text, 0 searches failed",
        "judge m@1: 0 of 0 pairs, 0 failed; 0 calls, 0 answers known, 0 tokens, 0.00",
        "review: 4 queued, 1 reviewed",
    ]


def test_pool_and_judge_wait_for_the_end(judge_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The key comes from the environment; one that stopped early is an exit code of its own."""
    monkeypatch.setenv("RETEVAL_JUDGE_KEY", "s3cret")
    code, _, _, _ = command(
        "judging", "pool", "jdg_1", "--wait", answers=[answer(BUSY), answer(JUDGING)]
    )
    assert code == 0
    stopped = msgspec.structs.replace(JUDGED, state=JudgingState.BUDGET_EXHAUSTED, error="a cap")
    code, out, _, service = command(
        *("judging", "judge", "jdg_1", str(judge_file), "--wait"),
        answers=[answer(BUSY), answer(stopped)],
    )
    assert (code, out.splitlines()[0]) == (1, "jdg_1 help budget_exhausted: a cap")
    assert json.loads(service.bodies[0])["model"]["key"] == "s3cret"
    code, out, _, _ = command("judging", "judge", "jdg_1", str(judge_file), answers=[answer(BUSY)])
    assert (code, out.splitlines()[0]) == (0, "jdg_1 help judging")


def test_file_that_is_no_description(tmp_path: Path) -> None:
    """It is a wrong command line, and nothing is sent."""
    (tmp_path / "judge.json").write_text("[")
    code, _, err, service = command(
        "judging", "judge", "jdg_1", str(tmp_path / "judge.json"), answers=[]
    )
    assert (code, service.requests) == (2, [])
    assert "cannot be read" in err


def test_estimate_and_try(judge_file: Path) -> None:
    """What it would come to, and what one pair came to, a failure as such."""
    estimate = JudgeEstimate(
        pairs=3,
        cached=1,
        calls=2,
        prompt_tokens=900,
        completion_tokens=400,
        cost=1.5,
        exceeds=("max_cost",),
    )
    _, out, _, _ = command(
        *("judging", "estimate", "jdg_1", str(judge_file)), answers=[report(estimate=estimate)]
    )
    assert out == (
        "3 pairs, 1 answers known, 2 calls, 900 + at most 400 tokens, at most 1.50\n"
        "beyond: max_cost\n"
    )
    for grade, error, said in (
        (2, "", "q d: grade 2 so"),
        (None, "refusal", "q d: failed: refusal so"),
    ):
        trial = Trial(
            query_id="q",
            doc_id="d",
            sent="",
            http_status=200,
            answer="",
            grade=grade,
            probs=None,
            explanation="so",
            error=error,
            detail="",
            response_format="none",
        )
        _, out, _, _ = command(
            *("judging", "try", "jdg_1", str(judge_file)), answers=[report(trial=trial)]
        )
        assert out == f"{said}\n"


@pytest.mark.parametrize("action", ["estimate", "try", "scorecard"])
def test_job_that_failed(judge_file: Path, action: str) -> None:
    """It is told with its reason, and by the exit code."""
    failed = msgspec.structs.replace(JOB, status=RunStatus.FAILED, error="not_sendable")
    code, out, _, _ = command("judging", action, "jdg_1", str(judge_file), answers=[answer(failed)])
    assert (code, out) == (1, "jst_1 failed: not_sendable\n")


def test_measure_that_failed() -> None:
    """It is told by the exit code, too."""
    failed = msgspec.structs.replace(JOB, status=RunStatus.FAILED)
    assert command("judging", "measure", "jdg_1", answers=[answer(failed)])[:2] == (
        1,
        "jst_1 failed\n",
    )


def test_scorecard_names_what_a_judge_falls_for(judge_file: Path) -> None:
    """Each kind with its figure and bound; a judge that has one answer is called that."""
    probe = ProbeResult(
        kind=ProbeKind.NEGATIVE, n=9, failed=0, estimate=KNOWN, bound=0.2, exposed=True
    )
    card = Scorecard(
        probes=(probe,), grades=(0, 0, 0, 9), failed=0, constant=True, exposed=(ProbeKind.NEGATIVE,)
    )
    _, out, _, _ = command(
        *("judging", "scorecard", "jdg_1", str(judge_file)), answers=[report(scorecard=card)]
    )
    assert out.splitlines() == [
        "negative   0.50 [0.25, 0.75] of 9, bound 0.2  EXPOSED",
        "every answer was the same",
    ]


def test_measure_says_why_a_figure_is_missing() -> None:
    """An undefined figure is no 0; a value without an interval stands alone."""
    found = Measurement(
        rater="m@1",
        sampled=4,
        reviewed=0,
        agreement=None,
        raters=RaterAgreement(
            raters=(), shared=0, unanimous=0, alpha=UNKNOWN, compared=(), too_perfect=False
        ),
    )
    _, out, _, _ = command("judging", "measure", "jdg_1", answers=[report(measurement=found)])
    assert out.splitlines() == [
        "0 of 4 pairs of the sample have a person's grade",
        "people: alpha undefined (no_pairs) on 0 pairs",
    ]


def test_measure_tells_metrics_beside_what_is_left_to_do() -> None:
    """Raw and corrected with both bands, how many queries are unsure, and how to get more."""
    row = ConfigMetric(
        config="endpoint 1",
        metric="ndcg@10",
        debiased=DebiasedMetric(queries=40, labelled=3, raw=KNOWN, corrected=UNKNOWN, bias=UNKNOWN),
        label_band=(0.4, 0.6),
    )
    doubt = LabelDoubt(
        metric="ndcg@10",
        queries=40,
        uncertain=9,
        unsure_pairs=21,
        least_margin=0.5,
        widest_band=0.2,
        mean_width=0.25,
        widest=(),
        calibrated_by=12,
    )
    audit = QueryAudit(sampled=30, labelled=3, needed=20, pairs_left=99, fix="Grade more.")
    nobody = RaterAgreement(
        raters=(), shared=0, unanimous=0, alpha=UNKNOWN, compared=(), too_perfect=False
    )
    found = Measurement(
        rater="m@1",
        sampled=4,
        reviewed=0,
        agreement=None,
        raters=nobody,
        query_audit=audit,
        metrics=(row, msgspec.structs.replace(row, config="run_1", label_band=None)),
        labels=doubt,
    )
    _, out, _, _ = command("judging", "measure", "jdg_1", answers=[report(measurement=found)])
    assert out.splitlines()[2:] == [
        (
            "endpoint 1 ndcg@10: by the judge 0.50 [0.25, 0.75], labels [0.40, 0.60], "
            "corrected undefined (no_pairs), by 3 of 40 queries"
        ),
        (
            "run_1 ndcg@10: by the judge 0.50 [0.25, 0.75], "
            "corrected undefined (no_pairs), by 3 of 40 queries"
        ),
        "9 of 40 queries are uncertain, by 21 pairs; label bands are 0.25 wide on average",
        "to correct: Grade more.",
    ]


def test_table_goes_out_and_comes_back(tmp_path: Path) -> None:
    """The queue is printed or written, and a filled-in table sent with who filled it in."""
    table = httpx.Response(200, content=b"query_id,docid\n")
    assert command("judging", "review", "jdg_1", answers=[table])[1] == "query_id,docid\n"
    words = ["--audit", "queries"]
    _, _, _, asked = command("judging", "review", "jdg_1", *words, answers=[table])
    assert asked.requests[0].url.params["audit"] == "queries"
    path = tmp_path / "review.csv"
    command("judging", "review", "jdg_1", "--output", str(path), answers=[table])
    assert path.read_bytes() == b"query_id,docid\n"
    _, out, _, service = command(
        "judging", "vote", "jdg_1", str(path), "--rater", "ada", answers=[answer(VOTED)]
    )
    assert out == "1 votes; 1 pairs reviewed\n"
    assert service.requests[0].url.query == b"rater=ada"


def test_freeze_names_the_set() -> None:
    """Id, version and hash of what it became."""
    closed = msgspec.structs.replace(JUDGED, state=JudgingState.FROZEN, frozen=PINNED)
    words = ["--consensus", "median", "--allow-unjudged", "--name", "gold"]
    _, out, _, service = command("judging", "freeze", "jdg_1", *words, answers=[answer(closed)])
    assert out == "jdg_1 is frozen: ts_1 docs version 2 sha256:00\n"
    assert json.loads(service.bodies[0]) == {
        "consensus": "median",
        "allow_unjudged": True,
        "name": "gold",
    }


def test_cancel_and_remove() -> None:
    """One tells the state, the other says nothing."""
    assert command("judging", "cancel", "jdg_1", answers=[answer(BUSY)])[0] == 0
    assert command("judging", "remove", "jdg_1", answers=[httpx.Response(204)])[:2] == (0, "")
