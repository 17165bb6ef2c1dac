"""Damage done to files by a seed, as transfers, editors and spreadsheets do it."""

import gzip
import random
from collections.abc import Callable
from typing import Final


def corrupt(body: bytes, seed: int) -> bytes:
    """Damage a file in one to three ways."""
    draw = random.Random(seed)  # noqa: S311 - repeatable, not secret
    for _ in range(draw.randint(1, 3)):
        body = draw.choice(DAMAGE)(body, draw)
    return body


def _truncate(body: bytes, draw: random.Random) -> bytes:
    return body[: draw.randrange(len(body) + 1)]


def _flip(body: bytes, draw: random.Random) -> bytes:
    changed = bytearray(body)
    for _ in range(draw.randint(1, 4) if body else 0):
        changed[draw.randrange(len(changed))] ^= 1 << draw.randrange(8)
    return bytes(changed)


def _lines(body: bytes, change: Callable[[list[bytes]], None]) -> bytes:
    rows = body.split(b"\n")
    change(rows)
    return b"\n".join(rows)


def _double_line(body: bytes, draw: random.Random) -> bytes:
    return _lines(body, lambda rows: rows.insert(0, draw.choice(rows)))


def _drop_line(body: bytes, draw: random.Random) -> bytes:
    return _lines(body, lambda rows: rows.remove(draw.choice(rows)))


def _swap_lines(body: bytes, draw: random.Random) -> bytes:
    return _lines(body, draw.shuffle)


def _swap_cells(body: bytes, draw: random.Random) -> bytes:
    mark = draw.choice([b",", b"\t", b" ", b":"])

    def change(rows: list[bytes]) -> None:
        place = draw.randrange(len(rows))
        cells = rows[place].split(mark)
        draw.shuffle(cells)
        rows[place] = mark.join(cells)

    return _lines(body, change)


def _drop_mark(body: bytes, draw: random.Random) -> bytes:
    mark = draw.choice([b'"', b",", b"\t", b"\n", b"{", b"]", b" ", b":", b"<", b"."])
    places = [place for place in range(len(body)) if body[place : place + 1] == mark]
    if not places:
        return body
    place = draw.choice(places)
    return body[:place] + body[place + 1 :]


def _insert(body: bytes, draw: random.Random) -> bytes:
    junk = draw.choice(JUNK)
    place = draw.randrange(len(body) + 1)
    return body[:place] + junk + body[place:]


def _encode(body: bytes, draw: random.Random) -> bytes:
    text = body.decode("utf-8", "replace").replace("e", "é")
    return text.encode(draw.choice(["latin-1", "utf-16", "utf-8-sig", "cp1252"]), "replace")


def _carriage(body: bytes, draw: random.Random) -> bytes:
    return body.replace(b"\n", draw.choice([b"\r\n", b"\r", b"\n\n"]))


def _pack(body: bytes, draw: random.Random) -> bytes:
    packed = gzip.compress(body, mtime=0)
    return draw.choice([packed, packed[: draw.randrange(len(packed))], packed + b"more"])


def _prune(body: bytes, draw: random.Random) -> bytes:
    start = draw.randrange(len(body) + 1)
    return body[:start] + body[start + draw.randrange(20) :]


JUNK: Final = (b"\x00", b"\xff\xfe", b"\xc3(", b'"', b"NaN", b"-1", b"9" * 30, b"\r", b"{")
DAMAGE: Final = (
    _truncate,
    _flip,
    _double_line,
    _drop_line,
    _swap_lines,
    _swap_cells,
    _drop_mark,
    _insert,
    _encode,
    _carriage,
    _pack,
    _prune,
)
