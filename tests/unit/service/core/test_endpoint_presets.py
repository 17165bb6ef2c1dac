"""Presets filled in on the service's side."""

from typing import Any

import pytest
from msgspec import UNSET

from reteval.contract.endpoints import Endpoint, Method, Paging, PagingKind
from reteval.contract.presets import PRESETS
from service.core.endpoint_checks import check_description
from service.core.endpoint_presets import apply_preset, list_presets
from service.errors import InvalidError

URL = "http://host.example/x"
KEY = {"X-TYPESENSE-API-KEY": "k"}


def typesense(**fields: Any) -> Endpoint:
    """Describe a Typesense server with what the preset needs."""
    given = {"params": {"query_by": "title"}, "headers": KEY, **fields}
    return apply_preset(Endpoint(url=URL, preset="typesense", **given))


def test_a_preset_fills_in_what_is_not_given() -> None:
    """Method, parameters, mapping and paging are the preset's, URL and key the client's."""
    known = PRESETS["typesense"].endpoint
    endpoint = typesense()
    assert (endpoint.url, endpoint.headers, endpoint.method) == (URL, KEY, Method.GET)
    assert endpoint.params == {**known.params, "query_by": "title"}
    assert (endpoint.id, endpoint.paging) == ("document.id", known.paging)


def test_what_is_given_takes_precedence() -> None:
    """Parameters are merged by name, other fields replaced."""
    paging = Paging(kind=PagingKind.PAGE, size=50)
    endpoint = typesense(
        params={"query_by": "text", "per_page": 5}, id="document.sku", paging=paging
    )
    assert endpoint.params["per_page"] == 5
    assert endpoint.params["q"] == "{{query}}"
    assert (endpoint.id, endpoint.paging) == ("document.sku", paging)
    form = apply_preset(Endpoint(url=URL, preset="postgrest", form={"q": "{{query}}"}))
    assert form.body is UNSET


def test_filling_in_twice_changes_nothing() -> None:
    """A pinned description can be used again."""
    endpoint = typesense(collapse_at="#")
    assert apply_preset(endpoint) == endpoint
    assert apply_preset(Endpoint(url=URL)) == Endpoint(url=URL)


@pytest.mark.parametrize(
    ("fields", "pointers"),
    [
        ({"preset": "elastic"}, ["/endpoint/preset"]),
        (
            {"preset": "typesense"},
            ["/endpoint/params/query_by", "/endpoint/headers/X-TYPESENSE-API-KEY"],
        ),
        ({"preset": "solr", "params": {"QF": "title"}}, []),
        ({"preset": "weaviate"}, ["/endpoint/body"]),
    ],
)
def test_what_a_preset_cannot_know_is_asked_for(
    fields: dict[str, Any], pointers: list[str]
) -> None:
    """Each empty place is named; an unknown preset lists the known ones."""
    if not pointers:
        assert apply_preset(Endpoint(url=URL, **fields)).params["QF"] == "title"
        return
    with pytest.raises(InvalidError) as caught:
        apply_preset(Endpoint(url=URL, **fields))
    assert [item.pointer for item in caught.value.errors] == pointers


@pytest.mark.parametrize("preset", list_presets().presets, ids=lambda preset: preset.name)
def test_every_preset_is_a_valid_description(preset: Any) -> None:
    """The catalogue breaks no rule that clients must keep."""
    assert check_description(preset.endpoint) == []
