"""What happened in a soak, as a file of JSON lines: all that the checkers know.

Everything that notes an event lives in one process, so that `began` and `ended`, in seconds since
the soak began, are of one clock.
"""

import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self, TypeVar, cast

import msgspec
from msgspec import Struct

from reteval.contract.outcomes import OutcomeRow
from reteval.contract.results import Results
from reteval.contract.runs import RunStatus
from reteval.contract.testsets import Query


class Event(Struct, frozen=True, kw_only=True, tag=True):
    """Something that took from `began` to `ended`, and who did it."""

    who: str
    began: float
    ended: float


class Uploaded(Event, frozen=True):
    """A client's test set: only its queries may be in the client's runs."""

    test_set: str
    queries: tuple[Query, ...]


class Created(Event, frozen=True):
    """An attempt to create a run; `run` is empty where no answer said that it exists."""

    token: str
    run: str = ""
    parent: str = ""


class Read(Event, frozen=True):
    """A run's state as it was answered."""

    run: str
    status: RunStatus
    done: int


class Listed(Event, frozen=True):
    """Labels of the runs that a list of one label answered."""

    label: str
    labels: tuple[str, ...]


class Told(Event, frozen=True):
    """A digest of a report as it was answered."""

    run: str
    digest: str


class Cancelled(Event, frozen=True):
    """A cancellation that was acknowledged."""

    run: str


class Compared(Event, frozen=True):
    """A comparison's state as it was answered."""

    comparison: str
    status: RunStatus


class Refused(Event, frozen=True):
    """An answer that is a problem; `about` is the run asked for, if it was one."""

    call: str
    status: int
    code: str
    about: str = ""


class Asked(Event, frozen=True):
    """A request that the search endpoint got; `answered` as it should be, or not."""

    run: str
    text: str
    answered: bool


class Fault(Event, frozen=True):
    """Something that the nemesis did.

    It `silences` where no worker can keep its lease, and `freezes` where one is stopped in the
    middle of what it does.
    """

    name: str
    silences: bool = False
    freezes: bool = False


class Drained(Event, frozen=True):
    """A worker that was told to end, and how it did; None if it was killed in the end."""

    exit_code: int | None


class Healed(Event, frozen=True):
    """The end of all faults."""


class Found(Event, frozen=True):
    """A run as it is once everything has healed; no report where it has not ended."""

    run: str
    token: str
    label: str
    status: RunStatus
    parent: str = ""
    report: Results | None = None
    digest: str = ""
    rows: tuple[OutcomeRow, ...] = ()


AnyEvent = (
    Uploaded
    | Created
    | Read
    | Listed
    | Told
    | Cancelled
    | Compared
    | Refused
    | Asked
    | Fault
    | Drained
    | Healed
    | Found
)
Events = Sequence[Event]
E = TypeVar("E", bound=Event)


def pick(events: Events, kind: type[E]) -> list[E]:
    """Return the events of one kind, by when they ended."""
    found = [event for event in events if isinstance(event, kind)]
    return sorted(found, key=lambda event: event.ended)


class History:
    """Takes down events from any thread, each at once on a line of its own."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._began = time.monotonic()
        self._file = path.open("wb")

    def now(self) -> float:
        """Seconds since the soak began."""
        return time.monotonic() - self._began

    def note(self, kind: type[E], who: str, began: float, **what: Any) -> E:
        """Take down an event that ends now."""
        event = kind(who=who, began=began, ended=self.now(), **what)
        line = msgspec.json.encode(event)
        with self._lock:
            self._file.write(line + b"\n")
            self._file.flush()
        return event

    def read(self) -> list[Event]:
        """Return everything noted so far."""
        with self._lock:
            return read_history(self.path)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exc: object) -> None:
        self._file.close()


def read_history(path: Path) -> list[Event]:
    """Read a history, such as that of a soak that failed."""
    decoder = msgspec.json.Decoder(AnyEvent)
    return [cast("Event", decoder.decode(line)) for line in path.read_bytes().splitlines()]
