import random
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reteval.contract.query_samples import SecretKind
from service.core.building.cleaning import clean
from service.core.building.redaction import redact

WORDS = ("reset", "my", "password", "invoice", "for", "2024", "why", "is", "declined", "iphone 15")


@pytest.mark.parametrize(
    ("text", "left", "kind"),
    [
        ("mail bob.smith+x@example.co.uk now", "mail [email] now", SecretKind.EMAIL),
        ("who is bob%40example.com", "who is [email]", SecretKind.EMAIL),
        ("call +1 (555) 123-4567 please", "call [phone] please", SecretKind.PHONE),
        ("0030 210 1234567", "[phone]", SecretKind.PHONE),
        ("ssn 123-45-6789", "ssn [phone]", SecretKind.PHONE),
        ("01.23.45.67.89", "[phone]", SecretKind.PHONE),
        ("4111 1111 1111 1111 exp", "[card] exp", SecretKind.CARD),
        ("\uff14" + "\uff11" * 15, "[card]", SecretKind.CARD),
        ("DE89 3704 0044 0532 0130 00 transfer", "[iban] transfer", SecretKind.IBAN),
        ("from gb29nwbk60161331926819", "from [iban]", SecretKind.IBAN),
        ("order 123456789", "order [digits]", SecretKind.DIGITS),
        ("+12345678901234567890", "[digits]", SecretKind.DIGITS),
        ("4111 1111 1111 1112", "[digits]", SecretKind.DIGITS),
        ("key AKIAIOSFODNN7EXAMPLE", "key [token]", SecretKind.TOKEN),
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc", "[token]", SecretKind.TOKEN),
        ("sk-proj-abcdefghijklmnop", "[token]", SecretKind.TOKEN),
        ("0f8fad5b-d9cb-469f-a165-70867728950e", "[token]", SecretKind.TOKEN),
        ("sum d41d8cd98f00b204e9800998ecf8427e", "sum [token]", SecretKind.TOKEN),
        ("password: hunter2", "password: [token]", SecretKind.TOKEN),
        ("Authorization: Bearer abc", "Authorization: Bearer [token]", SecretKind.TOKEN),
        ("bearer abcdefghijklmnopq", "bearer [token]", SecretKind.TOKEN),
    ],
)
def test_secret_is_taken_out(text: str, left: str, kind: SecretKind) -> None:
    """Each kind is found in the spellings people use, counted once, and named in its place."""
    found, counts = redact(text)
    assert (found, dict(counts)) == (left, {kind: 1})
    assert redact(found)[0] == found


@pytest.mark.parametrize(
    "text",
    [
        "error 0x80070057 in 2024",
        "windows 10.0.19045.3570",
        "ping 192.168.100.100",
        "log 2024-01-15 10:30",
        "lodash@4.17.21",
        "iphone 15 pro 256",
        "AbstractSingletonProxyFactoryBean2",
        "https://docs.example.com/Guide/v2024/API-Reference",
        "order 12345678",
        "AB12 is no account",
        "@scope/package c++ a=b",
        "reset my password",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    """Versions, addresses of machines, dates, codes, packages and names of classes are left."""
    assert redact(text) == (text, {})


def with_luhn(digits: str) -> str:
    """Append the check digit of a card number."""
    return next(
        digits + last
        for last in string.digits
        if (
            sum(int(one) for one in (digits + last)[-1::-2])
            + sum(sum(divmod(2 * int(one), 10)) for one in (digits + last)[-2::-2])
        )
        % 10
        == 0
    )


def with_check(country: str, account: str) -> str:
    """Write an account number as IBAN."""
    plain = "".join(str(int(char, 36)) for char in account + country + "00")
    return f"{country}{98 - int(plain) % 97:02d}{account}"


def grouped(text: str, size: int, separator: str) -> str:
    """Write a number in groups."""
    return separator.join(text[start : start + size] for start in range(0, len(text), size))


def plant(rng: random.Random) -> tuple[SecretKind, str, str]:
    """Return a secret of some kind: the kind, how it is written, and its bare core."""
    digits = "".join(rng.choices(string.digits, k=15))
    name = "".join(rng.choices(string.ascii_lowercase, k=8))
    separator = rng.choice((" ", "-", ""))
    match rng.choice(tuple(SecretKind)):
        case SecretKind.EMAIL as kind:
            core = f"{name}.{digits[:3]}@{name}.example"
            return kind, core, core
        case SecretKind.CARD as kind:
            core = with_luhn("4" + digits[:14])
            return kind, grouped(core, 4, separator), core
        case SecretKind.IBAN as kind:
            core = with_check("DE", digits + "123")
            return kind, grouped(core, 4, rng.choice((" ", ""))), core
        case SecretKind.PHONE as kind:
            core = f"4915{digits[:8]}"
            return kind, "+" + grouped(core, 4, separator), core
        case SecretKind.DIGITS as kind:
            core = digits[:11]
            return kind, core, core
        case kind:
            letters = string.ascii_letters + string.digits
            core = "aB3" + "".join(rng.choices(letters, k=30)) + "9x7"
            return kind, core, core


@pytest.mark.no_cover
@pytest.mark.parametrize("seed", range(300))
def test_planted_secret_never_comes_back(seed: int) -> None:
    """Wherever it stands in a query, nothing of a secret's core is left, and something was told."""
    rng = random.Random(seed)  # noqa: S311 - seeded texts, no secret
    _, written, core = plant(rng)
    before, after = rng.choices(WORDS[:4], k=2)
    left, counts = redact(clean(f"{before} {written} {after}"))
    bare = "".join(char for char in left if char.isalnum())
    assert core not in left
    assert "".join(char for char in core if char.isalnum()) not in bare
    assert left.startswith(before)
    assert left.endswith(after)
    assert counts.total() >= 1


@given(st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join))
def test_plain_words_stay(text: str) -> None:
    """Queries of words and short numbers come through as they are, next to each other or not."""
    left, counts = redact(text)
    assert counts or left == text
    assert not counts or sum(char.isdigit() for char in text) > 8


@pytest.mark.no_cover
@given(st.text(max_size=200))
def test_any_text_can_be_redacted(text: str) -> None:
    """Nothing breaks it; what was redacted once stays so; long numbers are gone."""
    once, _ = redact(text)
    assert redact(once)[0] == once
