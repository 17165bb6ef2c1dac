"""The command `python -m service`: start the service or its API, print its tables, look inside."""

import argparse
import asyncio
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from granian import Granian
from granian.constants import Interfaces
from granian.log import LogLevels

from reteval.contract.api_keys import DEFAULT_DAYS, MAX_DAYS
from service.admin import add_admin
from service.embedded import EmbeddedError, EmbeddedServer
from service.errors import ServiceError
from service.logs import SERVER, configure_logs
from service.settings import TABLE, Settings, SettingsError
from service.standalone import (
    FIRST_KEY,
    Plan,
    PortTakenError,
    banner,
    check_access,
    child_environment,
    claim_port,
    programs,
    secret_key,
    supervise,
)
from service.stderr import forgive_stderr

# An open event stream would hold the API's end for as long as its reader likes.
_DRAIN_S = 10


def main(argv: Sequence[str] | None = None) -> int:
    """Run a sub-command; 0 done, 1 it cannot be done here, 2 asked for in a wrong way."""
    forgive_stderr()
    return run(parser().parse_args(argv))


def run(args: argparse.Namespace) -> int:
    """Run the chosen command and turn its errors into an exit code and a line."""
    command: Callable[[argparse.Namespace], None] = args.command
    try:
        command(args)
    except (EmbeddedError, PortTakenError) as exc:
        say(f"error: {exc}")
        return 1
    except ServiceError as exc:
        say(f"error: {exc.detail}")
        return 1
    except SettingsError as exc:
        say(f"error: {exc}")
        return 2
    except KeyboardInterrupt:
        return 130
    return 0


def parser() -> argparse.ArgumentParser:
    """The command line; each `--help` shows an example."""
    root = argparse.ArgumentParser(
        prog="python -m service",
        description="Retrieval evaluation as a service.",
        epilog="example: python -m service up",
    )
    commands = root.add_subparsers(required=True, metavar="COMMAND")

    start = add(
        commands,
        "up",
        up,
        "Run store, API and workers on this machine; Ctrl-C stops them all.",
        "python -m service up --port 8642 --data .reteval --workers 2",
    )
    start.add_argument("--host", help="address to listen on (127.0.0.1)")
    start.add_argument("--port", help="port to listen on, 0 for a free one (8642)")
    start.add_argument("--data", help="directory of the store's files (.reteval)")
    start.add_argument("--workers", type=_count, default=2, help="workers for runs (2)")
    add(
        commands,
        "serve",
        serve,
        "Run the API alone, on RETEVAL_HOST and RETEVAL_PORT.",
        "RETEVAL_REDIS_URL=redis://store:6379 python -m service serve",
    )
    first = add(
        commands,
        "bootstrap",
        make_first_key,
        "Make the first API key, an admin's, and print it; once for a deployment.",
        "python -m service bootstrap --data .reteval",
    )
    first.add_argument("--data", help="directory of the store's files (.reteval)")
    first.add_argument(
        "--days", type=_days, default=DEFAULT_DAYS, help=f"days it opens ({DEFAULT_DAYS})"
    )
    first.add_argument(
        "--again", action="store_true", help="the key was lost: revoke it and make another"
    )
    add(
        commands,
        "openapi",
        openapi,
        "Print the API's description as YAML.",
        "python -m service openapi > openapi.yaml",
    )
    add(commands, "settings", show_settings, "Print every setting.", "python -m service settings")
    add_admin(commands, add)
    return root


def add(
    commands: Any,
    name: str,
    run: Callable[[argparse.Namespace], None],
    help_text: str,
    example: str,
) -> argparse.ArgumentParser:
    """Add a command whose help ends with an example."""
    command: argparse.ArgumentParser = commands.add_parser(
        name,
        help=help_text,
        description=help_text,
        epilog=f"example: {example}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.set_defaults(command=run)
    return command


def up(args: argparse.Namespace) -> None:
    """Run the whole service on this machine until a signal."""
    environ = dict(os.environ)
    for name in ("host", "port", "data"):
        if getattr(args, name) is not None:
            environ[f"RETEVAL_{name.upper()}"] = getattr(args, name)
    settings = Settings.from_env(environ)
    plan = Plan(
        host=settings.host,
        port=claim_port(settings.host, settings.port),
        data=Path(settings.data).absolute(),
        workers=args.workers,
    )
    env = child_environment(environ, plan, key=settings.secret_key or secret_key(plan.data))
    decided = Settings.from_env(env)
    check_access(decided)
    with ExitStack() as stack:
        store = None if settings.redis_url else stack.enter_context(EmbeddedServer(plan.data))
        if store is not None:
            env["RETEVAL_REDIS_URL"] = store.url
        say(banner(plan, decided, embedded=store is not None))
        asyncio.run(supervise(plan, programs(plan, env), store=store, say=say, announced=_announce))


def serve(_args: argparse.Namespace) -> None:
    """Run the API until a signal; without a store's URL it uses the embedded server."""
    settings = Settings.from_env(os.environ)
    check_access(settings)
    configure_logs(settings.log_level)
    if settings.auth == "required" and not settings.api_key:
        say(f"reteval: {FIRST_KEY}")
    with ExitStack() as stack:
        if not settings.redis_url:
            store = stack.enter_context(EmbeddedServer(Path(settings.data)))
            os.environ["RETEVAL_REDIS_URL"] = store.url
        Granian(
            "service.app:application",
            factory=True,
            address=settings.host,
            port=settings.port,
            interface=Interfaces.ASGI,
            websockets=False,
            respawn_failed_workers=True,
            workers_kill_timeout=_DRAIN_S,
            log_level=LogLevels(settings.log_level),
            log_dictconfig=SERVER,
        ).serve()


def make_first_key(args: argparse.Namespace) -> None:
    """Make the first key in the store that the settings name, and print it."""
    from service.app import bootstrap  # noqa: PLC0415 - `up` and `serve` start without it

    environ = dict(os.environ)
    if args.data is not None:
        environ["RETEVAL_DATA"] = args.data
    settings = Settings.from_env(environ)
    with ExitStack() as stack:
        if not settings.redis_url:
            store = stack.enter_context(EmbeddedServer(Path(settings.data)))
            settings = Settings.from_env(environ | {"RETEVAL_REDIS_URL": store.url})
        made = asyncio.run(bootstrap(settings, days=args.days, again=args.again))
    say(f"reteval: {made.id} opens everything until {made.expires_at}; it is shown only now")
    print(made.secret, flush=True)


def openapi(_args: argparse.Namespace) -> None:
    """Print the API's description, of the default settings and stable."""
    from service.app import openapi_yaml  # noqa: PLC0415 - as above

    sys.stdout.write(openapi_yaml(Settings.from_env({})))


def show_settings(_args: argparse.Namespace) -> None:
    """Print the settings table, one a line."""
    sys.stdout.write(settings_table(os.environ))


def settings_table(environ: Mapping[str, str]) -> str:
    """Variable, default, whether it is set, and what it does; never a value."""
    width = max(len(row.variable) for row in TABLE)
    lines = []
    for row in TABLE:
        default = f"{row.default} {row.unit}".strip() or "none"
        mark = "*" if row.variable in environ else " "
        lines.append(f"{mark} {row.variable:<{width}}  {default:<12}  {row.help}\n")
    return "".join([*lines, "\n* is set in this environment\n"])


def say(line: str) -> None:
    """Tell the operator; standard output is kept for results."""
    print(line, file=sys.stderr, flush=True)


def _announce(line: str) -> None:
    print(line, flush=True)


def _count(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("use 1 or more")
    return number


def _days(text: str) -> int:
    number = _count(text)
    if number > MAX_DAYS:
        raise argparse.ArgumentTypeError(f"use {MAX_DAYS} or less")
    return number


if __name__ == "__main__":
    sys.exit(main())
