"""What is refused about an endpoint's description."""

from typing import Any

import pytest

from reteval.contract.endpoints import Endpoint, Method, Paging, PagingKind, Success
from service.core.endpoint_checks import check_description, check_variants, find_placeholders

URL = "http://host.example/x"
PAGED = {"q": "{{query}}", "from": "{{offset}}"}


def pointers(**fields: Any) -> list[str]:
    """Return the places at fault."""
    return [item.pointer for item in check_description(Endpoint(**{"url": URL, **fields}))]


@pytest.mark.parametrize(
    ("fields", "places"),
    [
        ({"total": "a b"}, ["/endpoint/total"]),
        ({"took": "["}, ["/endpoint/took"]),
        ({"error": "["}, ["/endpoint/error"]),
        ({"collapse_by": "["}, ["/endpoint/collapse_by"]),
        ({"success": Success(path="a &")}, ["/endpoint/success/path"]),
        ({"ids": "ids", "collapse_by": "doc"}, ["/endpoint/ids"]),
        ({"overfetch": 2}, ["/endpoint/overfetch"]),
        ({"overfetch": 2, "collapse_at": "#"}, []),
        ({"body": {"v": "{{field.v}}"}}, []),
        ({"body": {"id": "{{query_id}}"}}, []),
        ({"body": {"q": "{{query|json}}"}}, []),
        ({"body": {"n": "{{k}}"}}, ["/endpoint"]),
    ],
)
def test_mapping_and_request_are_checked(fields: dict[str, Any], places: list[str]) -> None:
    """Each flaw is named at its place; anything that tells queries apart is enough."""
    assert pointers(**fields) == places


@pytest.mark.parametrize(
    ("paging", "body", "places"),
    [
        ({"kind": PagingKind.OFFSET}, PAGED, []),
        (None, PAGED, ["/endpoint/paging"]),
        ({"kind": PagingKind.PAGE}, PAGED, ["/endpoint/paging", "/endpoint/paging/kind"]),
        ({"kind": PagingKind.OFFSET, "next": "n"}, PAGED, ["/endpoint/paging/next"]),
        ({"kind": PagingKind.OFFSET, "start": "*"}, PAGED, ["/endpoint/paging/start"]),
        ({"kind": PagingKind.CURSOR}, {"q": "{{query}}{{cursor}}"}, ["/endpoint/paging/next"]),
        (
            {"kind": PagingKind.CURSOR, "next": "["},
            {"q": "{{query}}{{cursor}}"},
            ["/endpoint/paging/next"],
        ),
        ({"kind": PagingKind.CURSOR, "next": "n"}, {"q": "{{query}}{{cursor}}"}, []),
    ],
)
def test_paging_is_checked(
    paging: dict[str, Any] | None, body: dict[str, str], places: list[str]
) -> None:
    """Paging needs its placeholder, a cursor needs its source, and numbers are numbers."""
    described = None if paging is None else Paging(size=10, **paging)
    assert pointers(body=body, paging=described) == places


def test_placeholders_are_found_in_every_place() -> None:
    """URL, parameters, headers, body and form count."""
    endpoint = Endpoint(
        url=f"{URL}/{{{{query_id}}}}",
        params={"k": "{{k}}"},
        headers={"X": "{{field.a}}"},
        form={"q": "{{query|json}}"},
    )
    assert find_placeholders(endpoint) == {"query_id", "k", "field.a", "query"}


@pytest.mark.parametrize(
    ("fields", "refused"),
    [
        ({}, False),
        ({"body": {"q": "{{query}}"}}, False),
        ({"body": {"v": "{{field.v}}"}}, True),
        ({"method": Method.GET, "params": {"id": "{{query_id}}"}}, True),
    ],
)
def test_variants_need_the_text(fields: dict[str, Any], refused: bool) -> None:  # noqa: FBT001
    """Where no text is sent, a changed text would change nothing."""
    assert [item.pointer for item in check_variants(Endpoint(url=URL, **fields))] == (
        ["/adversarial"] if refused else []
    )
