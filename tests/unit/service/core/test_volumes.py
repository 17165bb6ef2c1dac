"""What the estimate of a run's bytes depends on; that it holds is shown on real runs."""

import msgspec
import pytest

from reteval.contract.endpoints import Endpoint
from reteval.contract.runs import AdversarialRequest, RunRequest
from reteval.contract.slices import BUILT_IN
from reteval.contract.testsets import TestSetStats
from service.core.volumes import Volume, kept_bytes, needed_memory

PLAIN = Volume(
    queries=100, requests=100, depth=10, metrics=5, slices=2, cells=0, text=40.0, doc=8.0
)
STATS = TestSetStats(
    queries=10,
    scorable=10,
    unscorable=0,
    expect_nothing=0,
    variants=0,
    judgments=20,
    grades={},
    text_bytes=400,
    id_bytes=160,
    slices=3,
)


@pytest.mark.parametrize("field", Volume.__struct_fields__)
def test_more_of_anything_takes_more(field: str) -> None:
    """Each number of a volume counts, for what is kept and for what is needed meanwhile."""
    more = msgspec.structs.replace(PLAIN, **{field: getattr(PLAIN, field) + 10})
    assert kept_bytes(more) > kept_bytes(PLAIN)
    assert needed_memory(more) > needed_memory(PLAIN)


def test_needed_memory_covers_what_is_kept() -> None:
    """While outcomes are packed they are there twice."""
    assert needed_memory(PLAIN) > 1.25 * kept_bytes(PLAIN)


def test_volume_is_read_off_request_and_test_set() -> None:
    """Means come from the set's totals; a set without judgments is taken to have UUIDs."""
    request = RunRequest(test_set="x", endpoint=Endpoint(url="http://a/"))
    volume = Volume.of(request, STATS, requests=10, depth=7, metrics=4)
    assert (volume.text, volume.doc, volume.slices, volume.cells) == (40.0, 8.0, 3 + BUILT_IN, 0)
    attacked = msgspec.structs.replace(request, adversarial=AdversarialRequest(preset="quick"))
    unjudged = msgspec.structs.replace(STATS, judgments=0, id_bytes=0)
    volume = Volume.of(attacked, unjudged, requests=10, depth=7, metrics=4)
    assert volume.cells == 10
    assert volume.doc == 36
