"""The canary: when the first requests stop a run, and what is said then."""

import msgspec
import pytest
from msgspec import UNSET

from reteval.contract.diagnostics import DiagnosticCode, Severity
from reteval.contract.endpoints import Endpoint
from reteval.contract.outcomes import FailureCode, Outcome, OutcomeStatus
from reteval.contract.probes import Lookup
from tests.unit.worker.pipeline.test_probing import HIDER, exchange
from worker.pipeline.canary import describe_canary, find_common_failure
from worker.pipeline.lookup import find_missing

OK = Outcome(status=OutcomeStatus.OK, ids=["a"])
EMPTY = Outcome(status=OutcomeStatus.OK_EMPTY)
BROKEN = Outcome(status=OutcomeStatus.FAILED, code=FailureCode.SCHEMA)
SLOW = Outcome(status=OutcomeStatus.FAILED, code=FailureCode.TIMEOUT)


@pytest.mark.parametrize(
    ("outcomes", "expected"),
    [
        ([BROKEN] * 3, FailureCode.SCHEMA),
        ([BROKEN, SLOW], None),
        ([BROKEN, OK], None),
        ([EMPTY] * 3, None),
        ([], None),
    ],
)
def test_common_failure_needs_all_alike(
    outcomes: list[Outcome], expected: FailureCode | None
) -> None:
    """One answer, an empty one included, or two causes let the run go on."""
    assert find_common_failure(outcomes) is expected


def test_description_carries_requests_lists_and_patch() -> None:
    """What was seen of the first requests stands in the finding, with the patch to paste."""
    exchanges = [
        exchange(at, {"out": [{"key": f"d{at}"}, {"key": f"e{at}"}]}, judged=(f"d{at}",))
        for at in range(10)
    ]
    found = describe_canary(
        FailureCode.SCHEMA, exchanges, Endpoint(url="http://a/"), scrub=HIDER, sent=10, unsent=90
    )
    assert (found.code, found.severity) == (DiagnosticCode.CANARY_FAILED, Severity.BLOCK)
    assert "other 90 were not sent" in found.message
    assert found.patch == {"endpoint": {"hits": "out", "id": "key"}}
    assert len(found.evidence) <= 5
    assert found.evidence[0]["request"] == "POST http://a/"
    assert found.evidence[-1]["lists"][0]["id_like"] == ["key"]
    msgspec.json.encode(found)


def test_description_without_exchanges_still_advises() -> None:
    """A worker that took the run over has only the record, and says what it can."""
    found = describe_canary(
        FailureCode.CONNECT, [], Endpoint(url="http://a/"), scrub=HIDER, sent=10, unsent=1
    )
    assert "Check the endpoint's url" in found.fix
    assert (found.evidence, found.patch) == ((), UNSET)


@pytest.mark.parametrize(("missing", "said"), [(3, "Index these"), (90, "another corpus")])
def test_missing_documents_are_a_warning(missing: int, said: str) -> None:
    """A few unknown documents and a foreign corpus are different advice."""
    known = Lookup(asked=100, found=100 - missing, missing=missing, failed=0, examples=("a", "b"))
    found = find_missing(known)
    assert found is not None
    assert found.severity is Severity.WARN
    assert said in found.fix
    assert found.evidence[0] == {"judged": "a", "exists": False}


def test_known_documents_are_no_finding() -> None:
    """Nothing is said where all exist or could not be asked for."""
    known = Lookup(asked=2, found=1, missing=0, failed=1, examples=())
    assert find_missing(known) is None
