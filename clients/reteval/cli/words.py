"""What every command has: options of its own, those of all, and an example in its help."""

import argparse

Commands = argparse._SubParsersAction  # noqa: SLF001 - argparse gives this type no public name


def add_global_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that go before or after the name of a command."""
    # Accepted before and after the command's name; an absent one must not undo the other.
    absent = argparse.SUPPRESS
    parser.add_argument("--url", default=absent, help="the service; default: RETEVAL_URL")
    parser.add_argument(
        "--profile", default=absent, metavar="NAME", help="default: RETEVAL_PROFILE"
    )
    parser.add_argument("--api-key", default=absent, help="default: RETEVAL_API_KEY")
    parser.add_argument(
        "--json", action="store_true", default=absent, help="print the JSON document only"
    )


def add_command(
    commands: "Commands[argparse.ArgumentParser]", name: str, about: str, example: str
) -> argparse.ArgumentParser:
    """Add a command with its help."""
    parser = commands.add_parser(
        name,
        help=about,
        description=about[0].upper() + about[1:] + ".",
        epilog=example,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_global_options(parser)
    return parser
