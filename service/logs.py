"""Log lines: one JSON object each on stderr, with what is bound to the work at hand.

A line of a job carries `tenant`, `job`, `unit` and `epoch`; one of a request to the API carries
`request_id` and `operation`. Libraries that log in Python's own way get the same shape.

All lines go through Python's own handler: its lock is made anew in a forked process, while that of
structlog's printer stays taken for ever if another thread of the parent logged at that moment.
"""

import logging
import sys
from contextvars import ContextVar
from typing import Any, Final

import structlog

SERVER: Final[dict[str, Any]] = {
    "loggers": {"_granian": {"handlers": [], "propagate": True}, "granian.access": {}}
}
"""For granian: let its lines go where all others go."""
REQUEST: Final[ContextVar[tuple[str, str] | None]] = ContextVar("request", default=None)
"""The id and operation of the request at hand. One variable: binding two took as long as the rest
of a hot read's way through the framework."""


def name_request(_logger: Any, _method: str, line: Any) -> Any:
    """Add what the request at hand is called to a line."""
    if (request := REQUEST.get()) is not None:
        line.setdefault("request_id", request[0])
        line.setdefault("operation", request[1])
    return line


def configure_logs(level: str) -> None:
    """Log from `level` up; libraries only warn, since some of them log whole URLs."""
    bound: list[Any] = [
        structlog.contextvars.merge_contextvars,
        name_request,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    written: list[Any] = [
        structlog.processors.format_exc_info,
        structlog.processors.JSONRenderer(),
    ]
    structlog.configure(
        processors=[*bound, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.stdlib.LoggerFactory(),
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[*bound, structlog.stdlib.add_logger_name],
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *written],
        )
    )
    ours = logging.getLevelNamesMapping()[level.upper()]
    logging.basicConfig(handlers=[handler], level=max(logging.WARNING, ours), force=True)
    logging.getLogger("reteval").setLevel(ours)
