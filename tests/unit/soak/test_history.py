"""The history of a soak: a line an event, from any thread, and the same when read."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from reteval.contract.runs import RunStatus
from tests.soak.history import Asked, Fault, History, Read, pick, read_history


def test_events_come_back(tmp_path: Path) -> None:
    """Events are read as they were noted, with the time that they took."""
    with History(tmp_path / "history.jsonl") as history:
        began = history.now()
        read = history.note(Read, "a", began, run="run_1", status=RunStatus.QUEUED, done=0)
        fault = history.note(Fault, "b", history.now(), name="kill store", silences=True)
        assert history.read() == [read, fault]
    assert began <= read.ended <= fault.began <= fault.ended


def test_threads_do_not_mix_their_lines(tmp_path: Path) -> None:
    """Many threads at once: every event is whole."""
    with History(tmp_path / "history.jsonl") as history, ThreadPoolExecutor(8) as pool:

        def note(number: int) -> None:
            history.note(Asked, "e", history.now(), run="r", text=f"{number}" * 500, answered=True)

        list(pool.map(note, range(400)))
    assert len(pick(read_history(history.path), Asked)) == 400
