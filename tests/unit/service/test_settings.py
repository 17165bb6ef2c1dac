"""Settings: one table, read once, with messages that name the variable."""

import pytest

from service.settings import TABLE, Settings, SettingsError


def test_defaults_are_usable() -> None:
    """An empty environment gives the guarded defaults."""
    settings = Settings.from_env({})
    assert (settings.auth, settings.egress, settings.host, settings.port) == (
        "required",
        "public",
        "127.0.0.1",
        8642,
    )


def test_every_field_has_its_row() -> None:
    """The struct and the table name the same settings in the same order."""
    assert [row.name for row in TABLE] == list(Settings.__struct_fields__)


def test_every_row_is_explained() -> None:
    """Each setting says what it does; numbers of time say their unit."""
    for row in TABLE:
        assert row.help
        units = {"s", "days", "bytes"} & {row.name.rpartition("_")[2]}
        assert {row.unit} - {""} == units


def test_values_are_read() -> None:
    """Each kind of value arrives in its own type."""
    settings = Settings.from_env(
        {
            "RETEVAL_PORT": "0",
            "RETEVAL_LEASE_S": "12.5",
            "RETEVAL_EGRESS_ALLOW": "10.0.0.0/8:*, search.internal:9200,",
            "RETEVAL_AUTH": "off",
        }
    )
    assert settings.port == 0
    assert settings.lease_s == 12.5
    assert settings.egress_allow == ("10.0.0.0/8:*", "search.internal:9200")
    assert settings.auth == "off"


@pytest.mark.parametrize(
    ("variable", "text", "hint"),
    [
        ("RETEVAL_PORT", "70000", "from 0 to 65535"),
        ("RETEVAL_PORT", "http", "invalid literal"),
        ("RETEVAL_LEASE_S", "nan", "from 1 to 600"),
        ("RETEVAL_REAPER_INTERVAL_S", "0", "from 0.1 to 60"),
        ("RETEVAL_AUTH", "none", "required, off"),
        ("RETEVAL_EGRESS", "all", "public, loopback"),
        ("RETEVAL_LOG_LEVEL", "INFO", "debug, info"),
    ],
)
def test_bad_value_is_named(variable: str, text: str, hint: str) -> None:
    """A value that cannot be used is refused with its variable and what it may be."""
    with pytest.raises(SettingsError, match=f"{variable}='{text}'.*{hint}"):
        Settings.from_env({variable: text})


def test_repr_keeps_secrets() -> None:
    """A logged settings object shows no key, password or token."""
    text = repr(
        Settings.from_env(
            {
                "RETEVAL_API_KEY": "s3cret-key",
                "RETEVAL_SECRET_KEY": "s3cret-fernet",
                "RETEVAL_REDIS_URL": "redis://:s3cret@store",
            }
        )
    )
    assert "s3cret" not in text
    assert "api_key" in text


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("redis://store:7000/0", (("127.0.0.1", 8642), ("store", 7000))),
        ("redis://store", (("127.0.0.1", 8642), ("store", 6379))),
        ("unix:///data/valkey.sock", (("127.0.0.1", 8642),)),
        ("", (("127.0.0.1", 8642),)),
    ],
)
def test_own_addresses_are_the_api_and_the_store(
    url: str, expected: tuple[tuple[str, int], ...]
) -> None:
    """No run may call what the service itself listens on; a socket file has no address."""
    assert Settings.from_env({"RETEVAL_REDIS_URL": url}).own_addresses() == expected
