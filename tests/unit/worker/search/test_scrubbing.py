"""Foreign text made fit to be stored."""

from worker.search.scrubbing import Scrubber

HEADERS = {
    "Authorization": "Bearer s3cret-token",
    "X-Api-Key": "k.e+y",
    "X-Short": "abc",
    "Content-Type": "application/json",
}


def test_clean_when_the_text_quotes_our_headers() -> None:
    """Header values and their words are blotted out; short ones and open ones are not."""
    text = "got Bearer s3cret-token, s3cret-token and k.e+y as application/json abc"
    assert Scrubber(HEADERS).clean(text) == "got ***, *** and *** as application/json abc"


def test_clean_when_there_is_nothing_to_hide() -> None:
    """Control characters become blanks and long text is cut."""
    assert Scrubber({}).clean("\x1b[31m a\r\n\tb\u2028 ") == "[31m a b"
    assert Scrubber({}).clean("x" * 300) == "x" * 199 + "\u2026"


def test_excerpt_when_the_body_is_no_text() -> None:
    """Bytes that are no UTF-8 do no harm."""
    assert Scrubber({}).excerpt(b"a\xff\x00b") == "a\ufffd b"


def test_clean_location_when_it_holds_credentials() -> None:
    """User, password, query and fragment are left out."""
    location = "https://user:pw@host.example/login?next=s3cret#x"
    assert Scrubber(HEADERS).clean_location(location) == "https://host.example/login"
