"""The signature agrees with the published scheme."""

import pytest

from reteval.contract.signatures import new_secret, sign

SIGNER = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"


def test_published_example() -> None:
    """The example of the scheme's own documentation comes out to the letter."""
    signature = sign(
        SIGNER,
        message_id="msg_p5jXN8AQM9LWM0D4loKWxJek",
        timestamp=1_614_265_330,
        body=b'{"test": 2432232314}',
    )
    assert signature == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_prefix_is_no_part_of_the_key() -> None:
    """A secret signs alike with and without its prefix."""
    kept = sign(SIGNER, message_id="m", timestamp=1, body=b"")
    assert sign(SIGNER[6:], message_id="m", timestamp=1, body=b"") == kept


@pytest.mark.parametrize("secret", ["", "whsec_", "whsec_!", "whsec_abc", "nöt"])
def test_what_is_no_secret_signs_nothing(secret: str) -> None:
    """A typo is an error, not a signature that never fits."""
    with pytest.raises(ValueError, match="secret"):
        sign(secret, message_id="m", timestamp=1, body=b"")


def test_new_secret_can_sign() -> None:
    """Random bytes become a secret of the same form."""
    assert new_secret(b"\x00" * 24) == "whsec_" + "A" * 32
    assert sign(new_secret(b"\xff" * 24), message_id="m", timestamp=1, body=b"").startswith("v1,")
