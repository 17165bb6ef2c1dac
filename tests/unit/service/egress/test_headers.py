"""Headers a client may have sent."""

import pytest

from service.egress import EgressError, check_headers


@pytest.mark.parametrize(
    "name",
    [
        *("Host", "content-length", "Transfer-Encoding", "CONNECTION", "Proxy-Authorization"),
        *("X-Forwarded-For", "Accept-Encoding", "Forwarded", "Na me", "", "N:", "N\r\nX"),
    ],
)
def test_check_headers_when_a_name_is_refused(name: str) -> None:
    """Headers of the transport and malformed names are refused."""
    with pytest.raises(EgressError) as caught:
        check_headers({name: "x"})
    assert caught.value.code == "header_not_allowed"


@pytest.mark.parametrize("value", ["a\r\nX: 1", "a\n", "a\x00", "\u65e5\u672c", "caf\u00e9"])
def test_check_headers_when_a_value_is_refused(value: str) -> None:
    """Line ends, NUL and what is not ASCII are refused, and the value is not repeated."""
    with pytest.raises(EgressError) as caught:
        check_headers({"X-Key": f"s3cret{value}"})
    assert "s3cret" not in str(caught.value)


def test_check_headers_at_the_bounds() -> None:
    """32 headers and 8 KiB pass; one more of either does not."""
    check_headers({f"X-{i}": "v" for i in range(32)})
    check_headers({"X": "v" * 8_191})
    for headers in ({f"X-{i}": "v" for i in range(33)}, {"X": "v" * 8_192}):
        with pytest.raises(EgressError):
            check_headers(headers)
