"""Settings: environment variables `RETEVAL_*`, read once into a frozen struct."""

from collections.abc import Callable, Mapping
from typing import Any, Final
from urllib.parse import urlsplit

from msgspec import Struct

from service.redis_url import read_address

PREFIX: Final = "RETEVAL_"


class SettingsError(ValueError):
    """A setting that cannot be used; the message names it and what it may be."""


class Setting(Struct, frozen=True):
    """A row of the settings table: `read` turns the variable's text into its value.

    The text of a `secret` one is never shown.
    """

    name: str
    default: str
    unit: str
    help: str
    read: Callable[[str], Any]
    secret: bool = False

    @property
    def variable(self) -> str:
        """The environment variable."""
        return PREFIX + self.name.upper()


class Settings(Struct, frozen=True, kw_only=True):
    """What an operator can choose. Field by field the rows of `TABLE`."""

    redis_url: str
    api_key: str
    auth: str
    secret_key: str
    egress: str
    egress_allow: tuple[str, ...]
    data: str
    host: str
    port: int
    cors_origins: tuple[str, ...]
    body_grace_s: float
    body_bytes_per_s: int
    idempotency_lease_s: float
    reaper_interval_s: float
    steward_interval_s: float
    target_concurrency: int
    lease_s: float
    shard_size: int
    retention_days: int
    store_bytes: int
    webhook_timeout_s: float
    webhook_retries_s: tuple[float, ...]
    webhook_patience_s: float
    rate_requests: int
    rate_window_s: int
    rate_failures: int
    quota_concurrent_runs: int
    quota_queued_runs: int
    quota_queries_per_day: int
    quota_requests_per_day: int
    quota_stored_bytes: int
    quota_test_sets: int
    log_level: str

    def __repr__(self) -> str:
        """Show which settings there are, never their values: two of them are secrets."""
        return f"Settings({', '.join(self.__struct_fields__)})"

    def own_addresses(self) -> tuple[tuple[str, int], ...]:
        """Return host and port of our API and our Redis, which no run may call."""
        redis = read_address(self.redis_url).hosts if self.redis_url else ()
        return ((self.host, self.port), *redis)

    @classmethod
    def from_env(cls, environ: Mapping[str, str]) -> "Settings":
        """Read `RETEVAL_*` variables.

        Raises:
            SettingsError: a value that cannot be used.
        """
        values: dict[str, Any] = {}
        for row in TABLE:
            text = environ.get(row.variable, row.default)
            try:
                values[row.name] = row.read(text)
            except ValueError as exc:
                shown = "" if row.secret else f"={text!r}"
                raise SettingsError(f"{row.variable}{shown}: {exc}") from exc
        return cls(**values)


def _one_of(*choices: str) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text not in choices:
            raise ValueError(f"use one of {', '.join(choices)}")
        return text

    return read


def _integer(low: int, high: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        return int(_within(low, int(text), high))

    return read


def _seconds(low: float, high: float) -> Callable[[str], float]:
    def read(text: str) -> float:
        return _within(low, float(text), high)

    return read


def _within(low: float, value: float, high: float) -> float:
    if not low <= value <= high:
        raise ValueError(f"use a number from {low} to {high}")
    return value


def _pauses(text: str) -> tuple[float, ...]:
    return tuple(_within(0, float(word), 604_800) for word in _words(text))


def _words(text: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in text.split(",") if word.strip())


def _redis_url(text: str) -> str:
    if text:
        read_address(text)
    return text


_AMOUNT: Final = _integer(0, 2**53)


def _origins(text: str) -> tuple[str, ...]:
    origins = _words(text)
    for origin in origins:
        parts = urlsplit(origin)
        plain = f"{parts.scheme}://{parts.netloc}"
        if parts.scheme not in ("http", "https") or not parts.hostname or origin != plain:
            raise ValueError(f"{origin!r} is no origin; write it like https://pages.example")
    return origins


TABLE: Final = (
    Setting(
        "redis_url",
        "",
        "",
        "Redis or Valkey to use, or its sentinels; empty: the embedded server",
        _redis_url,
        secret=True,
    ),
    Setting(
        "api_key",
        "",
        "",
        "The operator's bearer key, which opens everything; none: only keys that were made",
        str,
        secret=True,
    ),
    Setting(
        "auth",
        "required",
        "",
        "`required`, or `off`, which only a loopback bind accepts",
        _one_of("required", "off"),
    ),
    Setting(
        "secret_key",
        "",
        "",
        "Fernet key that encrypts endpoint headers and webhook secrets at rest",
        str,
        secret=True,
    ),
    Setting(
        "egress",
        "public",
        "",
        "`public`: public addresses only; `loopback`: loopback ports but our own, too",
        _one_of("public", "loopback"),
    ),
    Setting("egress_allow", "", "", "Further `host-or-CIDR:port` that may be called", _words),
    Setting("data", ".reteval", "", "Directory of the embedded server's data", str),
    Setting("host", "127.0.0.1", "", "Address the API listens on", str),
    Setting("port", "8642", "", "Port the API listens on", _integer(0, 65_535)),
    Setting("cors_origins", "", "", "Origins whose pages may read the API in a browser", _origins),
    Setting("body_grace_s", "20", "s", "Pauses a request body may make in all", _seconds(0.1, 600)),
    Setting(
        "body_bytes_per_s",
        "10000",
        "B/s",
        "Least rate of a request body, pauses aside",
        _integer(1, 1_000_000_000),
    ),
    Setting(
        "idempotency_lease_s",
        "20",
        "s",
        "How long a request whose API process died keeps its `Idempotency-Key`",
        _seconds(1, 600),
    ),
    Setting("reaper_interval_s", "5", "s", "Pause between reaper rounds", _seconds(0.1, 60)),
    Setting(
        "steward_interval_s",
        "5",
        "s",
        "Pause between looks at which schedules are due and which runs alerts wait for",
        _seconds(0.1, 60),
    ),
    Setting(
        "target_concurrency",
        "64",
        "",
        "Most requests under way at once to one target, from all runs and workers together",
        _integer(1, 10_000),
    ),
    Setting("lease_s", "30", "s", "How long a silent worker keeps its run", _seconds(1, 600)),
    Setting(
        "shard_size",
        "2000",
        "",
        "Requests of a run that go to one worker at a time; runs of no more are not cut",
        _integer(1, 100_000),
    ),
    Setting(
        "retention_days",
        "0",
        "days",
        "Ended runs and comparisons are deleted after so many days unless pinned; 0: never",
        _integer(0, 36_500),
    ),
    Setting(
        "store_bytes",
        "0",
        "bytes",
        "Memory the store may use, where its own `maxmemory` is not lower; 0: no bound of ours",
        _integer(0, 2**53),
    ),
    Setting(
        "webhook_timeout_s",
        "10",
        "s",
        "How long a receiver of a webhook may take to answer",
        _seconds(0.1, 60),
    ),
    Setting(
        "webhook_retries_s",
        "5,300,1800,7200,18000,36000,50400,72000,86400",
        "s",
        "Pauses before each further attempt to deliver to a webhook, varied by up to a fifth",
        _pauses,
    ),
    Setting(
        "webhook_patience_s",
        "432000",
        "s",
        "How long all deliveries to a webhook may fail before it is switched off",
        _seconds(0, 31_536_000),
    ),
    Setting(
        "rate_requests",
        "1200",
        "",
        "Requests that an API key may send in a window; 0: any number",
        _AMOUNT,
    ),
    Setting("rate_window_s", "60", "s", "The window of the rates", _integer(1, 86_400)),
    Setting(
        "rate_failures",
        "60",
        "",
        "Requests without a valid key from one address in a window; 0: any number",
        _AMOUNT,
    ),
    Setting(
        "quota_concurrent_runs",
        "16",
        "",
        "Runs of a team that are worked on at once, others wait; 0: any number",
        _AMOUNT,
    ),
    Setting(
        "quota_queued_runs",
        "1000",
        "",
        "Runs of a team that may wait, also where no keys are asked for; 0: any number",
        _AMOUNT,
    ),
    Setting(
        "quota_queries_per_day",
        "1000000",
        "",
        "Queries that the runs and probes of a team may send a day; 0: any number",
        _AMOUNT,
    ),
    Setting(
        "quota_requests_per_day",
        "500000",
        "",
        "Requests that the keys of a team may send a day; 0: any number",
        _AMOUNT,
    ),
    Setting(
        "quota_stored_bytes",
        "4000000000",
        "bytes",
        "Bytes that a team may store; 0: any number",
        _AMOUNT,
    ),
    Setting(
        "quota_test_sets",
        "1000",
        "",
        "Versions of test sets that a team may keep; 0: any number",
        _AMOUNT,
    ),
    Setting(
        "log_level",
        "info",
        "",
        "Least level that is logged",
        _one_of("debug", "info", "warning", "error"),
    ),
)
