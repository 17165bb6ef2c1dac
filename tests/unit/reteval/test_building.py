"""Question-answer pages and logs, through both clients against a scripted service."""

from pathlib import Path

import pytest

from reteval.contract.query_samples import (
    Drop,
    QuerySample,
    SampleMethod,
    SecretKind,
    Stratum,
    StratumCounts,
)
from reteval.contract.testsets import Query
from tests.unit.reteval.documents import Script, a_test_set, answer
from tests.unit.reteval.test_keeping import Calls, both

SAMPLE = QuerySample(
    method=SampleMethod.PROPORTIONAL,
    seed=7,
    lines=1_005,
    searches=1_000,
    distinct=40,
    dropped={Drop.EMPTY: 5},
    redacted={SecretKind.EMAIL: 2},
    strata={Stratum.HEAD: StratumCounts(queries=40, searches=1_000, sampled=1)},
    queries=(Query(query="reset password", tags=["head"], source="log"),),
)


@both
@pytest.mark.parametrize(
    ("name", "media"), [("f.csv", "text/csv"), ("f.jsonl", "application/x-ndjson")]
)
def test_faq_goes_as_what_it_is(calls: Calls, tmp_path: Path, name: str, media: str) -> None:
    """The file is sent with its type, what is said of the set as parameters."""
    path = tmp_path / name
    path.write_text("question,answer,url\n")
    service = Script([answer(a_test_set())])
    made = calls(service, lambda client: client.import_faq(path, name="faq", scale_max=2))
    (sent,) = service.requests
    assert made.id == a_test_set().id
    assert (sent.url.path, sent.headers["content-type"]) == ("/v1/faqs", media)
    assert dict(sent.url.params) == {"name": "faq", "scale_max": "2"}
    assert service.bodies == [b"question,answer,url\n"]


@both
@pytest.mark.parametrize(
    ("name", "media"),
    [("a.txt", "text/plain"), ("a.csv", "text/csv"), ("a.ndjson", "application/x-ndjson")],
)
def test_log_goes_as_what_it_is(calls: Calls, tmp_path: Path, name: str, media: str) -> None:
    """Anything but a table or JSON lines is a query a line; the answer is the sample."""
    path = tmp_path / name
    path.write_text("a\n")
    service = Script([answer(SAMPLE)])
    found = calls(
        service,
        lambda client: client.sample_queries(
            path, method=SampleMethod.PROPORTIONAL, size=3, seed=7, once_per_user=True
        ),
    )
    (sent,) = service.requests
    assert found == SAMPLE
    assert (sent.url.path, sent.headers["content-type"]) == ("/v1/query-samples", media)
    assert dict(sent.url.params) == {
        "method": "proportional",
        "size": "3",
        "seed": "7",
        "once_per_user": "true",
    }
