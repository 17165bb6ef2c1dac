"""The command `judging`: pool, judge, review and freeze, and see how far that is."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import Struct

from reteval.cli.session import Exit, Session
from reteval.cli.tables import table
from reteval.contract.agreement import ConfigMetric, Estimate
from reteval.contract.judgings import Judging, JudgingJob, JudgingState

KEY: Final = "RETEVAL_JUDGE_KEY"
_HEAD: Final = ("id", "name", "state", "pairs", "judged", "reviewed")
_STOPPED: Final = (JudgingState.FAILED, JudgingState.CANCELLED, JudgingState.BUDGET_EXHAUSTED)


def judging(session: Session) -> int:
    """Do what the action says."""
    return _ACTIONS[session.options.action](session)


def _create(session: Session) -> int:
    options = session.options
    request: dict[str, Any] = {
        "test_set": options.test_set,
        "endpoints": [
            *({"url": url} for url in options.endpoint_url),
            *({"saved": name} for name in options.saved),
        ],
        "runs": options.run,
    }
    for name in ("depth", "random", "name"):
        if getattr(options, name) is not None:
            request[name] = getattr(options, name)
    made = session.client.create_judging(request)
    return _show(session, made, f"{_describe(made)}\nnext: reteval judging pool {made.id} --wait")


def _list(session: Session) -> int:
    found = list(session.client.judgings())
    if session.options.json:
        for one in found:
            session.print_json(one)
    elif found:
        session.print("\n".join(table(_HEAD, [_cells(one) for one in found], prose=_HEAD)) + "\n")
    return Exit.DONE


def _read(session: Session) -> int:
    return _tell(session, session.client.judging(session.options.judging))


def _pool(session: Session) -> int:
    return _begun(session, session.client.pool_judging(session.options.judging))


def _judge(session: Session) -> int:
    options = session.options
    return _begun(session, session.client.judge(options.judging, _read_judge(options.judge)))


def _try(session: Session) -> int:
    options = session.options
    job = session.client.try_judge(options.judging, _read_judge(options.judge))
    trial = job.report.trial if job.report else None
    if trial is None:
        return _show(session, job, _describe_job(job), code=Exit.REFUSED)
    said = f"grade {trial.grade}" if trial.grade is not None else f"failed: {trial.error}"
    about = " ".join(filter(None, (trial.explanation, trial.detail)))
    return _show(session, job, f"{trial.query_id} {trial.doc_id}: {said} {about}".rstrip())


def _estimate(session: Session) -> int:
    options = session.options
    job = session.client.estimate_judge(options.judging, _read_judge(options.judge))
    found = job.report.estimate if job.report else None
    if found is None:
        return _show(session, job, _describe_job(job), code=Exit.REFUSED)
    beyond = f"\nbeyond: {', '.join(found.exceeds)}" if found.exceeds else ""
    return _show(
        session,
        job,
        f"{found.pairs} pairs, {found.cached} answers known, {found.calls} calls, "
        f"{found.prompt_tokens} + at most {found.completion_tokens} tokens, "
        f"at most {found.cost:.2f}{beyond}",
    )


def _scorecard(session: Session) -> int:
    options = session.options
    job = session.client.score_judge(options.judging, _read_judge(options.judge))
    card = job.report.scorecard if job.report else None
    if card is None:
        return _show(session, job, _describe_job(job), code=Exit.REFUSED)
    lines = [
        f"{one.kind.value:<10} {_figure(one.estimate)} of {one.n}, bound {one.bound:g}"
        f"{'  EXPOSED' if one.exposed else ''}"
        for one in card.probes
    ]
    constant = ["every answer was the same"] if card.constant else []
    return _show(session, job, "\n".join([*lines, *constant]) or "there was nothing to probe with")


def _measure(session: Session) -> int:
    job = session.client.measure_judging(session.options.judging)
    found = job.report.measurement if job.report else None
    if found is None:
        return _show(session, job, _describe_job(job), code=Exit.REFUSED)
    lines = [f"{found.reviewed} of {found.sampled} pairs of the sample have a person's grade"]
    if found.agreement is not None:
        agreed = found.agreement
        lines += [
            f"kappa {_figure(agreed.kappa)}, weighted {_figure(agreed.kappa_weighted)}",
            f"judge less people {_figure(agreed.signed_difference)}",
        ]
        lines += ["too perfect: one was probably copied from the other"] * agreed.too_perfect
    lines.append(f"people: alpha {_figure(found.raters.alpha)} on {found.raters.shared} pairs")
    lines += map(_describe_metric, found.metrics)
    if found.labels is not None:
        doubt = found.labels
        lines.append(
            f"{doubt.uncertain} of {doubt.queries} queries are uncertain, by {doubt.unsure_pairs} "
            f"pairs; label bands are {doubt.mean_width:.2f} wide on average"
        )
    if found.query_audit is not None and found.query_audit.fix:
        lines.append(f"to correct: {found.query_audit.fix}")
    return _show(session, job, "\n".join(lines))


def _describe_metric(row: ConfigMetric) -> str:
    found, band = row.debiased, row.label_band
    labels = f", labels [{band[0]:.2f}, {band[1]:.2f}]" if band else ""
    return (
        f"{row.config} {row.metric}: by the judge {_figure(found.raw)}{labels}, "
        f"corrected {_figure(found.corrected)}, by {found.labelled} of {found.queries} queries"
    )


def _figure(estimate: Estimate) -> str:
    """Write a figure with its interval, or why there is none."""
    if estimate.value is None:
        return f"undefined ({estimate.reason})"
    if estimate.ci is None:
        return f"{estimate.value:.2f}"
    return f"{estimate.value:.2f} [{estimate.ci[0]:.2f}, {estimate.ci[1]:.2f}]"


def _review(session: Session) -> int:
    options = session.options
    rows = session.client.export_review(options.judging, audit=options.audit)
    if options.output is None:
        session.print(rows.decode())
    else:
        options.output.write_bytes(rows)
    return Exit.DONE


def _vote(session: Session) -> int:
    options = session.options
    written = session.client.vote(options.judging, options.table.read_bytes(), rater=options.rater)
    return _show(session, written, f"{written.written} votes; {written.reviewed} pairs reviewed")


def _freeze(session: Session) -> int:
    options = session.options
    request: dict[str, Any] = {"allow_unjudged": options.allow_unjudged}
    for name in ("consensus", "name"):
        if getattr(options, name) is not None:
            request[name] = getattr(options, name)
    closed = session.client.freeze(options.judging, request)
    made = closed.frozen
    named = f"{made.id} {made.name} version {made.version} {made.hash}" if made else ""
    return _show(session, closed, f"{closed.id} is frozen: {named}")


def _cancel(session: Session) -> int:
    return _tell(session, session.client.cancel_judging(session.options.judging))


def _remove(session: Session) -> int:
    session.client.delete_judging(session.options.judging)
    return Exit.DONE


_ACTIONS: Final[dict[str, Callable[[Session], int]]] = {
    "create": _create,
    "list": _list,
    "show": _read,
    "pool": _pool,
    "try": _try,
    "estimate": _estimate,
    "judge": _judge,
    "scorecard": _scorecard,
    "measure": _measure,
    "review": _review,
    "vote": _vote,
    "freeze": _freeze,
    "cancel": _cancel,
    "remove": _remove,
}


def _read_judge(path: Path) -> dict[str, Any]:
    """Read how a judge is described; its key may come from the environment.

    Raises:
        ValueError: the file is no JSON object.
    """
    try:
        asked = msgspec.json.decode(path.read_bytes(), type=dict[str, Any])
    except msgspec.MsgspecError as exc:
        raise ValueError(f"{path} cannot be read: {exc}") from exc
    model, key = asked.get("model"), os.environ.get(KEY, "")
    if isinstance(model, dict) and key and not model.get("key"):
        asked["model"] = {**model, "key": key}
    return asked


def _begun(session: Session, found: Judging) -> int:
    """Tell of a job that was begun; with `--wait`, see it to its end."""
    if session.options.wait:
        found = session.client.wait_judging(found.id, timeout_s=session.options.wait_at_most)
    return _tell(session, found)


def _tell(session: Session, found: Judging) -> int:
    code = Exit.REFUSED if found.state in _STOPPED else Exit.DONE
    return _show(session, found, _describe(found), code=code)


def _show(session: Session, document: Struct, text: str, *, code: int = Exit.DONE) -> int:
    if session.options.json:
        session.print_json(document)
    else:
        session.print(text + "\n")
    return code


def _describe(found: Judging) -> str:
    error = f": {found.error}" if found.error else ""
    lines = [f"{found.id} {found.name} {found.state.value}{error}"]
    if found.pool.queries:
        pool = found.pool
        lines.append(
            f"pool: {pool.pairs} pairs of {pool.queries} queries, {pool.known} known, "
            f"{pool.without_text} without a text, {pool.failed_searches} searches failed"
        )
    for judge in found.judges:
        progress, spent = judge.progress, judge.progress.spent
        lines.append(
            f"judge {judge.rater}: {progress.judged} of {progress.pairs} pairs, "
            f"{progress.failed} failed; {spent.calls} calls, {spent.cached} answers known, "
            f"{spent.prompt_tokens + spent.completion_tokens} tokens, {spent.cost:.2f}"
        )
    if found.review.queued:
        lines.append(f"review: {found.review.queued} queued, {found.review.reviewed} reviewed")
    return "\n".join(lines)


def _describe_job(job: JudgingJob) -> str:
    return f"{job.id} {job.status.value}{f': {job.error}' if job.error else ''}"


def _cells(found: Judging) -> tuple[str, ...]:
    judged = max((one.progress.judged for one in found.judges), default=0)
    counts = (found.pool.pairs, judged, found.review.reviewed)
    return (found.id, found.name, found.state.value, *map(str, counts))
