"""Reading URLs: what cannot be called is refused before any name is resolved."""

import pytest

from service.egress import EgressError, Policy

PUBLIC = Policy.parse("public")

REFUSED_ADDRESSES = [
    "http://127.0.0.1/",
    "http://localhost/",
    "http://LOCALHOST/",
    "http://localhost./",
    "http://api.localhost/",
    "http://127.1/",
    "http://2130706433/",
    "http://0x7f000001/",
    "http://0x7f.1/",
    "http://0177.0.0.1/",
    "http://017700000001/",
    "http://0/",
    "http://0.0.0.0/",
    "http://127.0.0.1./",
    "http://①②⑦.⓪.⓪.①/",
    "http://127。0。0。1/",
    "http://ⓛocalhost/",
    "http://[::1]/",
    "http://[::]/",
    "http://[::ffff:127.0.0.1]/",
    "http://[::ffff:7f00:1]/",
    "http://[0:0:0:0:0:ffff:a9fe:a9fe]/",
    "http://[::127.0.0.1]/",
    "http://[::ffff:0:127.0.0.1]/",
    "http://[64:ff9b::a9fe:a9fe]/",
    "http://[64:ff9b::808:808]/",
    "http://[64:ff9b:1::7f00:1]/",
    "http://[2002:7f00:1::]/",
    "http://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/",
    "http://[fd00:ec2::254]/",
    "http://[fec0::1]/",
    "http://[3fff::1]/",
    "http://[5f00::1]/",
    "http://[ff02::1]/",
    "http://[100::1]/",
    "http://[2001:db8::1]/",
    "http://100.64.0.1/",
    "http://169.254.169.254/",
    "http://169.254.170.2/",
    "http://100.100.100.200/",
    "http://192.0.0.192/",
    "http://168.63.129.16/",
    "http://192.88.99.1/",
    "http://198.18.0.1/",
    "http://224.0.0.1/",
    "http://255.255.255.255/",
    "http://metadata.google.internal/",
    "http://METADATA/",
    "http://instance-data/latest",
]
BAD_URLS = [
    "",
    "http:host",
    "http:///x",
    "http://",
    "http://h/#fragment",
    "http://127.0.0.1\\@example.com/",
    "http://example.com\\@127.0.0.1/",
    "http://127.0.0.1#@example.com/",
    "http://exa mple.com/",
    "http://example.com/\r\nHost: x",
    "http://example.com/a\tb",
    "http://example.com/\x00",
    " http://example.com/",
    "http://example.com/caf\u00e9",
    "http://h:0/",
    "http://h:99999/",
    "http://h:-1/",
    "http://h:/",
    "http://h:80:80/",
    "http://h:\uff16\uff13\uff17\uff19/",
    "http://h:+80/",
    "http://[fe80::1%25eth0]/",
    "http://[fe80::1%lo]/",
    "http://[::1/",
    "http://[]/",
    "http://[::1]x/",
    "http://-leading.example/",
    "http://a..b/",
    f"http://{'a' * 64}.example/",
    f"http://{'.'.join(['a' * 60] * 5)}/",
    f"http://example.com/{'x' * 2_048}",
    "http://stra\u00dfe.example/",
    "http://\u2100.example/",
    "http://\ud800.example/",
    "http://{{query}}.example/",
]


@pytest.mark.parametrize("url", REFUSED_ADDRESSES)
def test_check_url_when_the_address_is_not_public(url: str) -> None:
    """No spelling of a private, special or metadata address passes."""
    with pytest.raises(EgressError) as caught:
        PUBLIC.check_url(url)
    assert caught.value.code == "address_not_allowed"


@pytest.mark.parametrize("url", BAD_URLS)
def test_check_url_when_it_cannot_be_read(url: str) -> None:
    """What two parsers could read differently is refused, and nothing crashes."""
    with pytest.raises(EgressError) as caught:
        PUBLIC.check_url(url)
    assert caught.value.code in ("bad_url", "scheme_not_allowed")


@pytest.mark.parametrize(
    "url", ["file:///etc/passwd", "gopher://x/", "ftp://x/", "unix:/x", "data:,x", "//host/", "x"]
)
def test_check_url_when_the_scheme_is_another(url: str) -> None:
    """Only http and https are called."""
    with pytest.raises(EgressError) as caught:
        PUBLIC.check_url(url)
    assert caught.value.code == "scheme_not_allowed"


@pytest.mark.parametrize("url", ["http://user:s3cret@host/", "http://example.com@127.0.0.1/"])
def test_check_url_when_it_holds_credentials(url: str) -> None:
    """A URL with user and password is refused and never repeated."""
    with pytest.raises(EgressError) as caught:
        PUBLIC.check_url(url)
    assert caught.value.code == "userinfo_not_allowed"
    assert "s3cret" not in str(caught.value)


@pytest.mark.parametrize("port", [22, 25, 5432, 6379, 11211])
def test_check_url_when_the_port_is_not_for_http(port: int) -> None:
    """A public host is not called on a port where something else listens."""
    for host in ("example.com", "8.8.8.8"):
        with pytest.raises(EgressError) as caught:
            PUBLIC.check_url(f"http://{host}:{port}/")
        assert caught.value.code == "port_not_allowed"


@pytest.mark.parametrize(
    ("url", "canonical"),
    [
        ("http://172.15.255.255/", "http://172.15.255.255/"),
        ("http://172.32.0.0", "http://172.32.0.0/"),
        ("HTTPS://Example.COM.:443/a?b={{query}}", "https://example.com/a?b={{query}}"),
        ("http://my_host:9200/x", "http://my_host:9200/x"),
        ("http://b\u00fccher.example/", "http://xn--bcher-kva.example/"),
        ("http://[2606:4700:0::1111]:8080?q=1", "http://[2606:4700::1111]:8080/?q=1"),
        ("http://[::ffff:8.8.8.8]/", "http://[::ffff:808:808]/"),
    ],
)
def test_check_url_when_it_is_public(url: str, canonical: str) -> None:
    """Public targets pass and come back in one spelling, names in punycode."""
    assert PUBLIC.check_url(url).url == canonical
