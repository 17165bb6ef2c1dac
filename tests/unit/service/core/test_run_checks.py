from typing import Any

import msgspec
import pytest

from reteval.contract.hostile import HOSTILE_GROUPS
from reteval.contract.kinds import OUT_OF_CORPUS_REPEATED, OUT_OF_CORPUS_TIERS
from reteval.contract.runs import RunRequest
from reteval.contract.testsets import TestSetStats
from service.core.estimates import estimate
from service.core.run_checks import check_run
from service.egress import Policy
from service.errors import EndpointNotAllowedError, InvalidError

POLICY = Policy.parse("loopback", own=[("127.0.0.1", 8642)])
URL = "http://127.0.0.1:9/search"
STATS = TestSetStats(
    queries=130,
    scorable=100,
    unscorable=20,
    expect_nothing=10,
    variants=5,
    judgments=300,
    grades={"1": 300},
)
UNANSWERABLE = sum(queries + OUT_OF_CORPUS_REPEATED for queries in OUT_OF_CORPUS_TIERS.values())


def request(**changes: Any) -> RunRequest:
    """Return a valid request with changes."""
    body = {"test_set": "s", "endpoint": {"url": URL}, **changes}
    return msgspec.convert(body, RunRequest)


def with_endpoint(**fields: Any) -> RunRequest:
    """Return a request whose endpoint has these fields."""
    return request(endpoint={"url": URL, **fields})


@pytest.mark.parametrize(
    ("changes", "metrics", "depth"),
    [
        ({"metrics": ["mrr"]}, ["mrr"], 10),
        ({"metrics": ["R@5", "AP"]}, ["recall@5", "map"], 10),
        ({"metrics": ["recall"], "k_values": [1, 20]}, ["recall@1", "recall@20"], 20),
        ({"metrics": ["mrr"], "k_values": [50]}, ["mrr"], 50),
        ({"metrics": ["recall@5"], "depth": 5}, ["recall@5"], 5),
        ({"metrics": ["mrr"], "adversarial": {"metric": "ndcg@30"}}, ["mrr"], 30),
    ],
)
def test_metrics_and_depth_are_resolved(
    changes: dict[str, Any], metrics: list[str], depth: int
) -> None:
    """Names become canonical; the depth is at least 10 and fills every cut-off."""
    resolved = check_run(request(**changes), POLICY)
    assert ([str(metric) for metric in resolved.metrics], resolved.depth) == (metrics, depth)


def test_no_metrics_means_all_of_them() -> None:
    """Without a list, mrr, map and six families at four cut-offs are measured."""
    assert len(check_run(request(), POLICY).metrics) == 26


@pytest.mark.parametrize(
    ("changes", "pointer"),
    [
        ({"metrics": ["mrr", "foo"]}, "/metrics/1"),
        ({"metrics": ["recall@2000"]}, "/metrics/0"),
        ({"depth": 5}, "/depth"),
        ({"metrics": ["mrr"], "depth": 5, "adversarial": {}}, "/depth"),
        ({"label": "a\nb"}, "/label"),
        ({"label": "é" * 101}, "/label"),
        ({"test_set": "a\x00"}, "/test_set"),
        ({"meta": {"a/b": "x\ty"}}, "/meta/a~1b"),
        ({"meta": {"a": "x" * 1_001}}, "/meta/a"),
        ({"meta": {str(n): "" for n in range(51)}}, "/meta"),
        ({"adversarial": {"suite": "1999.0"}}, "/adversarial/suite"),
        ({"adversarial": {"preset": "huge"}}, "/adversarial/preset"),
        ({"adversarial": {"kinds": ["typo.mixed", "typo"]}}, "/adversarial/kinds/1"),
        ({"adversarial": {"kinds": []}}, "/adversarial/kinds"),
        ({"adversarial": {"severities": []}}, "/adversarial/severities"),
        ({"adversarial": {"metric": "ndcg"}}, "/adversarial/metric"),
    ],
)
def test_broken_rule_is_named(changes: dict[str, Any], pointer: str) -> None:
    """Each rule beyond types has its place and a fix."""
    with pytest.raises(InvalidError) as caught:
        check_run(request(**changes), POLICY)
    assert [(item.pointer, bool(item.fix)) for item in caught.value.errors] == [(pointer, True)]


@pytest.mark.parametrize(
    ("fields", "pointer"),
    [
        ({"body": {"q": "{{query}}"}, "form": {"q": "{{query}}"}}, "/endpoint/form"),
        ({"method": "GET", "body": {"q": "{{query}}"}}, "/endpoint/method"),
        ({"body": {"q": "fixed"}}, "/endpoint"),
        ({"form": {"k": "{{k}}"}}, "/endpoint"),
        ({"method": "GET", "params": {"size": 10}}, "/endpoint"),
        ({"hits": "hits["}, "/endpoint/hits"),
        ({"score": "a b"}, "/endpoint/score"),
        ({"ids": "ids[0]", "hits": "hits"}, "/endpoint/ids"),
        ({"scores": "scores"}, "/endpoint/scores"),
    ],
)
def test_description_that_cannot_work_is_named(fields: dict[str, Any], pointer: str) -> None:
    """An endpoint that would answer every query alike, or that cannot be read, is refused."""
    with pytest.raises(InvalidError) as caught:
        check_run(with_endpoint(**fields), POLICY)
    assert [item.pointer for item in caught.value.errors] == [pointer]


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"method": "GET"},
        {"method": "GET", "params": {"q": "{{query}}"}},
        {"url": "http://127.0.0.1:9/search?q={{query}}", "method": "GET", "params": {"n": 1}},
        {"params": {"index": "docs"}},
        {"body": {"query": {"match": [{"text": "{{query}}"}]}, "size": "{{k}}"}},
        {"form": {"q": "{{query}}"}},
        {"body": {"n": 1}, "headers": {"X-Query": "{{query}}"}},
        {"hits": "hits.hits", "id": "_source.doc_id", "score": "_score", "text": "_source.body"},
        {"ids": "ids[0]", "scores": "distances[0]"},
    ],
)
def test_description_that_works_is_accepted(fields: dict[str, Any]) -> None:
    """The default protocol and every place the query can stand in are fine."""
    check_run(with_endpoint(**fields), POLICY)


def test_deep_body_is_refused_without_recursion() -> None:
    """A body nested beyond any engine's need is refused, however deep it is."""
    body: Any = "{{query}}"
    for _ in range(500):
        body = [body]
    with pytest.raises(InvalidError) as caught:
        check_run(with_endpoint(body=body), POLICY)
    assert caught.value.errors[0].pointer == "/endpoint/body"


@pytest.mark.parametrize(
    ("fields", "pointer"),
    [
        ({"url": "http://10.0.0.1/"}, "/endpoint/url"),
        ({"url": "http://127.0.0.1:8642/"}, "/endpoint/url"),
        ({"url": "ftp://example.com/"}, "/endpoint/url"),
        ({"headers": {"Connection": "close"}}, "/endpoint/headers"),
        ({"headers": {"X-A": "a\r\nb"}}, "/endpoint/headers"),
    ],
)
def test_target_outside_the_policy_is_refused(fields: dict[str, Any], pointer: str) -> None:
    """The policy's reason is given beside the place."""
    with pytest.raises(EndpointNotAllowedError) as caught:
        check_run(with_endpoint(**fields), POLICY)
    assert [item.pointer for item in caught.value.errors] == [pointer]


def test_errors_are_at_most_twenty() -> None:
    """A body with many mistakes answers the first twenty."""
    with pytest.raises(InvalidError) as caught:
        check_run(request(metrics=["x"] * 30), POLICY)
    assert len(caught.value.errors) == 20


@pytest.mark.parametrize(
    ("adversarial", "calls"),
    [
        (None, 5),
        ({"preset": "quick"}, 5 + 50 * 8 + UNANSWERABLE),
        ({}, 5 + 100 * 24 + UNANSWERABLE + HOSTILE_GROUPS["hostile"]),
        ({"severities": [3]}, 5 + 100 * 18 + UNANSWERABLE + HOSTILE_GROUPS["hostile"]),
        ({"kinds": ["typo.mixed"]}, 5 + 100 * (3 + 3 + 1)),
        ({"kinds": ["typo.mixed", "short.k1"], "severities": [2], "sample": 10}, 5 + 10 * 4),
        ({"kinds": ["out_of_corpus.far"]}, 5 + 60),
        ({"kinds": ["hostile.sql"]}, 5 + HOSTILE_GROUPS["hostile.sql"]),
    ],
)
def test_planned_calls_are_counted(adversarial: dict[str, Any] | None, calls: int) -> None:
    """Hand-made variants are always sent; the rest is kinds x severities x replicates x sample."""
    made = estimate(request(adversarial=adversarial, limits={"rate_per_s": 10}), STATS)
    assert (made.clean, made.adversarial) == (110, calls)
    assert made.seconds_at_rate == (110 + calls) / 10


@pytest.mark.parametrize(
    ("adversarial", "pointers"),
    [
        ({"model": {"url": URL}}, []),
        ({"model": {"url": URL}, "kinds": ["paraphrase.model"]}, []),
        ({"model": {"url": URL, "body": {"ask": "{{query}}"}, "ids": "texts"}}, []),
        ({"kinds": ["paraphrase.model"]}, ["/adversarial/model"]),
        ({"model": {"url": URL}, "kinds": ["typo.mixed"]}, ["/adversarial/model"]),
        ({"model": {"url": URL, "body": {"ask": "{{query_id}}"}}}, ["/adversarial/model"]),
        ({"model": {"url": ""}}, ["/adversarial/model/url"]),
        ({"model": {"url": URL, "ids": "[["}}, ["/adversarial/model/ids"]),
        (
            {
                "model": {
                    "url": URL,
                    "body": {"ask": "{{query}}", "page": "{{page}}"},
                    "paging": {"kind": "page", "size": 3},
                }
            },
            ["/adversarial/model/paging"],
        ),
    ],
)
def test_model_that_writes_paraphrases_is_checked(
    adversarial: dict[str, Any], pointers: list[str]
) -> None:
    """It needs its kind and its kind needs it; it is described as any endpoint, on one page."""
    made = request(adversarial=adversarial)
    if not pointers:
        check_run(made, POLICY)
        return
    with pytest.raises(InvalidError) as caught:
        check_run(made, POLICY)
    assert [item.pointer for item in caught.value.errors] == pointers


@pytest.mark.parametrize(
    ("model", "pointer"),
    [
        ({"url": "http://10.0.0.1/"}, "/adversarial/model/url"),
        ({"url": URL, "headers": {"Host": "x"}}, "/adversarial/model/headers"),
    ],
)
def test_model_is_held_to_the_egress_policy(model: dict[str, Any], pointer: str) -> None:
    """A model is called from where the endpoint is called, hence to the same places only."""
    with pytest.raises(EndpointNotAllowedError) as caught:
        check_run(request(adversarial={"model": model}), POLICY)
    assert [item.pointer for item in caught.value.errors] == [pointer]


def test_model_calls_are_counted_apart() -> None:
    """The calls that cost the model are told before any is made."""
    asked = request(adversarial={"model": {"url": URL}, "preset": "quick"})
    plain = request(adversarial={"preset": "quick"})
    assert (estimate(asked, STATS).model_calls, estimate(plain, STATS).model_calls) == (50, 0)
    assert estimate(asked, STATS).adversarial - estimate(plain, STATS).adversarial == 150
