"""The commands that decide something: compare two runs, hold one to a gate, plan a test set."""

from typing import Final

from reteval._flows import first_wait
from reteval.cli.arguments import comparison_request, held_of, power_request
from reteval.cli.comparison import comparison_lines
from reteval.cli.session import Exit, Session
from reteval.contract.gates import EXIT_CODES
from reteval.contract.power import PowerAnswer
from reteval.errors import ClientError, RetevalError

GATE_FILE: Final = "gate.yaml"
"""Where `reteval init` writes a gate, and where a hint takes it from."""
_OUTCOMES: Final = {code: outcome.value for outcome, code in EXIT_CODES.items()}


def compare(session: Session) -> int:
    """Compare two runs and print the verdict of each metric."""
    options = session.options
    first = session.client.compare(comparison_request(options), wait=first_wait(options.timeout))
    ended = session.client.wait_comparison(first.id, timeout_s=options.timeout)
    if options.json:
        session.print_json(ended)
    elif ended.report is None:
        session.print(f"{ended.id} {ended.status.value}: {ended.error or 'no reason given'}\n")
    else:
        session.print("\n".join(comparison_lines(ended.report)) + "\n")
        if (session.place.folder / GATE_FILE).exists():
            runs = ("--run", options.candidate, "--baseline", options.baseline)
            session.hint("gate", GATE_FILE, *runs)
        else:
            session.hint("open", ended.id)
    return Exit.DONE if ended.report is not None else Exit.RUN_FAILED


def gate(session: Session) -> int:
    """Hold a run to a gate, print the verdict, and return its exit code.

    Without a verdict the code is 2 where the request is at fault, else 3; never 0 or 1.
    """
    options = session.options
    held = held_of(options)
    gate_format = "json" if options.json else options.format
    try:
        document = session.client.gate_document(
            options.file, gate_format, timeout_s=options.timeout, **held
        )
    except ClientError as exc:
        session.stderr.write(f"error: {exc}\n")
        return Exit.USAGE
    except RetevalError as exc:
        session.stderr.write(f"error: no verdict: {exc}\n")
        return Exit.RUN_FAILED
    if options.output is None:
        session.print(document.body.decode().rstrip("\n") + "\n")
    else:
        options.output.write_bytes(document.body)
        outcome = _OUTCOMES[document.exit_code]
        session.print(f"{outcome} (exit code {document.exit_code}), see {options.output}\n")
    return document.exit_code


def power(session: Session) -> int:
    """Print how many queries show a difference, and what so many can show."""
    answer = session.client.power(power_request(session.options))
    if session.options.json:
        session.print_json(answer)
    else:
        session.print("\n".join(_power_lines(answer)) + "\n")
    return Exit.DONE


def _power_lines(answer: PowerAnswer) -> list[str]:
    source = "as given" if answer.pairs is None else f"{answer.metric} of {answer.pairs} queries"
    lines = [answer.sentence, f"sigma {answer.sigma:.4g} ({source})"]
    if answer.achieved is not None:
        lines.append(
            f"power {answer.achieved:.2f} for \u00b1{answer.delta:g} with {answer.n} queries"
        )
    for point in answer.curve:
        seen = "nothing" if point.detectable is None else f"\u00b1{point.detectable:.3f}"
        lines.append(f"{point.n:>7} queries see {seen}")
    return lines
