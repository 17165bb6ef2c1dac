"""The command that uploads a test set."""

from reteval.cli.arguments import head_of, require_one_source
from reteval.cli.preview import show_preview
from reteval.cli.report import diagnostic_lines
from reteval.cli.session import Exit, Session


def upload(session: Session) -> int:
    """Upload a test set and print what the service made of it."""
    options = session.options
    require_one_source(options)
    head = head_of(options)
    if options.dry_run:
        return show_preview(session, head)
    if options.files:
        test_set = session.client.upload(*options.files, **head)
    else:
        test_set = session.client.upload_trec(options.topics, options.qrels, **head)
    if options.json:
        session.print_json(test_set)
        return Exit.DONE
    stats = test_set.stats
    session.print(
        f"{test_set.id} {test_set.name} version {test_set.version}: {stats.queries} queries "
        f"({stats.scorable} scorable), {stats.judgments} judgments\n"
    )
    session.print("".join(line + "\n" for line in diagnostic_lines(test_set.warnings)))
    profile = session.profile
    if profile.endpoint:
        named = [] if profile.test_set == test_set.name else [test_set.name]
        session.hint("run", *named, "--label", "baseline", "--wait")
    return Exit.DONE
