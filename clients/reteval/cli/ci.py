"""The command of pipelines: run, compare, hold to a gate, and tell everyone the same."""

from reteval.ci.environment import Environment, read_environment
from reteval.ci.evaluation import Evaluation, Plan, evaluate
from reteval.ci.markdown import write, write_interrupted, write_started
from reteval.ci.outlets import Log, PullRequest, fill_files, open_pull_request
from reteval.cli.arguments import UsageError, require_one_baseline, suite_run_request
from reteval.cli.progress import meter_for
from reteval.cli.session import Session
from reteval.contract.runs import Run


def ci(session: Session) -> int:
    """Run a test set, hold the run to a gate, and return the verdict's exit code.

    Log, summary, comment, annotations and JUnit are made from the same verdict.

    Raises:
        UsageError: options that contradict each other.
        OSError: the gate cannot be read, or a file cannot be written.
    """
    options = session.options
    environ = session.place.environ
    environment = read_environment(environ)
    plan = _plan_of(session, environment)
    log = Log((session.stderr if options.json else session.stdout).write, environment)
    commented = environment if options.comment == "auto" else Environment()
    key = f"{options.gate}/{options.test_set}/{options.comment_key}"
    with open_pull_request(commented, environ, log, key=key) as pull_request:
        evaluation = _evaluate(session, plan, pull_request)
        pull_request.write(write(evaluation, environment, room=pull_request.room))
    fill_files(
        evaluation,
        environment,
        environ,
        summary=options.summary,
        junit=options.junit,
        rows=plan.rows,
    )
    log.tell(evaluation, file=str(options.gate))
    if options.json:
        session.print_json(evaluation.verdict)
    return evaluation.exit_code


def _evaluate(session: Session, plan: Plan, pull_request: PullRequest) -> Evaluation:
    """Carry out the plan; whoever interrupts it leaves a comment that says so."""
    meter = meter_for(session.stderr.stream, session.place.clock)
    pages: list[str] = []

    def start(run: Run, page: str) -> None:
        pages.append(page)
        session.stderr.write(f"started {run.id}, see {page}\n")
        pull_request.write(write_started(run.test_set.name, page))

    try:
        return evaluate(session.client, plan, on_start=start, on_progress=meter.show)
    except KeyboardInterrupt:
        for page in pages:
            pull_request.write(write_interrupted(page))
        raise
    finally:
        meter.close()


def _plan_of(session: Session, environment: Environment) -> Plan:
    options = session.options
    require_one_baseline(options)
    if not options.test_set and not options.upload:
        raise UsageError("nothing to run: write --test-set NAME, --upload FILE, or both")
    options.gate.read_bytes()  # a run is not started for a gate that is not there
    request = suite_run_request(options)
    meta = {**environment.meta(), **request.get("meta", {})}
    return Plan(
        test_set=options.test_set,
        request={**request, "meta": meta} if meta else request,
        gate=options.gate,
        files=tuple(options.upload),
        baseline=options.baseline,
        label=options.baseline_label,
        branch=options.baseline_branch,
        require_conclusive=options.require_conclusive,
        timeout_s=options.wait_at_most,
        rows=options.junit_queries,
    )
