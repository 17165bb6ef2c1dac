import io
from collections.abc import Sequence
from pathlib import Path

import httpx
import msgspec

from reteval import Client, Retry
from reteval.cli import main
from reteval.contract.backups import FrameWriter, Restoration
from tests.unit.reteval.cli.places import a_place
from tests.unit.reteval.documents import URL, Script, a_run, answer
from tests.unit.reteval.test_keeping import USAGE, a_backup


def command(
    *argv: str, answers: Sequence[httpx.Response | Exception]
) -> tuple[int, str, str, Script]:
    """Carry out a command line against a scripted service."""
    service = Script(answers)
    out, err = io.StringIO(), io.StringIO()

    def connect(url: str | None, api_key: str | None) -> Client:
        http = httpx.Client(transport=httpx.MockTransport(service))
        return Client(url or URL, api_key, http=http, retry=Retry(pauses_s=()), sleep=str)

    code = main(argv, connect=connect, stdout=out, stderr=err, place=a_place())
    return code, out.getvalue(), err.getvalue(), service


def test_pin_and_unpin() -> None:
    """Both say how the run stands now."""
    run = a_run()
    assert command("pin", run.id, answers=[answer(run)])[:2] == (0, f"{run.id} is pinned\n")
    done = command("unpin", run.id, answers=[httpx.Response(204)])
    assert done[:2] == (0, f"{run.id} is not pinned\n")
    pinned = command("pin", run.id, "--json", answers=[answer(run)])
    assert msgspec.json.decode(pinned[1])["id"] == run.id
    assert command("unpin", run.id, "--json", answers=[httpx.Response(204)])[:2] == (0, "")


def test_usage_tells_what_is_kept() -> None:
    """A line a kind, then how long things are kept and what is left."""
    code, out, _, _ = command("usage", answers=[answer(USAGE)])
    assert code == 0
    assert "runs               2               6 bytes" in out
    assert "1 runs under way; ended ones are kept for 30 days unless pinned" in out
    assert "memory left: 900 of 1,000 bytes" in out
    open_end = msgspec.structs.replace(
        USAGE,
        retention_days=None,
        store=msgspec.structs.replace(USAGE.store, left_bytes=None, bound_bytes=None),
    )
    out = command("usage", answers=[answer(open_end)])[1]
    assert out.endswith("kept until they are deleted\n")
    assert (
        msgspec.json.decode(
            command("usage", "--json", answers=[answer(USAGE)])[1], type=type(USAGE)
        )
        == USAGE
    )


def test_backup_and_restore(tmp_path: Path) -> None:
    """What is named is asked for, the file is made, and what became of it is told."""
    path = tmp_path / "a.backup"
    content = a_backup(b"one")
    words = ("--run", "run_1", "--run", "run_2", "--test-set", "docs", "--judging", "jdg_1")
    code, out, _, service = command(
        "backup", str(path), *words, answers=[httpx.Response(200, content=content)]
    )
    assert (code, out) == (0, f"saved in {path}: {len(content)} bytes\n")
    asked = msgspec.json.decode(service.requests[0].content)
    named = {"runs": ["run_1", "run_2"], "test_sets": ["docs"], "judgings": ["jdg_1"]}
    assert asked == named | {"all": False}
    made = Restoration(restored=("ts_1", "run_1"), skipped=("run_2",))
    code, out, _, _ = command("restore", str(path), answers=[answer(made)])
    assert (code, out) == (0, "2 restored, 1 were there already\n")
    kept = msgspec.structs.replace(made, kept=("jdg_1",))
    out = command("restore", str(path), answers=[answer(kept)])[1]
    assert out == "2 restored, 1 were there already, 1 judgings were gone on with and kept\n"
    out = command("restore", str(path), "--json", answers=[answer(made)])[1]
    assert msgspec.json.decode(out, type=Restoration) == made


def test_restore_of_a_missing_file(tmp_path: Path) -> None:
    """A path that is not there is a usage error, and nothing is sent."""
    code, _, err, service = command("restore", str(tmp_path / "none"), answers=[])
    assert (code, service.requests) == (2, [])
    assert "none" in err


def test_json_backup_says_nothing(tmp_path: Path) -> None:
    """With --json only documents are printed, and a backup has none."""
    frames = FrameWriter()
    whole = frames.begin() + frames.end()
    path = tmp_path / "a"
    done = command(
        "backup", str(path), "--all", "--json", answers=[httpx.Response(200, content=whole)]
    )
    assert done[:2] == (0, "")
    assert path.read_bytes() == whole
