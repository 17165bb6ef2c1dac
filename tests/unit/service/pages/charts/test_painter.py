"""Painting in a program of its own."""

import io
from collections.abc import Iterator

import msgspec
import pytest

from service.pages.charts.painter import Painter, PaintError, serve

POINT = {"data": {"values": [{}]}, "mark": "point", "width": 10, "height": 10}
ABROAD = {"data": {"url": "http://127.0.0.1:9/data.json"}, "mark": "point"}


def request_of(spec: object) -> bytes:
    """Return the line that asks for a picture."""
    return msgspec.json.encode([spec, {}])


@pytest.fixture(scope="module")
def painter() -> Iterator[Painter]:
    """Return a painter whose program is ended after the tests."""
    made = Painter()
    yield made
    made.close()


def test_picture_is_painted_elsewhere(painter: Painter) -> None:
    """A picture comes back; a specification that is none is told, and the next is painted."""
    assert painter.paint(request_of(POINT)).startswith("<svg")
    with pytest.raises(PaintError):
        painter.paint(request_of({"mark": "nonsense"}))
    assert painter.paint(request_of(POINT)).startswith("<svg")


def test_program_that_died_is_started_again(painter: Painter) -> None:
    """A picture is painted although the program ended; what ends it twice is told, not retried."""
    painter.paint(request_of(POINT))
    assert painter._program is not None
    painter._program.kill()
    painter._program.wait()
    assert painter.paint(request_of(POINT)).startswith("<svg")
    with pytest.raises(PaintError, match="without an answer"):
        painter.paint(b"no JSON")


def test_nothing_is_fetched() -> None:
    """A specification that leads elsewhere is refused where it would be fetched."""
    answers = io.BytesIO()
    serve(io.BytesIO(request_of(POINT) + b"\n" + request_of(ABROAD) + b"\n"), answers)
    (drawn, svg), (fetched, _) = (
        msgspec.json.decode(line) for line in answers.getvalue().splitlines()
    )
    assert (drawn, svg[:4]) == (True, "<svg")
    assert not fetched
