import gzip
import io
import random
import tarfile
import zipfile

import pytest

from service.core.ingest.formats.files import File
from service.core.ingest.formats.packed import MAX_ENTRIES, unpack
from service.errors import MalformedTextError, TooLargeError
from tests.unit.service.core.ingest.bodies import LAX, file, imported, zipped
from tests.unit.service.core.ingest.samples import lines

QRELS = b"query-id\tcorpus-id\tscore\nq1\td1\t1\n"
ASKED = lines({"_id": "q1", "text": "red shoes"})
CORPUS = lines({"_id": "d1", "title": "Red", "text": "Shoes"})


def contents(*files: File) -> dict[str, bytes]:
    """The files inside, whole."""
    return {one.name: one.read(1 << 20) for one in unpack(files)}


def test_beir_folder_comes_as_one_zip() -> None:
    """Queries, corpus and qrels are told apart by content; notes and hidden files are left out."""
    folder = {
        "set/corpus.jsonl": CORPUS,
        "set/queries.jsonl": ASKED,
        "set/qrels/test.tsv": QRELS,
        "set/README.md": b"# A set\n",
        "__MACOSX/set/._corpus.jsonl": b"\x00\x05",
        "set/.DS_Store": b"\x00",
    }
    found, draft, _ = imported(file(zipped(**folder)))
    assert draft.stats.judgments == 1
    assert [one.format for one in found.files] == ["beir_queries", "beir_qrels", "beir_corpus"]
    assert "judged_not_in_corpus" not in [one.code for one in found.warnings()]


def test_gzip_inside_zip_is_unpacked() -> None:
    """Members that are packed themselves are read as what they hold."""
    packed = zipped(**{"q.tsv.gz": gzip.compress(b"1\tq\n"), "qrels.gz": gzip.compress(b"1 0 a 1")})
    assert contents(file(packed)) == {"q.tsv": b"1\tq\n", "qrels": b"1 0 a 1"}
    assert imported(file(packed))[1].stats.judgments == 1


def test_tar_gives_the_names_in_it() -> None:
    """A tar of documents is a list of their ids."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        for name in ("doc/CACM-0001.html", "doc/CACM-0002.html"):
            archive.addfile(tarfile.TarInfo(name), io.BytesIO())
    (one,) = unpack([file(out.getvalue(), "docs.tar.gz")])
    assert (one.part, one.read(99)) == ("corpus", b"CACM-0001\nCACM-0002\n")


def test_damaged_and_encrypted_archives_are_refused() -> None:
    """What cannot be unpacked is the sender's mistake, whenever it shows."""
    whole = zipped(a=random.Random(1).randbytes(4_000))  # noqa: S311 - repeatable, not secret
    locked = bytearray(whole)
    for mark in (b"PK\x03\x04", b"PK\x01\x02"):  # the flag that says encrypted
        locked[locked.index(mark) + (6 if mark[2] == 3 else 8)] |= 1
    flipped = bytearray(whole)
    flipped[200] ^= 255
    packed = gzip.compress(b"x" * 4_000)
    tar = bytearray(1_024)
    tar[257:262] = b"ustar"
    for body in (whole[:80], bytes(locked), bytes(flipped), packed[:-9], packed + b"x", bytes(tar)):
        with pytest.raises(MalformedTextError, match="cannot be unpacked"):
            contents(file(body))


def test_bomb_is_stopped() -> None:
    """Neither size nor number of what is inside grows without bound, nor its depth."""
    (bomb,) = unpack([file(gzip.compress(b"\0" * 40_000_000))])
    with pytest.raises(TooLargeError, match="unpacks to over"):
        bomb.read(40_000_000)
    with pytest.raises(TooLargeError, match="holds over"):
        unpack([file(zipped(*[b"x"] * (MAX_ENTRIES + 1)))])
    nested = gzip.compress(gzip.compress(gzip.compress(gzip.compress(b"1\tq\n"))))
    with pytest.raises(MalformedTextError, match="more than twice"):
        unpack([file(nested)])
    several = [file(zipped(*[b"x"] * 150), str(n)) for n in range(2)]
    with pytest.raises(TooLargeError, match="holds over"):
        unpack(several)


def test_empty_archive_has_no_files() -> None:
    """An archive without content is refused as such."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w"):
        pass
    with pytest.raises(Exception, match="no file in it"):
        imported(file(out.getvalue()), head=LAX)
