from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reteval.contract.backups import MAGIC, BrokenBackupError, FrameReader, FrameWriter


def written(payloads: Sequence[bytes]) -> bytes:
    """Return a whole file."""
    frames = FrameWriter()
    return b"".join([frames.begin(), *map(frames.frame, payloads), frames.end()])


def read(*pieces: bytes) -> list[bytes]:
    """Read a file that comes in pieces, to its end."""
    frames = FrameReader()
    found = [payload for piece in pieces for payload in frames.feed(piece)]
    frames.close()
    return found


@given(st.lists(st.binary(min_size=1, max_size=40), max_size=5), st.integers(1, 50))
def test_payloads_come_back_however_the_file_is_cut(payloads: list[bytes], step: int) -> None:
    """Reading gives what was written, whatever pieces the file arrives in."""
    file = written(payloads)
    pieces = [file[start : start + step] for start in range(0, len(file), step)]
    assert read(*pieces) == payloads


@given(st.data())
def test_any_changed_or_missing_byte_is_noticed(data: st.DataObject) -> None:
    """No file with one byte changed, cut off or added is taken for whole."""
    file = written([b"one", b"two"])
    place = data.draw(st.integers(0, len(file) - 1))
    flipped = file[:place] + bytes([file[place] ^ 1]) + file[place + 1 :]
    for broken in (flipped, file[:place], file + b"x"):
        with pytest.raises(BrokenBackupError):
            read(broken)


def test_lost_and_exchanged_frames_are_noticed() -> None:
    """Frames whose own checksums fit still have to be all of them, in order."""
    frames = FrameWriter()
    parts = [frames.begin(), frames.frame(b"one"), frames.frame(b"two"), frames.end()]
    for order in ((0, 2, 1, 3), (0, 1, 3), (0, 3)):
        with pytest.raises(BrokenBackupError, match="missing or out of order"):
            read(*(parts[place] for place in order))


@pytest.mark.parametrize(
    "file", [b"PK\x03\x04 some archive", b"", MAGIC[:5], b"reteval-backup 2\n"]
)
def test_other_files_are_no_backup(file: bytes) -> None:
    """What does not begin as a backup of this version does is refused with a reason."""
    with pytest.raises(BrokenBackupError, match="no backup"):
        read(file)


def test_impossible_lengths_are_refused_before_they_are_waited_for() -> None:
    """A length beyond the bound ends the reading; an empty payload cannot be written."""
    with pytest.raises(BrokenBackupError, match="impossible length"):
        read(MAGIC + b"\xff" * 36)
    with pytest.raises(ValueError, match="1 to"):
        FrameWriter().frame(b"")
