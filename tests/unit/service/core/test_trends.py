"""Runs that may be joined by a line, and addresses that may be shown."""

import pytest

from service.core.trends import hide_secrets


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("http://a.example/q?index=v2", "http://a.example/q?index=v2"),
        ("http://me:pw@a.example/q", "http://a.example/q"),
        ("http://a.example/q?api_key=s3cret&n=1", "http://a.example/q?api_key=***&n=1"),
        (
            "http://a.example/q?n=1&X-Amz-Signature=ab%2F",
            "http://a.example/q?n=1&X-Amz-Signature=***",
        ),
        ("http://a.example/q?Token=a", "http://a.example/q?Token=***"),
        ("http://a.example/q?keyword={{query}}&k=5", "http://a.example/q?keyword={{query}}&k=5"),
        ("http://a.example/at@home?q=1", "http://a.example/at@home?q=1"),
    ],
)
def test_endpoint_is_shown_without_secrets(url: str, shown: str) -> None:
    """User, password and values named like keys are hidden; the rest tells endpoints apart."""
    assert shown == hide_secrets(url)
